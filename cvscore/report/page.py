"""A template with its styles, scripts and data put into one HTML file.

The templates in ``assets/`` are HTML that names a stylesheet, scripts and a place for
data, as any page does; here the names become what they name.
"""

from __future__ import annotations

import base64
import hashlib
import html
import re
from importlib.resources import files
from typing import Any

import numpy as np

from cvscore.files.plain_json import plain_json
from cvscore.types import Array

ASSETS = files("cvscore.report").joinpath("assets")
# What a template has where something is put in.
PLACES = re.compile(
    r"<title>.*?</title>"
    r'|<link rel="stylesheet" href="(?P<style>[\w.]+)">'
    r'|<script src="(?P<script>[\w.]+)"></script>'
    r'|<script type="application/json" id="data"></script>'
    r'|<meta http-equiv="Content-Security-Policy">'
)
# Characters that end a script in HTML, or a line in JavaScript: they stay text in JSON.
ESCAPED = {
    ord(character): f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"
}
SIGNIFICANT_DIGITS = 6  # of a coordinate: a hundredth of a pixel in any photograph


def filled_page(template: str, title: str, data: dict[str, Any]) -> str:
    """Return the page of a template, complete.

    Parameters
    ----------
    template : str
        Name of a file in ``assets/``.
    title : str
        Any text.
    data : dict
        For the scripts: what JSON has, and arrays.
    """
    text = _asset(template)
    scripts = [
        _asset(found["script"]) for found in PLACES.finditer(text) if found["script"]
    ]

    def filled(found: re.Match[str]) -> str:
        if found["style"]:
            return f"<style>\n{_asset(found['style'])}</style>"
        if found["script"]:
            return f"<script>{_asset(found['script'])}</script>"
        if found[0].startswith("<title>"):
            return f"<title>{html.escape(shown_name(title))}</title>"
        if found[0].startswith("<meta"):
            return _policy(scripts)
        embedded = plain_json(data, compact=True).translate(ESCAPED)
        return found[0].replace("></", f">{embedded}</")

    # In one pass: what was put in is not looked at again, whatever it contains.
    return PLACES.sub(filled, text)


def short_numbers(values: Array) -> list[float]:
    """Return the numbers of an array without the digits that nobody sees."""
    return [float(f"{x:.{SIGNIFICANT_DIGITS}g}") for x in np.ravel(values).tolist()]


def shown_name(name: str) -> str:
    """Return a name that any file can hold: bytes that are not UTF-8 spelled out."""
    return name.encode("utf-8", "backslashreplace").decode("utf-8")


def _policy(scripts: list[str]) -> str:
    """Forbid the network, and every script but these: a second lock on the door."""
    digests = (hashlib.sha256(script.encode()).digest() for script in scripts)
    allowed = " ".join(f"'sha256-{base64.b64encode(d).decode()}'" for d in digests)
    return (
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        f"img-src data:; style-src 'unsafe-inline'; script-src {allowed}; "
        "base-uri 'none'; form-action 'none'\">"
    )


def _asset(name: str) -> str:
    return ASSETS.joinpath(name).read_text(encoding="utf-8")
