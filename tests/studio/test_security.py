"""Nobody gets into the studio but the browser that came with the token, and nothing that it shows is ever run."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

pytest.importorskip("starlette")
pytest.importorskip("playwright")
from helpers.places import EXAMPLES
from helpers.servers import needs
from helpers.studio import Studio, shown, studio, studio_command
from outplay.studio.admission import Admission
from outplay.studio.application import browser_page, page_files
from outplay.studio.operations import OPERATIONS

pytestmark = pytest.mark.xdist_group("studio-security")
LAMP = 'des (0, 2, 2)\n(0, "?press", 1)\n(1, "!light", 0)\n'
JSON = {"Content-Type": "application/json"}
FOREIGN = [
    "evil.example", "localhost", "localhost:{port}", "127.0.0.1", "127.0.0.1:{other}", "127.0.0.1:{port}.evil.example",
    "evil.example:{port}", "127.0.0.1:{port}@evil.example", "[::1]:{port}", "0.0.0.0:{port}", "127.1:{port}",
    "2130706433:{port}", "0x7f.0.0.1:{port}", "127.0.0.1.nip.io:{port}", "127.0.0.1:0{port}", " 127.0.0.2:{port}",
    "127.0.0.1:{port}/", "LOCALHOST:{port}", "127.0.0.1.:{port}", "", "null", "*", "studio:{port}", "127.0.0.1:80",
    "127.0.0.1:443", "example.com#127.0.0.1:{port}", "127.0.0.1%00:{port}", "١٢٧.0.0.1:{port}", "10.0.0.1:{port}",
    "169.254.169.254", "metadata", "host.docker.internal:{port}", "127.0.0.1:{port}, evil.example",
    "a.localhost:{port}",
    "127.0.0.1:{port};x", "127.0.0.1:{port}?x", "http://127.0.0.1:{port}", "//127.0.0.1:{port}", "ip6-localhost:{port}",
    "127.0.0.01:{port}",
]  # fmt: skip
ROUTES = [
    "/",
    *(f"/page/{name}" for name in sorted(page_files())),
    *(f"/ask/{name}" for name in OPERATIONS),
    "/nothing",
]


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    folder = tmp_path_factory.mktemp("studio")
    (folder / "lamp.aut").write_text(LAMP)
    with studio_command("lamp.aut", folder=folder) as made:
        made.kept = made.cookie()  # type: ignore[attr-defined]
        yield made


@pytest.fixture
def mine(opened: Studio) -> dict[str, str]:
    return {"Cookie": opened.kept}  # type: ignore[attr-defined]


def posts(route: str) -> bool:
    return route.startswith("/ask/") and OPERATIONS[route.removeprefix("/ask/").partition("?")[0]].changes


def tried(opened: Studio, route: str, headers: dict[str, str]) -> int:
    if posts(route):
        headers = {"Origin": opened.base, **JSON, **headers}
        return opened.ask(route, headers, method="POST", body=b"{}")[0]
    return opened.ask(route, headers)[0]


@pytest.mark.parametrize("route", ROUTES)
def test_no_route_answers_without_the_cookie(opened: Studio, route: str):
    used = opened.address.partition("token=")[2]
    name = opened.kept.partition("=")[0]  # type: ignore[attr-defined]
    for headers in ({}, {"Cookie": f"{name}=wrong"}, {"Cookie": f"{name}="}, {"Cookie": "{"}, {"Authorization": used}):
        assert tried(opened, route, headers) == 403
    for token in ("", "wrong", used, f"{used}&token={used}"):  # the token was used by the first browser
        assert tried(opened, f"{route}?token={token}" if not posts(route) else route, {}) == 403


@pytest.mark.parametrize("route", [route for route in ROUTES if route != "/nothing"])
def test_every_route_answers_with_the_cookie_and_its_headers_keep_others_out(opened: Studio, mine, route: str):
    assert tried(opened, route, mine) in (200, 422)  # 422: it asks for parameters
    headers = dict(opened.ask(route, mine)[2])
    policy = headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self';")
    assert "unsafe" not in policy
    assert "http" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert "access-control-allow-origin" not in headers


@pytest.mark.parametrize("foreign", FOREIGN)
def test_foreign_hosts_and_origins_are_refused_though_the_cookie_is_right(opened: Studio, mine, foreign: str):
    name = foreign.format(port=opened.port, other=opened.port + 1)
    assert len(FOREIGN) == 40
    assert opened.ask("/ask/documents", {**mine, "Host": name})[0] in (400, 421)
    for origin in (name, f"http://{name}", f"https://{name}"):
        if origin != opened.base:
            assert opened.ask("/ask/documents", {**mine, "Origin": origin})[0] in (400, 403)


@pytest.mark.parametrize("route", [route for route in ROUTES if posts(route)])
def test_what_changes_something_needs_our_own_origin_and_json(opened: Studio, mine, route: str):
    def status(**headers: str) -> int:
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        return opened.ask(route, {**mine, **given}, method="POST", body=b"{}")[0]

    assert status(Content_Type="application/json") == 403
    assert status(Content_Type="application/json", Origin="null") == 403
    assert status(Content_Type="text/plain", Origin=opened.base) == 415
    assert status(Content_Type="application/json", Origin=opened.base, Sec_Fetch_Site="cross-site") == 403
    assert opened.ask(route, mine)[0] == 405


@pytest.mark.parametrize(
    "path",
    [
        "/page/../server.py", "/page/..%2fserver.py", "/page/%2e%2e/server.py", "/page/....//server.py",
        "/page//etc/passwd", "/../../../../etc/passwd", "/page/..%5cserver.py", "/page/index.html%00.js",
        "/page/%252e%252e%252fserver.py", "//etc/passwd", "/page/", "/page", "/ask/", "/ask/../page/main.js",
        "/page/studio.css/../../server.py", "/etc/passwd", "/.git/config",
    ],
)  # fmt: skip
def test_no_path_leads_to_a_file_that_is_not_the_pages_own(opened: Studio, mine, path: str):
    status, body, _ = opened.ask(path, mine)
    assert status in (404, 307)
    assert b"uvicorn" not in body
    assert b"root:" not in body


def test_methods_and_bodies_that_nobody_needs_are_refused(opened: Studio, mine):
    for method in ("PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT"):
        assert opened.ask("/ask/documents", mine, method=method)[0] in (400, 405)
    changing = next((route for route in ROUTES if posts(route)), None)
    if changing:
        given = {**mine, **JSON, "Origin": opened.base}
        for body in (b"", b"[]", b"{", b"[" * 100_000):
            assert opened.ask(changing, given, method="POST", body=body)[0] == 400


def test_documents_have_ids_and_questions_name_no_paths(opened: Studio, mine):
    status, body, _ = opened.ask("/ask/documents", mine)
    assert status == 200
    assert re.search(rb'"id": "[\w-]{12}"', body)
    for name in ("lamp.aut", "../lamp.aut", "/etc/passwd", "%2e%2e"):
        assert opened.ask(f"/ask/facts?document={name}", mine)[0] == 422


def test_another_users_process_sees_no_token(opened: Studio):
    """The token is on no command line; what is sent to the browser is a file that only its owner may read."""
    token = opened.address.partition("token=")[2]
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            assert token.encode() not in entry.read_bytes()
        except OSError:
            continue  # it has ended


STRANGER = """
import http.client, pathlib, sys
link = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]))
link.request("GET", "/")
print(link.getresponse().status)
try:
    print(len(pathlib.Path(sys.argv[2]).read_text()))
except OSError:
    print("refused")
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user")
def test_another_user_gets_neither_in_nor_at_the_file_that_leads_the_browser_there(opened: Studio, tmp_path: Path):
    tmp_path.chmod(0o755)
    page = browser_page(opened.address, tmp_path / "data")
    assert opened.address in page.read_text()
    assert page.stat().st_mode & 0o077 == 0
    python = shutil.which("python3", path="/usr/bin:/usr/local/bin:/bin")
    if python is None:
        pytest.skip("there is no Python here that another user can run")
    command = [python, "-c", STRANGER, str(opened.port), str(page)]
    done = subprocess.run(command, capture_output=True, text=True, user=65534, cwd="/")
    assert done.stdout.split() == ["403", "refused"]


@needs("chromium")
def test_what_another_user_serves_on_this_machine_gets_no_cookie(browser, tmp_path: Path):
    """Cookies of one host are sent to all its ports."""
    heard: list[str] = []

    class Stranger(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            heard.append(self.headers.get("Cookie", ""))
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<p>hello")

        def log_message(self, *arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Stranger)
    Thread(target=server.serve_forever, daemon=True).start()
    (tmp_path / "lamp.aut").write_text(LAMP)
    try:
        with studio(str(tmp_path / "lamp.aut"), folder=tmp_path) as made, shown(made) as page:
            assert [cookie["name"] for cookie in page.context.cookies(page.url)] == [f"outplay-studio-{made.port}"]
            other = page.context.new_page()
            for path in ("/", "/page/main.js", "/ask/documents"):
                other.goto(f"http://127.0.0.1:{server.server_port}{path}")
    finally:
        server.shutdown()
        server.server_close()
    assert len(heard) >= 3
    assert not any(heard)


def test_the_cookie_is_for_the_room_alone():
    door = Admission(8000)
    cookie = door.admit("GET", door.room, f"token={door.token}", [("host", "127.0.0.1:8000")]) or ""
    assert f"Path={door.room};" in cookie
    assert len(door.room) > 12
    assert door.room != Admission(8000).room


def test_without_the_extra_the_command_says_what_to_install():
    code = "import sys; sys.modules['uvicorn'] = None; sys.argv = ['outplay', 'studio', '--no-open']\n"
    code += "from outplay.cli.main import main; main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 2
    assert "pip install 'outplay[studio]'" in done.stderr


HOSTILE = [
    "<script>window.broken=1</script>", "<img src=x onerror=window.broken=1>", "\u202eevil", "a\x1b[31mred",
    "&lt;b&gt;", "javascript:window.broken=1", "{{7*7}}", "x" * 3000, "\u2066\u2069", "'\"`",
]  # fmt: skip


@needs("chromium")
def test_labels_of_others_are_shown_and_never_run(browser, tmp_path):
    lines = [f'({n}, "!{text}", {n + 1})' for n, text in enumerate(text.replace('"', "'") for text in HOSTILE)]
    source = f"des (0, {len(lines)}, {len(lines) + 1})\n" + "\n".join(lines) + "\n"
    (tmp_path / "hostile.aut").write_text(source)
    with studio(str(tmp_path / "hostile.aut"), folder=tmp_path) as made, shown(made) as page:
        for _ in HOSTILE:
            page.click(".moves .place")
        page.fill("input[type=search]", "script")
        page.wait_for_selector(".found .place")
        assert "<script>" in page.inner_text(".found")
        assert page.evaluate("window.broken") is None
        assert page.evaluate("document.querySelectorAll('body script, img').length") == 0


@needs("chromium")
def test_the_page_can_neither_load_from_elsewhere_nor_make_markup_of_text(browser, tmp_path):
    with studio(f"{EXAMPLES / 'chat' / 'model.py'}:Chat", folder=tmp_path) as made, shown(made, strict=False) as page:
        assert page.evaluate("fetch('http://127.0.0.1:9/x').then(() => 'loaded', () => 'refused')") == "refused"
        broken = "try { document.body.innerHTML = '<b>x</b>'; 'made' } catch { 'refused' }"
        assert page.evaluate(broken) == "refused"
        assert "token" not in page.url
        assert page.evaluate("document.cookie") == ""
        page.reload()
        page.wait_for_selector("canvas[data-ready]")
