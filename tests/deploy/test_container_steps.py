"""The steps of the container file are run here as plain commands; what they make is served as a container would."""

import json
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from release.facts import ROOT
from tests.deploy.announced import announced_port
from tests.deploy.container_file import ContainerBuild, Stage, Step, read_steps
from tests.proves import proves

FILE = ROOT / "deploy" / "Containerfile"
NOT_RUN = {"apt-get": "changes the machine; the programs that it brings are looked for instead"}
STEPS = list(read_steps(FILE.read_text(encoding="utf-8")))


class Built:
    """An image as a folder, and how commands run in it."""

    def __init__(self, folder: Path) -> None:
        self.build = ContainerBuild(ROOT, folder, NOT_RUN)
        self.stage: Stage = self.build.run(STEPS)
        self.state = self.stage.place("/var/lib/fieldguide")

    def environment(self, **more: str) -> dict[str, str]:
        """What a container sets, and nothing of ours."""
        return {**self.build.commands_of(self.stage), **more}

    def start(self, *words: str, **more: str) -> subprocess.Popen[str]:
        """A command in the image, as the user that it names where that can be tried here."""
        can_change = os.geteuid() == 0 and not self._python().startswith("/root/")
        user, group = map(int, self.stage.user.split(":"))
        return subprocess.Popen(
            [shutil.which(words[0], path=self.environment()["PATH"]) or words[0], *words[1:]],
            cwd=self.state,
            env=self.environment(**more),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            user=user if can_change else None,
            group=group if can_change else None,
            extra_groups=[] if can_change else None,
        )

    def run(self, *words: str, **more: str) -> tuple[int, str]:
        """Run a command to its end; its exit code and what it printed."""
        process = self.start(*words, **more)
        printed, _ = process.communicate(timeout=60)
        return process.returncode, printed

    def words(self, instruction: str) -> list[str]:
        """The words of ENTRYPOINT, CMD or HEALTHCHECK, with the paths of here."""
        text = self.stage.settings[instruction].rpartition("CMD ")[2]
        return [self.stage.here(word) for word in json.loads(text)]

    def _python(self) -> str:
        return os.path.realpath(self.stage.place("/opt/fieldguide/bin/python"))


@pytest.fixture(scope="module")
def image():
    with tempfile.TemporaryDirectory(prefix="image-", dir="/tmp") as folder:
        os.chmod(folder, 0o755)  # noqa: S103  the user of the image comes through it
        yield Built(Path(folder))


def steps(instruction: str) -> list[Step]:
    return [step for step in STEPS if step.instruction == instruction]


@proves("Z-240")
def test_every_step_runs_and_what_is_served_comes_from_the_lock_file(image):
    code, printed = image.run(*image.words("ENTRYPOINT"), "--version")
    listed = "import importlib.metadata as m; print(*(f'{d.name}=={d.version}' for d in m.distributions()))"
    _, installed = image.run("python", "-c", listed)

    locked = (ROOT / "uv.lock").read_text(encoding="utf-8")
    assert (code, printed.split()[0]) == (0, "fieldguide")
    assert [each for each in installed.split() if not _is_locked(each, locked)] == []
    assert {"psycopg", "pypdf", "mcp"} <= {each.partition("==")[0] for each in installed.split()}
    assert [text.split()[0] for text in image.build.left_out] == list(NOT_RUN)
    assert all(shutil.which(program) for program in ("git",))


def _is_locked(installed: str, locked: str) -> bool:
    name, _, version = installed.partition("==")
    plain = re.sub(r"[-_.]+", "-", name).lower()
    return f'name = "{plain}"\nversion = "{version}"' in locked


@proves("Z-240")
def test_the_entry_point_serves_as_somebody_who_may_write_only_the_state(image):
    process = image.start(*image.words("ENTRYPOINT"), "serve", "--project", ".", "--http", "127.0.0.1:0")
    try:
        port = announced_port(process.stdout)
        healthy = image.run(*image.words("HEALTHCHECK"), FIELDGUIDE_HTTP=f"0.0.0.0:{port}")
    finally:
        process.terminate()
        process.communicate(timeout=60)
    gone = image.run(*image.words("HEALTHCHECK"), FIELDGUIDE_HTTP=f"0.0.0.0:{port}")

    assert (healthy[0], healthy[1][:4]) == (0, "200 ")
    assert (gone[0], process.returncode) == (1, 0)


@proves("Z-241")
def test_bases_are_exact_and_nobody_is_root_and_no_secret_goes_in():
    exact = re.compile(r"(\S+):\d+\.\d+\.\d+\S*( AS \w+)?")

    assert [step.text for step in steps("FROM") if not exact.fullmatch(step.text)] == []
    assert int(steps("USER")[-1].text.partition(":")[0]) > 0
    assert not re.search(r"password|secret=|token|_KEY", FILE.read_text(encoding="utf-8"), re.IGNORECASE)
    assert steps("ADD") + steps("ARG") == []


@proves("Z-241")
def test_a_build_sees_only_what_it_copies_and_uses_the_uv_of_the_makefile():
    ignored = (ROOT / "deploy" / "Containerfile.dockerignore").read_text(encoding="utf-8").splitlines()
    copied = [word for step in steps("COPY") if "--from=" not in step.text for word in step.text.split()[:-1]]
    uv = re.search(r"^UV_VERSION := (\S+)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)

    assert ignored[1] == "*"
    assert {line[1:] for line in ignored if line.startswith("!")} == set(copied)
    assert uv is not None
    assert f"uv=={uv.group(1)}" in FILE.read_text(encoding="utf-8")
