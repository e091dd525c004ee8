"""`grep_codebase`: the lines that match, and the files that are never searched."""

import json

import pytest

from tests.cited import cited_lines
from tests.context_wires import AUTH_SERVICE, ask_over_stdio, refusal, timeless, write_code
from tests.proves import proves
from tests.raw_client import RawClient

SERVICE = "src/server/auth/AuthService.ts"


@pytest.fixture(scope="module")
def ask(code_wires):
    """Over stdio: what is found does not depend on the wire."""
    return code_wires["stdio"]


@pytest.fixture
def own(project):
    with ask_over_stdio(project) as ask:
        yield ask


def files(told):
    return [match["file"] for match in told.value["matches"]]


@proves("S3-45", "S3-46", "S3-47", "D-26", "S3-4")
def test_every_wire_tells_a_match_with_two_lines_around_it(code_wire):
    told = code_wire("grep_codebase", pattern=r"jwt\.sign")

    assert timeless(told.value) == {
        "matches": [
            {
                "file": SERVICE,
                "line": 11,
                "column": 19,
                "text": "    const token = jwt.sign(payload, SECRET);",
                "context": {
                    "before": ["  // Generate JWT token", "  generateToken(payload) {"],
                    "after": ["    return token;", "  }"],
                },
                "citation": cited_lines(SERVICE, AUTH_SERVICE, 11, 11),
            }
        ],
        "pattern": r"jwt\.sign",
        "totalMatches": 1,
        "filesSearched": 6,
    }
    assert told.texts == [json.dumps(told.value, indent=2, ensure_ascii=False)]


@proves("S3-52", "D-27", "S3-72")
def test_nothing_found_is_an_answer_and_no_error(ask):
    told = ask("grep_codebase", pattern="xyznonexistent123")

    assert not told.is_error
    assert timeless(told.value) == {
        "matches": [],
        "totalMatches": 0,
        "message": "No matches found for pattern 'xyznonexistent123'",
        "pattern": "xyznonexistent123",
        "filesSearched": 6,
    }


@proves("S3-51", "S3-5")
@pytest.mark.parametrize("pattern", ["[invalid(", "*", "(?P<a", "a{2,1}", "\n", "\0", "(?=a)"])
def test_a_pattern_that_cannot_be_read_is_told(ask, pattern):
    assert refusal(ask("grep_codebase", pattern=pattern)) == {
        "error": "Invalid regex pattern",
        "pattern": pattern,
        "tool": "grep_codebase",
    }


@proves("S3-72", "S3-48", "S3-44")
def test_at_most_as_many_matches_as_are_wanted(own, project):
    for number in range(30):
        project.write(f"src/{number:02}.ts", "function a() {}\n" * 5)

    ten = own("grep_codebase", pattern="function", limit=10).value
    usual = own("grep_codebase", pattern="function").value
    many = own("grep_codebase", pattern="function", limit=100).value

    assert (len(ten["matches"]), len(usual["matches"]), len(many["matches"])) == (10, 50, 100)
    assert ten["limitReached"] is True
    assert ten["totalMatches"] == 100
    assert usual["totalMatches"] == many["totalMatches"] == 150
    assert "limitReached" not in usual
    assert [match["file"] for match in usual["matches"]] == [f"src/{n // 5:02}.ts" for n in range(50)]
    assert usual["filesSearched"] == 30


@proves("S3-49", "S3-42")
@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("src/server/**/*.ts", [SERVICE]),
        ("**/*.ts", [SERVICE, "src/index.ts"]),
        ("*.ts", [SERVICE, "src/index.ts"]),
        ("**/index.*", ["src/index.ts"]),
        ("src/*", ["src/index.ts"]),
        ("src/**", [SERVICE, "src/index.ts"]),
        ("**/{index,main}.ts", ["src/index.ts"]),
        ("./src/*.ts", ["src/index.ts"]),
        ("!**/index.ts", [SERVICE]),
        ("*.py", []),
        ("", [SERVICE, "src/index.ts"]),
    ],
)
def test_a_file_pattern_says_where_to_look(ask, pattern, found):
    told = ask("grep_codebase", pattern="AuthService", filePattern=pattern)

    assert sorted(set(files(told))) == sorted(found)


@proves("S3-50", "S3-43")
def test_case_matters_only_when_it_is_said_so(ask):
    assert files(ask("grep_codebase", pattern="CLASS TOKENMANAGER", filePattern="*.ts")) == [
        "src/server/auth/TokenManager.ts"
    ]
    assert files(ask("grep_codebase", pattern="CLASS TOKENMANAGER", caseSensitive=True)) == []


@proves("S3-53", "S3-54", "S3-38")
@pytest.mark.parametrize(
    "pattern",
    [
        None, ".env", "**/.env*", "node_modules/**", "**/node_modules/**", "dist/**", "**/*", "**", "!src/**",
        "!nothing", ".git/config", "*.secret", "logs/*", "include:dist", "../**", "/**",
    ],
)  # fmt: skip
def test_no_glob_brings_back_what_is_ignored_excluded_or_secret(ask, pattern):
    wanted = {} if pattern is None else {"filePattern": pattern}

    assert ask("grep_codebase", pattern="hiddenword", **wanted).value["matches"] == []


def test_what_looks_like_an_option_is_a_pattern_or_a_glob(own, project):
    options = ["--pre=cat", "-f/etc/passwd", "--files", "-uuu", "--help", "--no-ignore"]
    project.write(".gitignore", "ignored.txt\n")
    for name in ("ignored.txt", "notes.txt"):
        project.write(name, "".join(f"before {option} after\n" for option in options))

    for line, option in enumerate(options, 1):
        [match] = own("grep_codebase", pattern=option).value["matches"]
        assert (match["file"], match["line"], match["column"]) == ("notes.txt", line, 8)
        assert own("grep_codebase", pattern="before", filePattern=option).value["matches"] == []


GLOBS = [
    ("src/{a/one,b/two}.ts", ["src/a/one.ts", "src/b/two.ts"]),
    ("{src,{lib,app}}/**", ["lib/x:y.ts", "src/a/one.ts", "src/b/two.ts"]),
    ("x:y.ts", ["lib/x:y.ts"]),
    ("*.{ts,tsx}", ["lib/x:y.ts", "src/a/one.ts", "src/b/two.ts"]),
    ("[ot]*.ts", ["src/a/one.ts", "src/b/two.ts"]),
    ("[!o]*.ts", ["lib/x:y.ts", "src/b/two.ts"]),
    ("[", []),
    ("**/a{", []),
    ("a\\", []),
    ("[z-a]", []),
]


def test_what_ripgrep_would_not_take_as_a_glob_is_matched_all_the_same(own, project):
    for path in ("src/a/one.ts", "src/b/two.ts", "lib/x:y.ts", "other.md"):
        project.write(path, "needle\n")

    for pattern, found in GLOBS:
        told = own("grep_codebase", pattern="needle", filePattern=pattern)
        assert files(told) == found, pattern
        assert told.value["filesSearched"] == len(found)


def test_a_file_pattern_that_no_name_can_fit_is_refused(own):
    told = own("grep_codebase", pattern="needle", filePattern="a\0b")

    assert refusal(told) == {"error": "Invalid file pattern", "filePattern": "a\0b", "tool": "grep_codebase"}


def test_strange_names_and_contents_are_told_as_they_are(own, project):
    project.write("a name\nwith a line.txt", "needle one\n")
    project.write("-dash.txt", "needle two\n")
    project.write("windows.txt", "needle three\r\nnext\r\n")
    project.write("latin.txt", b"caf\xe9 needle\n")
    project.write("binary.bin", b"\0\1needle\n")
    project.write("wide.txt", "é🦊 needle\n")
    project.write("unended.txt", "needle")

    found = {match["file"]: match for match in own("grep_codebase", pattern="needle").value["matches"]}

    assert set(found) == {
        "a name\nwith a line.txt", "-dash.txt", "windows.txt", "latin.txt", "wide.txt", "unended.txt"
    }  # fmt: skip
    assert found["windows.txt"]["text"] == "needle three"
    assert found["windows.txt"]["context"]["after"] == ["next"]
    assert (found["wide.txt"]["column"], found["wide.txt"]["text"]) == (4, "é🦊 needle")
    assert (found["latin.txt"]["column"], found["latin.txt"]["text"]) == (6, "caf\ufffd needle")
    assert found["unended.txt"]["context"] == {"before": [], "after": []}


def test_of_a_line_that_nobody_reads_the_part_around_the_match_is_told(own, project):
    project.write("min.js", "x" * 50_000 + "needle" + "y" * 50_000 + "\n")

    [match] = own("grep_codebase", pattern="needle").value["matches"]

    assert match["column"] == 50_001
    assert len(match["text"]) == 1000
    assert match["text"][match["column"] - match["cutFrom"] :].startswith("needle")


@proves("D-26", "S3-46")
def test_every_match_has_its_own_two_lines_on_both_sides(own, project):
    lines = [f"line {number}" for number in range(1, 31)]
    for number in (1, 5, 6, 8, 12, 20, 29):
        lines[number - 1] = f"needle {number}"
    project.write("near.txt", "\n".join(lines) + "\n")

    matches = own("grep_codebase", pattern="needle").value["matches"]

    assert [match["line"] for match in matches] == [1, 5, 6, 8, 12, 20, 29]
    for match in matches:
        before, after = lines[max(match["line"] - 3, 0) : match["line"] - 1], lines[match["line"] :][:2]
        assert match["context"] == {"before": before, "after": after}


@proves("D-26", "S3-46")
@pytest.mark.parametrize("rest", ["", "x", "x\ny\nz\n", "needle\nneedle\n"])
def test_the_last_match_before_the_search_stops_has_its_lines_too(own, project, rest):
    project.write("many.txt", "needle\n" * 10 + rest)

    [match] = own("grep_codebase", pattern="needle", limit=1).value["matches"]
    ten = own("grep_codebase", pattern="needle", limit=10, filePattern="many.txt").value["matches"]

    assert match["context"] == {"before": [], "after": ["needle", "needle"]}
    assert ten[9]["context"] == {"before": ["needle", "needle"], "after": rest.splitlines()[:2]}


def test_the_same_bytes_are_sent_once(ask):
    assert ask("grep_codebase", pattern="AuthService").structured is None


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        ("a\nneedle\n", "#L2-L2"),
        ("a\r\nneedle\r\n", "#L2-L2"),
        ("a\rb\nc\rneedle\rd\ne\n", "#L3-L5"),
        ("a\rneedle", "#L1-L2"),
        ("\ufeffa\r\nneedle\r\n".encode("utf-16-le"), "#L2-L2"),
        (b"caf\xe9\nneedle\n", "#L2-L2"),
    ],
)
def test_the_citation_of_a_match_counts_lines_as_editors_do(own, project, content, lines):
    project.write("old.txt", content if isinstance(content, bytes) else content.encode())

    [match] = own("grep_codebase", pattern="needle").value["matches"]
    opened = own("read_file", path=match["citation"]).value["file"]

    assert match["citation"].partition("@")[0] == f"old.txt{lines}"
    assert "needle" in opened["content"]


@proves("S3-55")
def test_a_search_leaves_a_line_in_the_journal_and_no_other_trace(project):
    write_code(project)
    with RawClient(project.root, "--toolsets", "context").ready() as client:
        client.call("grep_codebase", pattern="AuthService")
        _, _, journal = client.leave()

    [line] = [line for line in journal if line["message"] == "Code searched"]
    assert (line["pattern"], line["results"]) == ("AuthService", 3)
    assert not (project.state / "fieldguide.db").exists()
