"""A real browser without a window: Chromium, driven by selenium.

Where there is none, the tests that need one are skipped by name; CI sets
CVSCORE_NEEDS_BROWSER, and then they fail.
"""

import os
import shutil
import tempfile
import time

import pytest

PROGRAMS = "chromium", "chromium-browser", "google-chrome"
DRIVERS = "chromedriver", "chromium.chromedriver"
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
)
WIDTH, HEIGHT = 1280, 900


def start():
    """A browser, or a skipped test that says what is missing."""
    program, driver = (
        next(filter(None, map(shutil.which, names)), None)
        for names in (PROGRAMS, DRIVERS)
    )
    if program is None or driver is None:
        missing("Chromium and ChromeDriver are not installed")
    try:
        from selenium import webdriver
    except ImportError:
        missing("selenium is not installed")
    options = webdriver.ChromeOptions()
    options.binary_location = program
    profile = tempfile.mkdtemp(prefix="cvscore-browser-")
    for flag in (*FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return Browser(webdriver.Chrome(options, webdriver.ChromeService(driver)), profile)


def missing(what):
    if os.environ.get("CVSCORE_NEEDS_BROWSER"):
        pytest.fail(f"{what}, and CVSCORE_NEEDS_BROWSER is set")
    pytest.skip(what)


class Browser:
    """What the tests of the pages do."""

    def __init__(self, driver, profile):
        self.driver, self._profile = driver, profile
        self._num_opened = 0

    def close(self):
        self.driver.quit()
        shutil.rmtree(self._profile, ignore_errors=True)

    def open(self, path, page, *, width=WIDTH, dark=False):
        path.write_text(page, encoding="utf-8")
        size = {"width": width, "height": HEIGHT, "deviceScaleFactor": 1}
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride", {**size, "mobile": False}
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia", {"features": [scheme]}
        )
        # A name of its own: a page in place of itself may still be the old one.
        self._num_opened += 1
        self.driver.get(f"{path.as_uri()}?{self._num_opened}")
        self._wait_for("return document.readyState === 'complete' && 'byId' in window")

    def _wait_for(self, script, seconds=10.0):
        end = time.monotonic() + seconds
        while not self.run(script):
            assert time.monotonic() < end, script
            time.sleep(0.01)

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def get(self, selector):
        return self.driver.find_element("css selector", selector)

    def all(self, selector):
        return self.driver.find_elements("css selector", selector)

    def text(self, selector):
        return self.get(selector).text

    def press(self, *keys):
        """Press keys on what has the focus."""
        self.driver.switch_to.active_element.send_keys(*keys)

    def click_at(self, x, y):
        """Click at a place of the window."""
        from selenium.webdriver import ActionChains
        from selenium.webdriver.common.actions.action_builder import ActionBuilder

        actions = ActionBuilder(self.driver)
        actions.pointer_action.move_to_location(round(x), round(y)).click()
        actions.perform()
        ActionChains(self.driver).reset_actions()

    def problems(self):
        """What the console complains of."""
        return [entry["message"] for entry in self.driver.get_log("browser")]
