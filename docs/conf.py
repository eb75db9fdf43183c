"""The documentation site: sphinx-build -W docs out/site.

Everything that a page shows is in the folder that is built: no fonts, scripts or styles
from elsewhere.  Formulas are MathML, which browsers render themselves.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "docs" / "_extensions")]

import cvscore  # noqa: E402

project = "cvscore"
author = "the cvscore authors"
project_copyright = author
release = version = cvscore.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "mathml",
    "public_names",
    "report_page",
    "source_pages",
]
exclude_patterns = ["_extensions", "pictures/*.py"]
default_role = "py:obj"  # `name` in a docstring is a link where there is one
nitpicky = False  # docstrings name types of numpy and cv2, whose sites need a network

myst_enable_extensions = ["dollarmath", "deflist", "attrs_inline"]
myst_heading_anchors = 3
html_math_renderer = "mathml"

autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the docstrings say more: shapes and units
napoleon_use_rtype = False
napoleon_use_ivar = True

html_theme = "furo"
html_title = f"cvscore {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_copyright = False
html_copy_source = False
html_theme_options = {
    "sidebar_hide_name": False,
    "light_css_variables": {
        "color-brand-primary": "#1a7f37",
        "color-brand-content": "#0f6a2c",
    },
    "dark_css_variables": {
        "color-brand-primary": "#56d364",
        "color-brand-content": "#7ee787",
    },
}
