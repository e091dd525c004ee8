"""Where documents come from, for tests: git repositories, web servers in a thread, bundles with anything in them."""

import io
import os
import subprocess
import tarfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from fieldguide.cli.main import main
from tests.projects import Project


class Done(NamedTuple):
    """What a command printed."""

    out: str
    err: str


Command = Callable[..., Done]


def command_in(project: Project, capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs a command of Fieldguide in this process, for a project, and checks how it ends."""

    def run(*words: Any, code: int = 0) -> Done:
        capsys.readouterr()
        ended = main([*map(str, words), "--project", str(project.root)])
        done = Done(*capsys.readouterr())
        assert ended == code, done
        return done

    return run


def allow_loopback() -> None:
    """Let fetches reach the servers of tests, as a person would who has one on this machine."""
    path = Path(os.environ["XDG_CONFIG_HOME"], "fieldguide", "config.toml")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text('[fetch]\nallow = ["127.0.0.1"]\n')


class Repository:
    """A git repository on this machine."""

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir()
        self.git("init", "--quiet", "--initial-branch", "main")

    @property
    def address(self) -> str:
        """The address that a collection names."""
        return f"git+file://{self.root}"

    def write(self, path: str, content: str) -> None:
        """Put a file there, not yet committed."""
        Project(self.root).write(path, content)

    def commit(self) -> str:
        """Commit everything that is there; the id of the commit."""
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "x")
        return self.git("rev-parse", "HEAD")

    def git(self, *words: str) -> str:
        """Run git there."""
        person = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "commit.gpgsign=false")
        clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        done = subprocess.run(
            ["git", *person, *words], cwd=self.root, env=clean, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()


class Web:
    """A web server on this machine: what it answers by path, and what it was asked."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.address = f"http://127.0.0.1:{port}"
        self.pages: dict[str, bytes | int | str] = {}
        self.asked: list[tuple[str, Mapping[str, str]]] = []

    def paths(self) -> list[str]:
        """The paths that were asked for, in order."""
        return [path for path, _ in self.asked]


@contextmanager
def web_server() -> Iterator[Web]:
    """A server whose pages are bytes, the number of an error, or the address of a redirect."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            web.asked.append((self.path, dict(self.headers.items())))
            page = web.pages.get(self.path, 404)
            if isinstance(page, bytes):
                self.send_response(200)
                self.send_header("Content-Length", str(len(page)))
                self.end_headers()
                self.wfile.write(page)
            elif isinstance(page, str):
                self.send_response(302)
                self.send_header("Location", page)
                self.send_header("Content-Length", "0")
                self.end_headers()
            else:
                self.send_response(page)
                self.send_header("Content-Length", "0")
                self.end_headers()

        def log_message(self, *args: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    web = Web(server.server_address[1])
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield web
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def bundle(*members: tuple[tarfile.TarInfo, bytes] | tuple[str, bytes | str]) -> bytes:
    """A .tar.gz with these members, whatever they are."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for named, given in members:
            content = given.encode() if isinstance(given, str) else given
            member = tarfile.TarInfo(named) if isinstance(named, str) else named
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return packed.getvalue()
