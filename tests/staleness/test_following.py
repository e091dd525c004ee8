"""Cited lines followed through the history, and judged by what stands there now."""

import shutil

import pytest

from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.knowledge.links.citations import TrackedCitation, read_tracked
from fieldguide.knowledge.links.tracking import track_citations
from fieldguide.text.citation import CHANGED, FRESH, GONE, MOVED
from tests.staleness.cited_projects import functions, judged, note, replaced, states


def all_of(garden):
    """A note of every function, as of the commit that is checked out."""
    head = garden.git("rev-parse", "HEAD")
    return [note(garden, start, start + 2, commit=head) for start in (1, 6, 11, 16, 21)]


def test_each_of_the_four_states_is_told_with_its_place(garden):
    notes = all_of(garden)
    replaced(garden, "    two_total = value + 1\n", "    two_total = value * 20\n")
    replaced(garden, functions("four"), "")
    replaced(garden, "def three", "# A comment above.\ndef three")
    commit = garden.commit_all("Change much")

    one, two, three, four, five = judged(garden.root, *notes)

    assert (one.state, one.path, one.start) == (FRESH, "src/a.py", 1)
    assert (two.state, two.start, two.end, two.commit) == (CHANGED, 6, 8, commit)
    assert two.difference == "-two_total = value + 1 +two_total = value * 20"
    assert (three.state, three.path, three.start, three.end) == (MOVED, "src/a.py", 12, 14)
    assert (four.state, four.path, four.commit) == (GONE, "", commit)
    assert (five.state, five.start) == (MOVED, 17)


def test_a_file_is_followed_by_whatever_name_it_has_and_as_often_as_it_is_renamed(garden):
    notes = all_of(garden)
    garden.git("mv", "src/a.py", "src/b.py")
    garden.commit_all("Rename it")
    replaced(garden, "    one_total = value + 1\n", "    one_total = value\n", path="src/b.py")
    garden.commit_all("Change it")
    (garden.root / "lib").mkdir()
    garden.git("mv", "src/b.py", 'lib/a "quoted" ü.py')
    garden.commit_all("Rename it again")

    one, two, *_ = judged(garden.root, *notes)

    assert (one.state, one.path) == (CHANGED, 'lib/a "quoted" ü.py')
    assert (two.state, two.path, two.start) == (MOVED, 'lib/a "quoted" ü.py', 6)


def test_what_a_merge_brings_counts_as_one_step(garden):
    notes = all_of(garden)
    garden.git("checkout", "--quiet", "-b", "side")
    replaced(garden, "def five", "# Above.\n# It.\ndef five")
    garden.commit_all("On the side")
    replaced(garden, "    two_total = value + 1\n", "    two_total = 2\n")
    garden.commit_all("On the side again")
    garden.git("checkout", "--quiet", "main")
    garden.write("src/other.py", "x = 1\n")
    garden.commit_all("On the main")
    garden.git("merge", "--quiet", "--no-ff", "-m", "Merge", "side")

    _, two, three, _, five = judged(garden.root, *notes)

    assert (two.state, two.commit) == (CHANGED, garden.git("rev-parse", "HEAD"))
    assert three.state == FRESH
    assert (five.state, five.start) == (MOVED, 23)


def test_a_note_of_a_side_branch_is_compared_at_once(garden):
    garden.git("checkout", "--quiet", "-b", "side")
    replaced(garden, "def one", "# Above.\ndef one")
    aside = note(garden, 7, 9, commit=garden.commit_all("On the side"))
    garden.git("checkout", "--quiet", "main")
    garden.commit("Elsewhere", "README.md")

    [found] = judged(garden.root, aside)

    assert (found.state, found.start) == (MOVED, 6)


def test_text_that_moved_to_another_file_is_found_by_what_it_says(garden):
    notes = all_of(garden)
    garden.write("src/b.py", "import a\n\n\n" + functions("two"))
    replaced(garden, functions("two"), "")
    garden.commit_all("Take it out")

    _, two, *_ = judged(garden.root, *notes)

    assert (two.state, two.path, two.start, two.end) == (MOVED, "src/b.py", 4, 6)


def test_what_is_saved_but_not_committed_counts(garden):
    notes = all_of(garden)
    replaced(garden, "    two_total = value + 1\n", "    two_total = value * 20\n")
    replaced(garden, "def four", "# New.\n# Lines.\ndef four")
    replaced(garden, functions("five"), "")
    garden.write("src/new.py", functions("five"))

    one, two, three, four, five = judged(garden.root, *notes)

    assert [each.state for each in (one, two, three, four, five)] == [FRESH, CHANGED, FRESH, MOVED, MOVED]
    assert two.difference == "-two_total = value + 1 +two_total = value * 20"
    assert (four.start, five.path, five.start) == (18, "src/new.py", 1)


def test_a_file_that_was_taken_away_and_comes_back_is_fresh_again(garden):
    notes = all_of(garden)
    content = (garden.root / "src/a.py").read_bytes()
    (garden.root / "src/a.py").unlink()

    assert states(garden.root, *notes) == [GONE] * 5

    garden.commit_all("Take it away")
    assert states(garden.root, *notes) == [GONE] * 5

    garden.write("src/a.py", content)
    assert states(garden.root, *notes) == [FRESH] * 5


@pytest.mark.parametrize("is_converted", [False, True])
def test_ends_of_lines_are_no_change(garden, is_converted):
    if is_converted:  # as git leaves them on Windows
        notes = all_of(garden)
        garden.write("src/a.py", (garden.root / "src/a.py").read_bytes().replace(b"\n", b"\r\n"))
    else:
        garden.write("src/a.py", (garden.root / "src/a.py").read_bytes().replace(b"\n", b"\r\n"))
        garden.commit_all("Ends of Windows")
        notes = all_of(garden)
        garden.write("src/a.py", b"# Above.\r\n" + (garden.root / "src/a.py").read_bytes())

    found = states(garden.root, *notes)

    assert found == [FRESH if is_converted else MOVED] * 5


def test_a_note_without_a_commit_is_found_by_its_hash(garden):
    notes = [note(garden, start, start + 2, digits=8) for start in (1, 6, 21)]
    replaced(garden, "    two_total = value + 1\n", "    two_total = value * 20\n")
    garden.commit_all("Change it")
    replaced(garden, "def one", "# Above.\ndef one")
    garden.commit_all("Move it")

    one, two, five = judged(garden.root, *notes)

    assert (one.state, one.start) == (MOVED, 2)
    assert (two.state, two.start, two.difference[:20]) == (CHANGED, 7, "-two_total = value +")
    assert (five.state, five.start) == (MOVED, 22)


def test_without_git_content_alone_decides_and_says_how_sure_it_is(garden):
    notes = all_of(garden)
    shutil.rmtree(garden.root / ".git")
    replaced(garden, "    two_total = value + 1\n", "    two_total = value * 20\n")
    replaced(garden, "def three", "# Above.\ndef three")
    one, two, three, *_ = judged(garden.root, *notes)

    assert (one.state, one.confidence) == (FRESH, 1.0)
    assert (two.state, two.confidence) == (CHANGED, 0.5)
    assert (three.state, three.start, three.confidence) == (MOVED, 12, 1.0)

    (garden.root / "src/a.py").unlink()
    assert {(each.state, each.confidence) for each in judged(garden.root, *notes)} == {(GONE, 0.5)}


def test_lines_that_were_never_committed_are_known_once_they_were_seen(garden):
    garden.write("src/a.py", functions("one", "new"))
    seen = note(garden, 6, 8)
    folder = ConfinedFolder(str(garden.root))
    first = track_citations(folder, [seen], {})
    assert first.judgements[0].state == FRESH

    replaced(garden, "    new_total = value + 1\n", "    new_total = 3\n")
    kept = {each.note.key: each for each in first.followed}
    [found] = track_citations(folder, [seen], kept).judgements

    assert (found.state, found.start, found.confidence) == (CHANGED, 6, 0.8)


def test_what_was_kept_gives_the_same_answer_at_every_commit_and_on_every_branch(garden):
    notes = all_of(garden)
    folder = ConfinedFolder(str(garden.root))
    kept: dict[str, TrackedCitation] = {}
    steps = [
        ("def two", "# Above.\ndef two"),
        ("    four_total = value + 1\n", ""),
        ("# Above.\n", ""),
        (functions("one"), ""),
        ("def five", "def renamed_five"),
    ]
    commits = [garden.git("rev-parse", "HEAD")]
    for number, (old, new) in enumerate(steps):
        replaced(garden, old, new)
        commits.append(garden.commit_all(f"Step {number}"))

    for commit in [*commits, commits[2], commits[5], commits[0], commits[4]]:
        garden.git("checkout", "--quiet", commit)
        results = track_citations(folder, notes, kept)
        again = [read_tracked(each.note, each.kept()) for each in results.followed]
        kept = {each.note.key: each for each in again if each is not None}

        assert results.judgements == judged(garden.root, *notes), commit


def test_when_nothing_happened_nothing_is_new(garden):
    notes = all_of(garden)
    folder = ConfinedFolder(str(garden.root))
    first = track_citations(folder, notes, {})

    again = track_citations(folder, notes, {each.note.key: each for each in first.followed})

    assert (first.is_new, again.is_new) == (True, False)
    assert again.judgements == first.judgements


def test_a_commit_that_is_not_there_any_more_leaves_likeness(garden):
    notes = all_of(garden)[:2]
    folder = ConfinedFolder(str(garden.root))
    kept = {each.note.key: each for each in track_citations(folder, notes, {}).followed}
    shutil.rmtree(garden.root / ".git")
    garden.git("init", "--quiet", "--initial-branch=main")
    replaced(garden, "def one", "# Above.\ndef one")
    replaced(garden, "    two_total = value + 1\n", "    two_total = value * 20\n")
    garden.commit_all("Begin anew")

    one, two = track_citations(folder, notes, kept).judgements

    assert (one.state, one.start, one.confidence) == (MOVED, 2, 1.0)
    assert (two.state, two.start, two.confidence) == (CHANGED, 7, 0.8)
