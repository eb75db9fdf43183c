"""A browser for all tests of pages, whose console must stay empty."""

import browser as browsers
import pytest


@pytest.fixture(scope="session")
def started_browser():
    started = browsers.start()
    yield started
    started.close()


@pytest.fixture
def browser(started_browser):
    started_browser.problems()  # those of others
    yield started_browser
    started_browser.run("localStorage.clear()")  # a choice of colours is kept there
    assert started_browser.problems() == []
