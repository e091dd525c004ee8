"""Whether a document named a thing when it was removed: what was written after that means something else."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

from fieldguide.drift.confidence import HINT
from fieldguide.drift.judging import ALARM, Drift
from fieldguide.drift.named.past import is_past_place
from fieldguide.drift.taken.removed_paths import RemovedPath
from fieldguide.errors import Unreadable
from fieldguide.project_history.git_program import GitProgram

MOST_ASKED = 500
MOST_SEARCHES = 40
MOST_NAMES = 4  # that a document had
LARGEST_BYTES = 4 << 20
TEXTS = ("*.md", "*.mdx", "*.rst", "*.adoc", "*.asciidoc", "*.txt", "*.html", "*.[1-9]", "README*")


def confirmed(git: GitProgram, drifts: Sequence[Drift], removed: Mapping[str, RemovedPath]) -> Iterator[Drift]:
    """The same; those that no document named as of the commit are hints only."""
    asked = [each for each in drifts if each.confidence >= ALARM][:MOST_ASKED]
    told = _named_before(git, asked, _former_names(removed))
    searched: dict[tuple[str, str], bool] = {}
    for each in drifts:
        if each.confidence < ALARM:
            yield each
            continue
        is_told = each in told or _named_anywhere(git, each, searched)
        yield each if is_told else each._replace(confidence=HINT, reason="it was written after the removal")


def _former_names(removed: Mapping[str, RemovedPath]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for old, each in removed.items():
        if each.renamed:
            found.setdefault(each.renamed, []).append(old)
    return found


def _named_before(git: GitProgram, drifts: Sequence[Drift], former: Mapping[str, list[str]]) -> set[Drift]:
    """Those whose document, under its name or one that it had, named the thing as of the commit."""
    places: list[tuple[str, Drift]] = []
    for each in drifts:
        names = [each.document, *former.get(each.document, [])]
        names += [older for name in names[1:] for older in former.get(name, [])]
        places += [(f"{each.commit.id}:./{name}", each) for name in names[:MOST_NAMES] if "\n" not in name]
    contents = _contents(git, dict.fromkeys(place for place, _ in places))
    return {each for place, each in places if _word(each) in contents.get(place, b"")}


def _word(drift: Drift) -> bytes:
    """What a document has to hold to have named it."""
    return drift.name.encode() if drift.kind == "path" else drift.gone.rpartition("/")[2].partition(".")[0].encode()


def _contents(git: GitProgram, places: Iterable[str]) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    with suppress(Unreadable), git.started("cat-file", "--batch") as running:
        asked, answers = running.process.stdin, running.process.stdout
        if asked is None or answers is None:
            return found
        for place in places:
            try:
                asked.write(f"{place}\n".encode())
                asked.flush()
            except BrokenPipeError:
                break
            words = answers.readline().split()
            if len(words) == 3 and words[2].isdigit():
                content = answers.read(int(words[2]) + 1)
                found[place] = content if len(content) < LARGEST_BYTES and words[1] == b"blob" else b""
    return found


def _named_anywhere(git: GitProgram, drift: Drift, searched: dict[tuple[str, str], bool]) -> bool:
    """Whether any document had the name as of the commit: texts are split and joined."""
    key = (drift.commit.id, _word(drift).decode(errors="replace"))
    if key not in searched and len(searched) < MOST_SEARCHES:
        searched[key] = False
        with suppress(Unreadable):
            asked = ("grep", "-l", "-I", "-w", "-F", "--max-count=1", "-e", key[1], key[0], "--", *TEXTS)
            listed = git.ask(*asked).decode(errors="replace").splitlines()
            searched[key] = any(not is_past_place(each.partition(":")[2]) for each in listed)
    return searched.get(key, False)
