"""A unix socket: its file's permissions are the guard, and no file but an old socket of ours is ever removed."""

import os
import signal
import socket
import stat
import subprocess
from contextlib import contextmanager

import pytest

from fieldguide.wire.endpoint import listen_on_port
from tests.processes import eventually
from tests.raw_http import INITIALIZE, ask, get
from tests.servers import FIELDGUIDE, environment


def command(root, path):
    return [FIELDGUIDE, "serve", "--project", str(root), "--http", f"unix:{path}", "--toolsets", "directive"]


@contextmanager
def served(root, path):
    process = subprocess.Popen(command(root, path), stderr=subprocess.PIPE, text=True, env=environment())
    assert process.stderr is not None
    try:
        assert process.stderr.readline() == f"Serving on unix:{path}\n"
        yield process
    finally:
        process.terminate()
        process.communicate(timeout=60)


def refused(root, path):
    done = subprocess.run(
        command(root, path), capture_output=True, text=True, timeout=60, check=False, env=environment()
    )
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    return done.stderr


def test_the_owner_needs_no_token_and_the_file_is_private_and_goes_in_the_end(tmp_path):
    path = tmp_path / "served.sock"
    old = os.umask(0)
    try:
        with served(tmp_path, path):
            url = f"unix:{path}"
            opened = ask(url, INITIALIZE, Authorization="")
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
            assert opened.status == 200
            assert opened.message["result"]["serverInfo"]["name"] == "fieldguide"
            assert get(url, "/healthz").status == 200
            assert "unix socket" in get(url, "/").text
            assert ask(url, INITIALIZE, Origin="http://localhost").status == 403
    finally:
        os.umask(old)

    assert not path.exists()


def test_a_socket_that_somebody_serves_is_left_to_them(tmp_path):
    path = tmp_path / "served.sock"
    with served(tmp_path, path):
        assert "A server listens" in refused(tmp_path, path)
        assert get(f"unix:{path}", "/healthz").status == 200


def test_a_socket_that_a_killed_server_left_is_taken_over(tmp_path):
    path = tmp_path / "served.sock"
    with served(tmp_path, path) as process:
        process.send_signal(signal.SIGKILL)
        assert eventually(lambda: process.poll() is not None)
    assert path.is_socket()

    with served(tmp_path, path):
        assert get(f"unix:{path}", "/healthz").status == 200


def a_file(path):
    path.write_text("mine")


def a_link_to_a_file(path):
    path.with_name("mine").write_text("mine")
    path.symlink_to(path.with_name("mine"))


def a_link_to_nothing(path):
    path.symlink_to(path.with_name("nothing"))


@pytest.mark.parametrize("prepare", [a_file, a_link_to_a_file, a_link_to_nothing], ids=lambda each: each.__name__)
def test_anything_else_in_its_place_stays(tmp_path, prepare):
    path = tmp_path / "served.sock"
    prepare(path)
    before = os.lstat(path)

    assert "it was left alone" in refused(tmp_path, path)
    assert os.lstat(path) == before


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file to another user")
def test_a_socket_of_another_user_stays(tmp_path):
    path = tmp_path / "served.sock"
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(path))
    os.chown(path, 65534, 65534)

    assert "belongs to another user" in refused(tmp_path, path)
    assert path.is_socket()


def test_a_folder_that_is_not_there_and_a_path_that_is_too_long_are_told(tmp_path):
    assert "There is no folder" in refused(tmp_path, tmp_path / "none" / "x.sock")
    assert "Can't serve on" in refused(tmp_path, tmp_path / ("x" * 200))


def test_the_file_of_a_server_that_took_its_place_is_not_removed(tmp_path):
    path = tmp_path / "served.sock"
    with served(tmp_path, path):
        path.unlink()
        path.write_text("somebody else's")

    assert path.read_text() == "somebody else's"


def test_small_answers_are_sent_at_once():
    endpoint = listen_on_port("127.0.0.1", 0)
    with socket.create_connection(endpoint.listener.getsockname()), endpoint.listener.accept()[0] as accepted:
        assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) == 1
    endpoint.close()
