"""Sphinx configuration."""

import sys
from pathlib import Path
from typing import Any

from outplay import __version__

project = "outplay"
author = "the outplay developers"
copyright = "2026 the outplay developers"
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


def setup(app: Any) -> None:
    """Make the pages that are made from the code."""
    sys.path.insert(0, str(Path(__file__).parent))
    import generated

    page = Path(app.srcdir) / "commands.md"
    if not page.exists() or page.read_text(encoding="utf-8") != generated.commands_page():
        page.write_text(generated.commands_page(), encoding="utf-8")

    def write_llms(app: Any, error: Exception | None) -> None:
        if error is None and app.builder.name == "html":
            (Path(app.outdir) / "llms.txt").write_text(generated.llms_text(), encoding="utf-8")

    app.connect("build-finished", write_llms)
