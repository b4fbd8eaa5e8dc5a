"""Sphinx configuration."""

from outplay import __version__

project = "outplay"
author = "the outplay developers"
release = version = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc"]
myst_enable_extensions = ["deflist"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = "outplay"
autodoc_member_order = "bysource"
autodoc_typehints = "description"
nitpicky = False
