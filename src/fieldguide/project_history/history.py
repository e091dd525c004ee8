"""The history of a project as questions are asked of it: what changed with what, how often, how long ago, by whom."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from math import sqrt
from typing import NamedTuple

from fieldguide.project_history.change import Change

HALF_LIFE = 1500.0  # commits: so much older, a commit counts half
PRIOR = 1.0  # as many commits that tell nothing: what happened once is no habit yet
LARGEST_TOGETHER = 60  # files: a larger commit says nothing about which of them belong together


class Changed(NamedTuple):
    """How often a file changed, and how many commits ago the last time was; None for never."""

    times: int
    commits_ago: int | None


class History:
    """Commits that HEAD reaches, newest first, under the names that files have now; nothing changes once it is made.

    `lack` says why there is none; it is empty where commits could be read. `head` is the commit that it is whole for;
    of a shallow clone, which may be given more commits at the same HEAD, none.
    """

    def __init__(self, changes: Sequence[Change] = (), *, head: str = "", lack: str = "") -> None:
        self.changes = changes
        self.head = head
        self.lack = lack

    def together(self, paths: Iterable[str]) -> dict[str, float]:
        """Files that changed with these, and how strongly: from 0 to 1 for each of the given, strongest first.

        A commit counts more the newer and the smaller it is. That a file changes with others as well takes nothing
        away: measured on what changed together later, dividing by its own commits made the order worse.
        """
        given = list(dict.fromkeys(paths))
        total: Counter[str] = Counter()
        for path in given:
            total.update(self._with(path))
        for path in given:
            total.pop(path, None)
        return dict(sorted(total.items(), key=lambda each: (-each[1], each[0])))

    def support(self, path: str, other: str) -> tuple[int, int]:
        """In how many of the commits of a file another changed too, and in how many the file itself did."""
        mine, theirs = self._by_path.get(path, ()), self._by_path.get(other, ())
        return len({*mine} & {*theirs}), len(mine)

    def changed(self, path: str) -> Changed:
        """How often a file changed, and how many commits ago for the last time."""
        places = self._by_path.get(path, ())
        return Changed(len(places), places[0] if places else None)

    def commits_of(self, path: str, limit: int = 10) -> list[Change]:
        """The latest commits that changed a file, newest first."""
        return [self.changes[place] for place in self._by_path.get(path, ())[:limit]]

    def change(self, identity: str) -> Change | None:
        """A commit by the beginning of its id; None where there is none, or several begin so."""
        place = self._places.get(identity)
        found = [each for each in self.changes if each.id.startswith(identity)] if place is None and identity else []
        return self.changes[place] if place is not None else found[0] if len(found) == 1 else None

    def files_of(self, identity: str) -> tuple[str, ...]:
        """The files that a commit changed, under the names that they have now; those that are gone are left out."""
        place = self._places.get(identity)
        return () if place is None else self._present[place]

    def authors_of(self, path: str) -> list[tuple[str, int]]:
        """Who changed a file, or the files in a folder, and how often; most first, of equals who did so last."""
        folder = f"{path}/" if path else ""
        places = self._by_path.get(path) or sorted(
            {place for name, each in self._by_path.items() if name.startswith(folder) for place in each}
        )
        return Counter(self.changes[place].author for place in places).most_common()

    def files(self) -> list[str]:
        """Every file that changed and was not taken away since, the one that changed last first."""
        return list(self._by_path)

    def near(self, path: str) -> dict[str, float]:
        """What changes with the other files of a file's folder: it stands in where the file itself has little past."""
        folder = path.rpartition("/")[0]
        places = {place for each in self._by_folder.get(folder, ()) if each != path for place in self._by_path[each]}
        mine = self._mass.get(path, 0.0)
        weights, total = self._gathered(sorted(places))
        weights.pop(path, None)
        return {other: weight / (total + PRIOR) / (1.0 + mine) for other, weight in weights.items()}

    def activity(self, path: str) -> float:
        """How much a file changes, from 0 to 1 for the one that changes most."""
        return self._mass.get(path, 0.0) / self._most if self._most else 0.0

    def most_active(self, limit: int) -> list[str]:
        """The files that change most, those first that do so most."""
        return self._active[:limit]

    def _with(self, path: str) -> dict[str, float]:
        weights, total = self._gathered(self._by_path.get(path, ()))
        weights.pop(path, None)
        return {other: weight / (total + PRIOR) for other, weight in weights.items()}

    def _gathered(self, places: Sequence[int]) -> tuple[dict[str, float], float]:
        """What changed in some commits, and how much, and the weight of them all."""
        weights: dict[str, float] = {}
        for place in places:
            weight = self._weights[place]
            for other in self._present[place] if weight else ():
                weights[other] = weights.get(other, 0.0) + weight
        return weights, sum(self._weights[place] for place in places)

    @cached_property
    def _places(self) -> Mapping[str, int]:
        return {change.id: place for place, change in enumerate(self.changes)}

    @cached_property
    def _weights(self) -> list[float]:
        return [_weight(place, len(files)) for place, files in enumerate(self._present)]

    @cached_property
    def _mass(self) -> Mapping[str, float]:
        mass: dict[str, float] = {}
        for place, files in enumerate(self._present):
            for path in files:
                mass[path] = mass.get(path, 0.0) + self._weights[place]
        return mass

    @cached_property
    def _most(self) -> float:
        return max(self._mass.values(), default=0.0)

    @cached_property
    def _active(self) -> list[str]:
        return sorted(self._mass, key=lambda path: (-self._mass[path], path))

    @cached_property
    def _by_folder(self) -> Mapping[str, Sequence[str]]:
        found: dict[str, list[str]] = {}
        for path in self._by_path:
            found.setdefault(path.rpartition("/")[0], []).append(path)
        return found

    @cached_property
    def _by_path(self) -> Mapping[str, Sequence[int]]:
        found: dict[str, list[int]] = {}
        for place, files in enumerate(self._present):
            for path in files:
                found.setdefault(path, []).append(place)
        return found

    @cached_property
    def _present(self) -> list[tuple[str, ...]]:
        """The files of each commit under their present names; those that were taken away are left out."""
        names: dict[str, str | None] = {}
        seen: set[str] = set()
        found: list[tuple[str, ...]] = []
        for change in self.changes:
            for path in change.gone:
                if path not in seen:
                    names.setdefault(path, None)
                    seen.add(path)
            now = [names.get(path, path) for path in change.files]
            seen.update(change.files)
            found.append(tuple(dict.fromkeys(path for path in now if path is not None)))
            for old, new in change.renamed:
                names[old] = names.get(new, new)
                seen.add(old)
        return found


def _weight(place: int, files: int) -> float:
    """What a commit says of its files: more the newer and the smaller it is; nothing where it has very many."""
    if not 1 <= files <= LARGEST_TOGETHER:
        return 0.0
    return float(0.5 ** (place / HALF_LIFE)) / sqrt(max(files - 1, 1))
