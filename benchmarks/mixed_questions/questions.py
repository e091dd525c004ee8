"""The questions and what answers them."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parent
CHOOSE, KEPT = "choose", "kept"


class Gold(NamedTuple):
    """Lines that answer a question; of grade 2 are those without which it is not answered."""

    path: str
    start: int
    end: int
    kind: str
    grade: int


class Asked(NamedTuple):
    """A question to a repository, the half that it belongs to, and what answers it."""

    repository: str
    text: str
    half: str
    gold: Sequence[Gold]


def read_questions(repository: str, half: str | None = None) -> list[Asked]:
    """The questions to a repository; only those of a half, where one is named."""
    read = json.loads((FOLDER / f"{repository}.json").read_text(encoding="utf-8"))
    asked = [
        Asked(repository, each["question"], each["half"], [Gold(**gold) for gold in each["gold"]])
        for each in read["questions"]
    ]
    return [each for each in asked if half in (None, each.half)]
