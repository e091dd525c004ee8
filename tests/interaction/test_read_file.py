"""`read_file`: a file as it is, what it imports, and what nobody may read."""

import json
import os

import pytest

from tests.cited import cited_whole
from tests.context_wires import (
    AUTH_SERVICE,
    TOKEN_MANAGER,
    USER_REPOSITORY,
    ask_by_command,
    ask_over_stdio,
    refusal,
    write_code,
)
from tests.proves import proves

SERVICE = "src/server/auth/AuthService.ts"
DENIED = {"error": "Permission denied", "details": "Access to sensitive paths denied", "tool": "read_file"}


@pytest.fixture(scope="module")
def ask(code_wires):
    """Over stdio: what a file answers does not depend on the wire."""
    return code_wires["stdio"]


@pytest.fixture
def own(project):
    with ask_over_stdio(project) as ask:
        yield ask


@proves("S3-4", "S3-27", "S3-28", "S3-30", "S3-32", "D-23", "S3-72")
def test_a_file_is_told_as_it_is(ask, code_project):
    os.utime(code_project.root / SERVICE, (0, 1736931600))

    told = ask("read_file", path=SERVICE)

    assert told.value == {
        "file": {
            "path": SERVICE,
            "content": AUTH_SERVICE,
            "size": 414,
            "lines": 14,
            "language": "typescript",
            "citation": cited_whole(SERVICE, AUTH_SERVICE),
        },
        "dependencies": [],
        "metadata": {"module": "auth", "role": "core", "lastModified": "2025-01-15T09:00:00Z"},
    }
    assert told.texts == [json.dumps(told.value, indent=2, ensure_ascii=False)]


@proves("S3-29", "S3-31", "D-23", "S3-25", "S3-26")
def test_what_a_file_imports_is_told_with_its_content(ask):
    value = ask("read_file", path=SERVICE, includeDeps=True, maxDepth=1).value

    assert value["dependencies"] == [
        {"path": path, "type": "import", "level": 1, "citation": cited_whole(path, text), "content": text}
        for path, text in (
            ("src/server/auth/TokenManager.ts", TOKEN_MANAGER),
            ("src/server/users/UserRepository.ts", USER_REPOSITORY),
        )
    ]
    assert value["external"] == ["jsonwebtoken"]
    assert ask("read_file", path=SERVICE, includeDeps=True).value == value


@proves("D-23", "S3-26", "S3-30")
def test_depth_nought_and_no_dependencies_are_the_same(ask):
    assert ask("read_file", path=SERVICE, includeDeps=True, maxDepth=0).value["dependencies"] == []
    assert ask("read_file", path=SERVICE, includeDeps=False, maxDepth=1).value["dependencies"] == []


@proves("S3-33", "S3-5", "S3-7")
def test_a_file_that_is_not_there_is_told(ask):
    told = ask("read_file", path="invalid/path.ts")

    assert refusal(told) == {"error": "File not found", "path": "invalid/path.ts", "tool": "read_file"}
    assert told.structured is None


@proves("S3-34")
def test_a_file_whose_imports_cannot_be_read_is_told_with_its_line(own, project):
    project.write("broken.py", "import a\n\nfrom b import (c, d\n\nx = 1\n")

    told = own("read_file", path="broken.py", includeDeps=True)

    assert refusal(told) == {
        "error": "Failed to parse imports",
        "path": "broken.py",
        "details": "Syntax error at line 3",
        "tool": "read_file",
    }
    assert own("read_file", path="broken.py").value["file"]["lines"] == 5


@proves("S3-35", "S3-38", "S3-58", "D-24")
@pytest.mark.parametrize(
    "path",
    [
        ".env", ".env.local", "packages/a/.env.production", "./.env", ".ENV", ".git/config", ".git",
        "node_modules/left-pad/index.js", "packages/b/node_modules/x/index.js", "src//.git/HEAD",
    ],
)  # fmt: skip
def test_secrets_are_refused_whether_they_are_there_or_not(ask, path):
    assert refusal(ask("read_file", path=path)) == {**DENIED, "path": path}


@proves("S3-58", "D-24")
@pytest.mark.parametrize("path", [".gitignore", ".github/workflows/ci.yml"])
def test_what_only_begins_like_a_secret_is_readable(ask, code_project, path):
    assert ask("read_file", path=path).value["file"]["content"] == (code_project.root / path).read_text("utf-8")


@proves("S3-56", "S3-57", "S3-59", "S3-60", "S3-72")
@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("/etc/passwd", "Absolute paths not allowed"),
        ("/../.env", "Absolute paths not allowed"),
        ("../../../etc/passwd", "Path traversal not allowed"),
        ("src/../src/index.ts", "Path traversal not allowed"),
        ("../.env", "Path traversal not allowed"),
        ("..", "Path traversal not allowed"),
    ],
)
def test_paths_that_leave_are_refused_before_anything_else_is_looked_at(ask, path, error):
    assert refusal(ask("read_file", path=path)) == {"error": error, "path": path, "tool": "read_file"}


@proves("D-24", "S3-57")
def test_links_are_followed_inside_the_project_only(own, project, tmp_path):
    (tmp_path / "outside.txt").write_text("not yours", encoding="utf-8")
    project.write("real/a.txt", "inside\n")
    project.write(".env", "SECRET=1\n")
    for name, target in (
        ("inside.txt", "real/a.txt"),
        ("folder", "real"),
        ("absolute.txt", str(project.root / "real" / "a.txt")),
        ("leaving.txt", "../outside.txt"),
        ("away", str(tmp_path)),
        ("secret.txt", ".env"),
        ("loop", "loop"),
    ):
        (project.root / name).symlink_to(target)

    assert own("read_file", path="inside.txt").value["file"]["content"] == "inside\n"
    assert own("read_file", path="folder/a.txt").value["file"]["path"] == "folder/a.txt"
    assert own("read_file", path="absolute.txt").value["file"]["content"] == "inside\n"
    for path in ("leaving.txt", "away/outside.txt"):
        assert refusal(own("read_file", path=path))["error"] == "Path traversal not allowed"
    assert refusal(own("read_file", path="secret.txt"))["error"] == "Permission denied"
    assert own("read_file", path="loop").is_error


@proves("S3-39", "D-25")
def test_a_file_may_have_a_mebibyte_and_not_a_byte_more(own, project):
    project.write("fits.txt", b"x" * 1_048_576)
    project.write("large.txt", b"x" * 1_048_577)

    told = own("read_file", path="large.txt")

    assert own("read_file", path="fits.txt").value["file"]["size"] == 1_048_576
    assert refusal(told) == {
        "error": "File too large",
        "path": "large.txt",
        "details": "The limit is 1048576 bytes; cite some of its lines, such as large.txt#L1-L200",
        "tool": "read_file",
    }


def test_what_is_no_file_is_refused_and_nothing_hangs(own, project):
    os.mkfifo(project.root / "pipe")
    (project.root / "folder").mkdir()
    (project.root / "device").symlink_to("/dev/zero")

    assert refusal(own("read_file", path="pipe"))["error"] == "Not a readable file"
    assert refusal(own("read_file", path="folder"))["error"] == "Not a readable file"
    assert refusal(own("read_file", path="device"))["error"] == "Path traversal not allowed"


@proves("S3-28")
def test_texts_come_back_to_the_last_character(own, project):
    for name, content, lines, language in (
        ("empty.py", "", 0, "python"),
        ("windows.go", "package a\r\n\r\nfunc B() {}\r\n", 3, "go"),
        ("unended.rs", "fn a() {}\nfn b() {}", 2, "rust"),
        ("emoji 🦊 \n-name.txt", "über\u2028fox 🦊\n", 1, "text"),
        ("--version", "not an option", 1, "text"),
        ("nul.bin", "a\0b", 1, "text"),
    ):
        project.write(name, content)
        file = own("read_file", path=name).value["file"]
        size = len(content.encode())
        assert file.pop("citation") == cited_whole(name, content)
        assert file == {"path": name, "content": content, "size": size, "lines": lines, "language": language}


def test_bytes_that_are_no_text_are_told_with_their_place(own, project):
    project.write("latin.txt", b"caf\xe9\n")

    assert refusal(own("read_file", path="latin.txt")) == {
        "error": "Not a text file",
        "path": "latin.txt",
        "details": "Not UTF-8 text: byte 3 can't be decoded",
        "tool": "read_file",
    }


def test_hidden_characters_are_told(own, project):
    project.write("a.py", "x = 1  # \u202egnihton\n")

    value = own("read_file", path="a.py").value

    assert "\u202e" in value["file"]["content"]
    assert len(value["warnings"]) == 1


@proves("S3-32")
@pytest.mark.parametrize(
    ("path", "module", "role"),
    [
        ("src/index.ts", "auth", "entry"),
        ("src/server/auth/TokenManager.ts", "auth", None),
        ("src/server/users/UserRepository.ts", "users", "core"),
        (".gitignore", None, None),
    ],
)
def test_module_and_role_come_from_the_projects_model(ask, path, module, role):
    metadata = ask("read_file", path=path).value["metadata"]

    assert (metadata["module"], metadata["role"]) == (module, role)
    assert metadata["lastModified"].endswith("Z")


def test_a_broken_model_does_not_keep_a_file_from_its_reader(project):
    write_code(project)
    project.write(".context/project.yaml", "modules: [\n")

    assert ask_by_command(project)("read_file", path=SERVICE).value["metadata"]["module"] is None


@proves("D-21")
def test_an_argument_that_nobody_knows_is_ignored(ask):
    assert ask("read_file", path="src/index.ts", encoding="utf-16").value["file"]["language"] == "typescript"
