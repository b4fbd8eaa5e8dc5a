"""Pictures: models and games as SVG and as a page to walk through, laid out without any outside program."""
