"""Did you mean: the names that look most like one that there is not."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

MOST_NAMED = 3
MOST_COMPARED = 20_000
ALIKE = 0.7


def did_you_mean(given: str, names: Iterable[str]) -> str:
    """A sentence, with a blank before it, that names what is near; nothing where nothing is."""
    return _sentence(nearest(given, names))


def path_you_mean(given: str, paths: Iterable[str]) -> str:
    """The same for a path: one is near whose own name is; the folders above it are the same for many."""
    by_name: dict[str, list[str]] = {}
    for path in paths:
        by_name.setdefault(path.rpartition("/")[2], []).append(path)
    wanted = given.rpartition("/")[2]
    named = [path for name in [wanted, *nearest(wanted, by_name)] for path in by_name.get(name, ())]
    return _sentence(named[:MOST_NAMED])


def _sentence(found: Sequence[str]) -> str:
    if not found:
        return ""
    quoted = [repr(name) for name in found]
    return f" Did you mean {' or '.join(filter(None, [', '.join(quoted[:-1]), quoted[-1]]))}?"


def nearest(given: str, names: Iterable[str]) -> list[str]:
    """The names that look most like this one, the most alike first; case tells nothing."""
    folded: dict[str, str] = {}
    for name in names:
        if len(folded) >= MOST_COMPARED:
            break
        folded.setdefault(name.casefold(), name)
    close = get_close_matches(given.casefold(), folded, n=MOST_NAMED, cutoff=ALIKE)
    return [folded[name] for name in close if folded[name] != given]
