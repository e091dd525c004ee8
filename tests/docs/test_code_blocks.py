"""Every fenced block of the documentation does what it shows."""

import json
import re
import shlex
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml

from docs.writers.command_line import command_words, help_text
from tests.docs.foreign_sources import unpack_flask
from tests.docs.markdown import ROOT, Block, all_pages, blocks_of
from tests.servers import FIELDGUIDE, environment
from tests.shop_projects import shop_in

NOT_RUN = {"text", "mermaid", "diff"}
ANY_LINES = "..."
SUBCOMMANDS = {"uv": {"tool", "pip", "sync"}, "pip": {"install"}, "git": {"clone"}, "claude": {"mcp"}}
TARGETS = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


def is_run(path: Path) -> bool:
    name = path.relative_to(ROOT).as_posix()
    is_example = name.startswith("examples/") and path.name == "README.md"
    return (
        name in ("README.md", "CONTRIBUTING.md")
        or is_example
        or (name.startswith("docs/") and not name.startswith("docs/decisions/"))
    )


PAGES = [path for path in all_pages() if is_run(path)]
BLOCKS = [block for path in PAGES for block in blocks_of(path, path.read_text(encoding="utf-8"))]


def blocks_in(*languages: str) -> pytest.MarkDecorator:
    chosen = [block for block in BLOCKS if block.language in languages]
    return pytest.mark.parametrize("block", chosen, ids=lambda block: block.place)


@pytest.fixture(scope="module")
def scaffold(tmp_path_factory) -> Path:
    """A folder in which `fieldguide init directive` has been run."""
    folder: Path = tmp_path_factory.mktemp("scaffold")
    subprocess.run([FIELDGUIDE, "init", "directive"], cwd=folder, check=True, capture_output=True, timeout=60)
    return folder


@pytest.fixture
def folder(scaffold, tmp_path) -> Path:
    """A copy of it for one page or block."""
    copy: Path = tmp_path / "project"
    shutil.copytree(scaffold, copy)
    return copy


def check_console(block: Block, folder: Path) -> None:
    """Run the commands of a block in a project, and compare what each prints.

    `console empty` wants no directive/, `console shop` a
    repository of somebody else's, `console flask` the sources of that release of Flask.
    """
    if "flask" in block.info.split():
        shutil.rmtree(folder)
        unpack_flask(folder)
    if "shop" in block.info.split():
        shutil.rmtree(folder / "directive")
        folder = shop_in(folder.rename(folder.parent / "shop")).root
    if "empty" in block.info.split():
        shutil.rmtree(folder / "directive")
    site = folder.parent / "site"
    site.mkdir()
    for command, expected in commands_of(block.text):
        words = shlex.split(command)
        if words[0] == "fieldguide":
            assert_same_lines(command, expected, printed_by(words[1:], folder, site))
        else:
            check_shell_line(command)
            assert expected == [], f"`{command}` is not run here, so its output can't be shown"


def commands_of(text: str) -> list[tuple[str, list[str]]]:
    """Each `$ command` with the lines below it."""
    found: list[tuple[str, list[str]]] = []
    for line in text.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        else:
            assert found, "a console block begins with a line `$ command`"
            found[-1][1].append(line)
    return found


def printed_by(words: list[str], folder: Path, site: Path) -> list[str]:
    done = subprocess.run(
        [FIELDGUIDE, *words],
        cwd=folder,
        env={**environment(), "PYTHONPATH": str(site), "XDG_CONFIG_HOME": str(site), "COLUMNS": "100"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=60,
        check=False,
    )
    return done.stdout.splitlines()


def assert_same_lines(command: str, expected: list[str], actual: list[str]) -> None:
    pattern = "".join(r"(?:.*\n)*" if line == ANY_LINES else re.escape(line) + r"\n" for line in expected)
    printed = "".join(f"{line}\n" for line in actual)
    assert re.fullmatch(pattern, printed), f"`{command}` prints:\n{printed}"


def check_shell_line(line: str) -> None:
    """Refuse a line whose command, target, sub-command or flags do not exist."""
    words = shlex.split(line, comments=True)
    if not words:
        return
    if words[0] == "make":
        assert set(words[1:]) <= TARGETS, f"`{line}`: the Makefile has no such target"
    elif words[0] == "fieldguide":
        check_flags(line, words[1:])
    else:
        assert words[0] in SUBCOMMANDS, f"`{line}`: only {', '.join(SUBCOMMANDS)}, make and fieldguide are known"
        assert words[1] in SUBCOMMANDS[words[0]], f"`{line}`: {words[0]} {words[1]} is not known"
        if "--" in words:
            check_shell_line(shlex.join(words[words.index("--") + 1 :]))


def check_flags(line: str, words: list[str]) -> None:
    named = max((path for path in [(), *command_words()] if tuple(words[: len(path)]) == path), key=len)
    flags = [word.partition("=")[0] for word in words if word.startswith("-") and word != "-"]
    assert named or flags, f"`{line}`: there is no such command"
    missing = [flag for flag in flags if not re.search(rf"(?<![\w-]){flag}(?![\w-])", help_text(*named))]
    assert missing == [], f"`{line}`: there is no such flag"


def check_python(blocks: list[Block]) -> None:
    """Run the blocks of a page as one program, with the line numbers of the page."""
    namespace: dict[str, object] = {"__name__": "a_page"}
    for block in blocks:
        source = "\n" * (block.line - 1) + block.text
        exec(compile(source, block.place, "exec"), namespace)  # noqa: S102  that is what this test is for


def test_every_block_names_a_language_that_is_run_or_known_not_to_run():
    known = {"console", "python", "json", "toml", "yaml", "sh"} | NOT_RUN

    assert [(block.place, block.language) for block in BLOCKS if block.language not in known] == []


@blocks_in("console")
def test_a_command_prints_what_the_page_shows(block, folder):
    check_console(block, folder)


@pytest.mark.parametrize(
    "path",
    sorted({block.path for block in BLOCKS if block.language == "python"}),
    ids=lambda path: path.relative_to(ROOT).as_posix(),
)
def test_the_python_of_a_page_runs(path, folder, monkeypatch):
    monkeypatch.chdir(folder)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder))

    check_python([block for block in BLOCKS if block.path == path and block.language == "python"])


@blocks_in("json")
def test_json_can_be_read(block):
    json.loads(block.text)


@blocks_in("toml")
def test_toml_can_be_read(block):
    tomllib.loads(block.text)


@blocks_in("yaml")
def test_a_yaml_block_is_yaml(block):
    assert isinstance(yaml.safe_load(block.text), dict)


@blocks_in("sh")
def test_a_command_line_is_one_that_exists(block):
    for line in block.text.splitlines():
        check_shell_line(line)


@pytest.mark.parametrize("text", [
    "$ fieldguide --version\nfieldguide 99\n", "$ fieldguide --version\n",
    "$ fieldguide call --toolsets directive\n...\nno such line\n", "$ make dance\n", "$ make test\nall is well\n",
    "fieldguide --version\n", "$ curl https://example.org\n",
])  # fmt: skip
def test_a_console_block_that_is_wrong_is_found(text, folder):
    with pytest.raises(AssertionError):
        check_console(Block(ROOT / "README.md", 1, "console", text), folder)


@pytest.mark.parametrize(
    "line",
    ["rm -rf .", "make dance", "uv dance", "fieldguide dance", "fieldguide serve --dance", "fieldguide serve --json",
     "fieldguide init directive --bundle spec --dance", "claude mcp add x -- fieldguide serve --dance"],
)  # fmt: skip
def test_a_command_line_that_does_not_exist_is_found(line):
    with pytest.raises(AssertionError):
        check_shell_line(line)


def test_the_pages_that_are_run_are_the_ones_that_people_read():
    names = {path.relative_to(ROOT).as_posix() for path in PAGES}

    assert {"README.md", "docs/start/first-steps.md"} <= names
    assert not [name for name in names if name.startswith("docs/decisions/")]
