"""What would not work on Windows or macOS, as far as it shows on Linux: what only some systems have is taken away."""

import os
import subprocess
import sys

import pytest

from fieldguide.cli import main as main_module
from fieldguide.files import file_system
from tests.processes import eventually
from tests.raw_client import RawClient

# What Python has on POSIX alone, by its documentation: modules, and names in `os`, `signal` and `socket`.
PROGRAM = """
import os, pkgutil, signal, socket, sys

import asyncio, concurrent.futures, multiprocessing, pathlib, shutil, sqlite3, ssl, subprocess, tempfile, uvicorn
import mcp.server, starlette.applications, watchfiles

HIDDEN = {"fcntl", "resource", "pwd", "grp", "termios", "tty", "pty", "posix", "syslog", "readline", "curses", "spwd"}
POSIX = {
    os: "O_CLOEXEC O_DIRECTORY O_NOFOLLOW O_NONBLOCK O_ASYNC fork getuid geteuid getgid getpgid killpg setsid pread "
        "pwrite uname sched_getaffinity sched_setaffinity fchown chown mkfifo statvfs WNOHANG nice getloadavg",
    signal: "SIGHUP SIGKILL SIGALRM SIGPIPE SIGUSR1 SIGCHLD SIGPROF SIGIO SIGURG pthread_sigmask setitimer",
    socket: "AF_UNIX socketpair_unix SO_PEERCRED",
}

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in HIDDEN:
            raise ImportError(f"{name} is hidden")

for name in HIDDEN:
    sys.modules.pop(name, None)
sys.meta_path.insert(0, Refuse())
for module, names in POSIX.items():
    for name in names.split():
        if hasattr(module, name):
            delattr(module, name)

import fieldguide
failed = []
for each in pkgutil.walk_packages(fieldguide.__path__, "fieldguide."):
    if each.name == "fieldguide.__main__":
        continue
    try:
        __import__(each.name)
    except BaseException as error:
        failed.append(f"{each.name}: {type(error).__name__}: {error}")
print("\\n".join(failed))
"""

# Read by Python as it starts: what Linux alone has is gone, and so are the files of `/proc`; the system is a Mac.
SITE = """
import builtins, fcntl, os, select, signal, socket, subprocess, sys, sysconfig

LINUX = {
    os: "memfd_create pidfd_open sched_getaffinity sched_setaffinity posix_fadvise splice copy_file_range eventfd "
        "getrandom pipe2 O_PATH O_TMPFILE O_DIRECT",
    select: "epoll",
    signal: "SIGRTMIN SIGPWR sigwaitinfo sigtimedwait",
    socket: "SO_PEERCRED SOCK_CLOEXEC SOCK_NONBLOCK",
    fcntl: "F_SETLEASE F_GETLEASE F_SETSIG F_NOTIFY F_ADD_SEALS",
}
for module, names in LINUX.items():
    for name in names.split():
        if hasattr(module, name):
            delattr(module, name)

plain = builtins.open

def open_(file, *more, **named):
    if isinstance(file, str) and file.startswith("/proc/"):
        raise FileNotFoundError(2, "No such file or directory", file)
    return plain(file, *more, **named)

builtins.open = open_
sys.platform = "darwin"
"""


@pytest.mark.slow
def test_a_project_is_served_without_what_linux_alone_has(tmp_path, project):
    (tmp_path / "sitecustomize.py").write_text(SITE)
    project.write("docs/boats.md", "# Boats\n\nThe ferry leaves at noon.\n")
    project.write("src/boats.py", "def leave():\n    return 'noon'\n")

    with RawClient(project.root, extra_environment={"PYTHONPATH": str(tmp_path)}).ready() as client:

        def finds(query: str, path: str) -> bool:
            found = client.call("guide_search", query=query)
            return path in str(found)

        assert eventually(lambda: finds("when does the ferry leave", "docs/boats.md"))
        assert "noon" in str(client.call("read_file", path="src/boats.py"))
        assert "src/boats.py" in str(client.call("grep_codebase", pattern="def leave"))
        assert "src/boats.py" in str(client.call("guide_symbol", name="leave"))  # read by a parser in a child process
        project.write("docs/trains.md", "# Trains\n\nThe sleeper waits for the ferry.\n")
        assert eventually(lambda: finds("sleeper", "docs/trains.md"))
        code, _, journal = client.leave()

    assert code == 0
    assert [line for line in journal if line.get("level") == "error"] == []


@pytest.mark.slow
def test_every_module_is_imported_without_what_is_posix_alone():
    environment = {name: value for name, value in os.environ.items() if not name.startswith("COV")}

    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=120, check=True, env=environment
    )

    assert done.stdout.strip() == "", done.stdout


@pytest.mark.parametrize("words", [["serve"], ["find", "anything"], ["call"]])
def test_on_windows_a_command_says_in_one_sentence_that_it_does_not_run_there(monkeypatch, capsys, words):
    monkeypatch.setattr(main_module, "IS_WINDOWS", True)

    assert main_module.main(words) == 2
    assert capsys.readouterr().err == f"fieldguide: {main_module.NOT_ON_WINDOWS}\n"


def test_on_windows_help_and_version_still_answer(monkeypatch, capsys):
    monkeypatch.setattr(main_module, "IS_WINDOWS", True)

    for words in (["--version"], ["serve", "--help"]):
        with pytest.raises(SystemExit) as ended:
            main_module.main(words)
        assert ended.value.code == 0
    assert "--project" in capsys.readouterr().out


def test_a_lock_is_held_by_one_alone(tmp_path):
    path = tmp_path / "lock"
    first, second = (os.open(path, os.O_RDWR | os.O_CREAT) for _ in range(2))

    file_system.wait_for_file_lock(first)

    assert not file_system.try_file_lock(second)
    os.close(first)
    assert file_system.try_file_lock(second)
    os.close(second)


def test_a_flag_that_the_system_does_not_know_is_nothing():
    assert file_system.find_open_flag("O_NOFOLLOW") == os.O_NOFOLLOW
    assert file_system.find_open_flag("O_OF_ANOTHER_SYSTEM") == 0
