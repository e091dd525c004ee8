"""A container file, read and carried out with plain commands: each stage has a folder in the place of its root."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

ASSIGNMENT = re.compile(r"(\w+)=(\S+)")
OF_THE_IMAGE = re.compile(r"(?<![\w./-])/(?=opt/|src\b|var/lib/fieldguide)")  # the rest is the machine's
FROM = re.compile(r"(\S+)(?: AS (\w+))?")
IMAGE_PATH = "/usr/local/bin:/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin"
# What a build gets from the machine that it runs on: how the network is reached, and what was downloaded before.
OF_THE_MACHINE = ("HOME", "SSL_", "PIP_", "UV_", "REQUESTS_", "CURL_", "http", "HTTP", "no_proxy", "NO_PROXY", "ALL_")
STEP_SECONDS = 300


class Step(NamedTuple):
    """One instruction with all that stands behind it, and the line on which it begins."""

    line: int
    instruction: str
    text: str

    @property
    def words(self) -> list[str]:
        """The words of a JSON list, as ENTRYPOINT and CMD have them."""
        words: list[str] = json.loads(self.text)
        return words


@dataclass
class Stage:
    """What the steps of a stage have made so far."""

    base: str
    root: Path
    folder: str = "/"
    environment: dict[str, str] = field(default_factory=dict)
    user: str = ""
    settings: dict[str, str] = field(default_factory=dict)

    def place(self, path: str) -> Path:
        """Where a path of the image lies here."""
        return self.root / os.path.join(self.folder, path).lstrip("/")

    def here(self, text: str) -> str:
        """A text with the paths of the image as they are here."""
        return OF_THE_IMAGE.sub(f"{self.root}/", text)


def read_steps(text: str) -> Iterator[Step]:
    """The instructions of a container file; a line that ends with a backslash goes on."""
    pending, begun = "", 0
    for number, line in enumerate(text.splitlines(), 1):
        if not pending and (not line.strip() or line.startswith("#")):
            continue
        begun = begun if pending else number
        pending += line.strip().removesuffix("\\")
        if not line.rstrip().endswith("\\"):
            instruction, _, rest = pending.partition(" ")
            yield Step(begun, instruction, rest.strip())
            pending = ""
    assert not pending, "the last line goes on"


class ContainerBuild:
    """Carries out the steps of a container file below a folder, from a copy of what it copies."""

    def __init__(self, source: Path, folder: Path, not_run: Mapping[str, str]) -> None:
        self._source = source
        self._folder = folder
        self._not_run = not_run
        self._stages: dict[str, Stage] = {}
        self.left_out: list[str] = []

    def run(self, steps: list[Step]) -> Stage:
        """The last stage, built."""
        stage: Stage | None = None
        for step in steps:
            if step.instruction == "FROM":
                stage = self._begin(step)
                continue
            assert stage is not None, "a container file begins with FROM"
            getattr(self, f"_{step.instruction.lower()}")(stage, step)
        assert stage is not None
        return stage

    def commands_of(self, stage: Stage) -> dict[str, str]:
        """The environment of a command in the image: the paths of the image first, then the machine's programs."""
        given = {name: value for name, value in os.environ.items() if name.startswith(OF_THE_MACHINE)}
        set_here = {name: stage.here(value) for name, value in stage.environment.items()}
        path = set_here.get("PATH", IMAGE_PATH)
        return {**given, **set_here, "PATH": f"{path.replace('/usr/local/bin', str(self._python()), 1)}"}

    def _begin(self, step: Step) -> Stage:
        found = FROM.fullmatch(step.text)
        assert found, step
        name = found.group(2) or str(len(self._stages))
        root = self._folder / f"stage-{name}"
        root.mkdir(mode=0o755)
        self._stages[name] = Stage(found.group(1), root)
        return self._stages[name]

    def _python(self) -> Path:
        """A folder with a `python` in it, as /usr/local/bin of the base image has one."""
        folder = self._folder / "usr-local-bin"
        if not folder.exists():
            folder.mkdir(mode=0o755)
            (folder / "python").symlink_to(getattr(sys, "_base_executable", sys.executable))
        return folder

    def _run(self, stage: Stage, step: Step) -> None:
        if any(step.text.startswith(beginning) for beginning in self._not_run):
            self.left_out.append(step.text)
            subprocess.run(["/bin/sh", "-n", "-c", step.text], check=True, timeout=STEP_SECONDS)
            return
        place = stage.place(".")
        for folder in (place, stage.root / "opt", stage.root / "var" / "lib"):  # the base image has them
            folder.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(
            ["/bin/sh", "-e", "-c", self._owned(stage.here(step.text))],
            cwd=place,
            env=self.commands_of(stage),
            capture_output=True,
            text=True,
            timeout=STEP_SECONDS,
        )
        assert done.returncode == 0, f"line {step.line}: {step.text}\n{done.stdout}{done.stderr}"

    def _owned(self, command: str) -> str:
        """Who is not root can give nothing away, and keeps it."""
        mine = {"--owner=10001": f"--owner={os.geteuid()}", "--group=10001": f"--group={os.getegid()}"}
        for asked, own in {} if os.geteuid() == 0 else mine.items():
            command = command.replace(asked, own)
        return command

    def _copy(self, stage: Stage, step: Step) -> None:
        *words, target = step.text.split()
        origin = self._source
        if words[0].startswith("--from="):
            origin = self._stages[words.pop(0).removeprefix("--from=")].root
        is_folder = target.endswith("/") or len(words) > 1
        for word in words:
            place = stage.place(target) / Path(word).name if is_folder else stage.place(target)
            place.parent.mkdir(parents=True, exist_ok=True)
            found = origin / word.lstrip("/")
            if found.is_dir():
                shutil.copytree(found, place, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copyfile(found, place)

    def _workdir(self, stage: Stage, step: Step) -> None:
        stage.folder = step.text
        stage.place(".").mkdir(parents=True, exist_ok=True)

    def _env(self, stage: Stage, step: Step) -> None:
        stage.environment.update(ASSIGNMENT.findall(step.text))

    def _user(self, stage: Stage, step: Step) -> None:
        stage.user = step.text

    def _keep(self, stage: Stage, step: Step) -> None:
        stage.settings[step.instruction] = step.text

    _volume = _expose = _stopsignal = _healthcheck = _entrypoint = _cmd = _keep
