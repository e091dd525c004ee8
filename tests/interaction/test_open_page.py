"""`fieldguide open`: the page in a browser, from one server of a project."""

import json
import subprocess
import sys
from contextlib import contextmanager

from fieldguide.cli.service.serve_http import find_running_page, record_page
from fieldguide.settings.config import Settings
from tests.processes import eventually
from tests.raw_http import get
from tests.servers import FIELDGUIDE, environment, run

BROWSER = """#!{python}
import sys
open({told!r}, "w").write(sys.argv[1])
"""


@contextmanager
def opened(root, *flags, **variables):
    process = subprocess.Popen(
        [FIELDGUIDE, "open", "--project", str(root), *flags],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**environment(), **variables},
    )
    try:
        yield process
    finally:
        process.terminate()
        process.communicate(timeout=60)


def link_of(process):
    return process.stdout.readline().strip()


def test_open_prints_a_link_that_opens_once_and_finds_the_server_again(tmp_path):
    (tmp_path / "README.md").write_text("# Otters\n")
    with opened(tmp_path, "--no-browser") as first:
        link = link_of(first)
        url, _, secret = link.partition("?link=")
        with opened(tmp_path, "--no-browser") as second:
            again = link_of(second)
            said = second.stderr.read()
            assert second.wait(timeout=60) == 0

        entered = get(url, f"/?link={secret}")
        inside = get(url, "/", Cookie=entered.headers["set-cookie"].partition(";")[0])

    assert url.startswith("http://127.0.0.1:")
    assert again.startswith(f"{url}?link=")
    assert again != link
    assert "runs already" in said
    assert (entered.status, inside.status) == (303, 200)
    assert '<input type="search"' in inside.text


def test_open_finds_a_server_that_serve_started(tmp_path):
    serve = [FIELDGUIDE, "serve", "--http", "127.0.0.1:0", "--project", str(tmp_path)]
    with subprocess.Popen(
        serve, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment()
    ) as first:
        try:
            assert first.stderr is not None
            while "Connect a client to " not in first.stderr.readline():
                pass
            with opened(tmp_path, "--no-browser") as second:
                said = second.stderr.read()
                assert second.wait(timeout=60) == 0
        finally:
            first.terminate()

    assert "runs already" in said


def test_open_starts_the_browser_with_the_link(tmp_path):
    told, browser = tmp_path / "told", tmp_path / "browser"
    browser.write_text(BROWSER.format(python=sys.executable, told=str(told)))
    browser.chmod(0o755)
    project = tmp_path / "project"
    project.mkdir()

    with opened(project, BROWSER=f"{browser} %s") as process:
        assert "is served as long as this runs" in process.stderr.readline()
        assert eventually(lambda: told.exists() and "?link=" in told.read_text())
        link = told.read_text()
        entered = get(link.partition("?")[0], link[link.index("/?") :])

    assert entered.status == 303


def test_a_server_that_has_ended_is_not_found_and_one_that_runs_is(tmp_path, monkeypatch):
    monkeypatch.setenv("FIELDGUIDE_STATE", str(tmp_path / "state"))
    settings = Settings(project=str(tmp_path), user="ann")
    url = "http://127.0.0.1:1/mcp"

    with record_page(settings, url):
        assert find_running_page(settings) == url
        assert find_running_page(Settings(project=str(tmp_path), user="bob")) is None
        with record_page(settings, "http://127.0.0.1:2/mcp"):
            assert find_running_page(settings) == url
    assert find_running_page(settings) is None
    [record] = (tmp_path / "state").rglob("page.json")
    record.write_text(json.dumps({"url": url, "user": "ann", "read_only": False}))
    assert find_running_page(settings) is None


def test_what_is_about_citations_needs_one(tmp_path):
    assert "Name a citation" in run("open", "--project", tmp_path, "--around", "section", code=2).stderr
