from __future__ import annotations

import re
from html.parser import HTMLParser

from outplay.pictures.svg import draw, write_html

OUTSIDE = re.compile(r"(?:src|href|action)\s*=|url\(|@import|import\s*\(|fetch\(|XMLHttpRequest")


class Reader(HTMLParser):
    """Collects tags with their attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))


def test_the_page_needs_nothing_from_outside(bargain):
    page = write_html(draw(bargain))
    assert not OUTSIDE.findall(page)
    addresses = set(re.findall(r"\w+://[^\s\"'<>)]+", page))
    assert addresses == {"http://www.w3.org/2000/svg"}, "only the name of SVG itself"


def test_the_page_has_what_a_reader_needs(bargain):
    tags = Reader(write_html(draw(bargain, title="A bargain"))).found
    ids = {attributes.get("id") for _, attributes in tags}
    assert {"search", "in", "out", "fit", "details", "legend"} <= ids
    assert all(attributes.get("aria-label") for tag, attributes in tags if tag == "input")
    assert [tag for tag, _ in tags].count("svg") == 2
    assert ("html", {"lang": "en"}) in tags


def test_the_page_follows_light_and_dark(bargain):
    page = write_html(draw(bargain))
    assert "color-scheme: light dark" in page
    assert page.count("@media (prefers-color-scheme: dark)") == 2, "one for the page, one for the picture"


def test_facts_name_what_is_counted(bargain, lamp):
    assert "<dt>vertices<dd>5<dt>edges<dd>9" in write_html(draw(bargain))
    assert "<dt>states<dd>3<dt>edges<dd>4" in write_html(draw(lamp))


def test_the_script_cannot_be_ended_from_within(bargain):
    page = write_html(draw(bargain, title="</script><b>"))
    assert page.count("</script>") == 1
    assert "&lt;/script&gt;&lt;b&gt;" in page
