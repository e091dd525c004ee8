"""`fieldguide stale`: what no longer holds, from a terminal and in CI."""

import json

import pytest

from fieldguide.storage.state_folder import find_expected_folder
from tests.servers import run
from tests.staleness.cited_projects import citation, note, replaced


@pytest.fixture
def stale(garden):
    """The command in the project, with the exit code that is expected."""

    def stale(*words, code=0, stdin=""):
        return run("stale", *words, "--project", garden.root, code=code, stdin=stdin)

    return stale


def rows(garden, *starts):
    head = garden.git("rev-parse", "HEAD")
    found = [note(garden, start, start + 2, commit=head) for start in starts]
    return [
        {"id": str(each.start), "path": each.path, "start": each.start, "end": each.end, "sha256": each.hash,
         "commit": each.commit, "repo": "garden", "lines": 3}
        for each in found
    ]  # fmt: skip


@pytest.mark.parametrize("form", ["object", "list", "lines"])
def test_notes_are_judged_in_every_form_that_they_are_given_in(garden, tmp_path, form):
    notes = rows(garden, 1, 6, 11)
    texts = {
        "object": json.dumps({"project": str(garden.root), "commit": "x", "notes": notes}),
        "list": json.dumps(notes),
        "lines": "".join(f"{json.dumps(each)}\n" for each in notes),
    }
    given = tmp_path / "notes.json"
    given.write_text(texts[form], encoding="utf-8")
    replaced(garden, "    two_total = value + 1\n", "    two_total = value * 20\n")
    replaced(garden, "def three", "# Above.\ndef three")
    commit = garden.commit_all("Change it")

    if form == "object":  # names its project itself, as the plain form with no other flag
        done = run("stale", "--notes", "-", "--json", code=1, stdin=texts[form])
    else:
        done = run("stale", "--notes", given, "--json", "--project", garden.root, code=1)

    assert json.loads(done.stdout) == {
        "1": {"status": "fresh", "path": "src/a.py", "start": 1, "end": 3},
        "6": {"status": "changed", "path": "src/a.py", "start": 6, "end": 8, "commit": commit,
              "difference": "-two_total = value + 1 +two_total = value * 20"},
        "11": {"status": "moved", "path": "src/a.py", "start": 12, "end": 14, "commit": commit},
    }  # fmt: skip


def test_what_is_kept_between_two_runs_may_be_torn(garden, stale, tmp_path):
    notes = json.dumps(rows(garden, 1, 21))
    stale("--notes", "-", stdin=notes)
    kept = f"{find_expected_folder(str(garden.root))}/stale-notes.json"
    replaced(garden, "def five", "# Above.\ndef five")
    for torn in (b"", b"{", b'{"version":1,"notes":{"a":3}}', json.dumps({"version": 1, "notes": 7}).encode()):
        with open(kept, "wb") as file:
            file.write(torn)

        done = stale("--notes", "-", "--json", stdin=notes, code=1)

        assert [each["status"] for each in json.loads(done.stdout).values()] == ["fresh", "moved"]


@pytest.mark.parametrize(
    ("words", "stdin", "sentence"),
    [
        (("--notes", "-"), "no json", "The notes can't be read"),
        (("--notes", "-"), '[{"path": "a.py"}]', "Note 0 has no lines"),
        (("--notes", "-"), '[{"path": "a.py", "start": 1, "end": 2, "sha256": "xyz"}]', "that is none"),
        (("--notes", "-"), '[{"path": "a.py", "start": 1, "commit": "--upload-pack=x"}]', "that is no id"),
        (("--notes", "not-there.json"), "", "The notes can't be read"),
        (("--notes", "-", "src"), "[]", "either paths or --notes"),
        (("not-there.md",), "", "There is no file or folder"),
        (("/",), "", "is outside of the project"),
        (("--bogus",), "", "unrecognized arguments"),
    ],
)
def test_a_wrong_way_to_ask_is_told(stale, words, stdin, sentence):
    done = stale(*words, stdin=stdin, code=2)

    assert sentence in done.stderr


def test_documents_are_looked_at_one_by_one_or_all_together(garden, stale):
    garden.write("docs/a.md", f"# A\n\nIt is {citation(garden, 1, 3)}.\n")
    two = citation(garden, 6, 8)
    garden.write("docs/b.md", f"# B\n\nSee `{two}` and src/a.py:11-13.\n")
    garden.commit_all("Describe it")
    assert stale().stderr.startswith("Nothing is out of date. Looked at: what documents and findings cite")

    replaced(garden, "    two_total = value + 1\n", "    two_total = value * 20\n")
    commit = garden.commit_all("Change it")
    replaced(garden, "def three", "# Above.\ndef three")
    done = stale(code=1)

    assert done.stdout.splitlines() == [
        f"docs/b.md:3: `{two}` has changed in {commit[:10]}, now src/a.py#L6-L8; "
        "-two_total = value + 1 +two_total = value * 20",
        "docs/b.md:3: `src/a.py:11-13` has moved, now src/a.py#L12-L14",
    ]
    stale(garden.root / "docs/a.md")
    assert stale(garden.root / "docs", code=1).stdout == done.stdout
    assert stale("--since", "HEAD~1", code=1).stdout == done.stdout
    assert stale("--since", "HEAD", code=1).stdout.splitlines() == done.stdout.splitlines()[1:]
    assert "no commit, tag or branch" in stale("--since", "nowhere", code=2).stderr


def test_names_that_are_no_text_or_play_with_a_terminal_are_shown_and_harm_nothing(garden, stale):
    evil = "src/a\x1b]0;x\x07\x7f\u202e.py"
    garden.write(evil, "x = 1\ny = 2\n")
    garden.write("docs/a.md", f"# A\n\n{citation(garden, 1, 3)}\n")
    (garden.root / "docs").mkdir(exist_ok=True)
    with open(f"{garden.root}/docs/".encode() + b"odd\xff.md", "w", encoding="utf-8") as file:
        file.write(f"# Odd\n\n{citation(garden, 1, 3)}\n")
    replaced(garden, "def one", "# Above.\ndef one")
    given = {"id": evil, "path": evil, "start": 1, "end": 2, "sha256": "0" * 64}

    done = stale("--notes", "-", "--json", stdin=json.dumps([given]), code=1)

    assert json.loads(done.stdout)[evil]["status"] == "changed"
    assert done.stdout.strip().isprintable()
    assert done.stdout.isascii()
    assert stale("--notes", "-", stdin=json.dumps([given]), code=1).stdout.strip().isprintable()
    assert [line.partition(":")[0] for line in stale(code=1).stdout.splitlines()] == ["docs/a.md"]
