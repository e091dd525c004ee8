"""What grep finds for a task: its rarest words, the files that hold most of them, the lines around each."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import log
from typing import NamedTuple

from fieldguide import linear_regex as re
from fieldguide.cli.proving.places import Place
from fieldguide.confinement import ConfinedFolder
from fieldguide.errors import Refusal
from fieldguide.project_text.files import project_files
from fieldguide.spine.answers.tokenizer import count

MOST_WORDS = 10
MOST_PER_FILE = 4
MOST_SHOWN_FILES = 80
MOST_FILE_BYTES = 1 << 20
CONTEXT_LINES = 5
LONGEST_LINE = 400
LEAST_LETTERS = 3
WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class Match(NamedTuple):
    """A place that grep would print, with the lines around it."""

    path: str
    start: int
    lines: Sequence[str]


def matches_of(project: str, words: str) -> list[Match]:
    """The places that match, the file that holds most of the rarest words first."""
    asked = list(dict.fromkeys(word.lower() for word in WORD.findall(words) if len(word) >= LEAST_LETTERS))
    counted = {path: held for path, text in _texts(project) if (held := _held(asked, text.lower()))}
    weights = _weights(asked, counted)
    worth = {path: _worth(held, weights) for path, held in counted.items()}
    best = sorted((path for path in worth if worth[path]), key=lambda path: (-worth[path], path))
    folder = ConfinedFolder(project)
    return [match for path in best[:MOST_SHOWN_FILES] for match in _matches(folder, path, weights)]


def places_within(matches: Sequence[Match], budget: int) -> tuple[list[Place], int]:
    """What is printed before the budget is used up, and how many tokens that takes."""
    found: list[Place] = []
    used = 0
    for match in matches:
        head = f"{match.path}\n"
        for number, line in enumerate(match.lines, match.start):
            cost = count(f"{head}{number}:{line[:LONGEST_LINE]}\n")
            if used + cost > budget:
                return found, used
            found.append(Place(match.path, number, number))
            head, used = "", used + cost
    return found, used


def _texts(project: str) -> Iterator[tuple[str, str]]:
    folder = ConfinedFolder(project)
    for path in project_files(folder).paths:
        try:
            content = folder.read(path, limit_bytes=MOST_FILE_BYTES)
        except Refusal:
            continue
        if b"\0" not in content:
            yield path, content.decode("utf-8", "replace")


def _held(words: Sequence[str], text: str) -> dict[str, int]:
    return {word: times for word in words if (times := text.count(word))}


def _weights(asked: Sequence[str], counted: Mapping[str, Mapping[str, int]]) -> dict[str, float]:
    """What each of the rarest words weighs: more, the fewer files hold it."""
    spread = Counter(word for held in counted.values() for word in held)
    rarest = sorted(spread, key=lambda word: (spread[word], asked.index(word)))[:MOST_WORDS]
    return {word: log(1 + len(counted) / spread[word]) for word in rarest}


def _worth(held: Mapping[str, int], weights: Mapping[str, float]) -> float:
    return sum(weights[word] * (1 + log(times)) for word, times in held.items() if word in weights)


def _matches(folder: ConfinedFolder, path: str, weights: dict[str, float]) -> Iterator[Match]:
    lines = folder.read(path, limit_bytes=MOST_FILE_BYTES).decode("utf-8", "replace").split("\n")
    scores = [sum(weight for word, weight in weights.items() if word in line.lower()) for line in lines]
    best = sorted((number for number, score in enumerate(scores) if score), key=lambda each: (-scores[each], each))
    taken: list[range] = []
    for number in best[:MOST_PER_FILE]:
        span = range(max(0, number - CONTEXT_LINES), min(len(lines), number + CONTEXT_LINES + 1))
        if not any(span.start < other.stop and other.start < span.stop for other in taken):
            taken.append(span)
            yield Match(path, span.start + 1, lines[span.start : span.stop])
