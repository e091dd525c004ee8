"""One piece of evidence for or against a proposal."""

from typing import Literal, NamedTuple

from fieldguide.toolsets.architecture.decisions.reading.prose import Sentence

Way = Literal[
    "named", "drops its choice", "takes what it rejected", "turns its rule", "same question", "other answer",
    "other technology",
    "same context", "revisits it", "builds on it", "avoids what it rejected", "restates it", "follows it",
]  # fmt: skip


class Evidence(NamedTuple):
    """One piece of evidence; `strength` is 0 to 1, `theirs` the record's words, `ours` the proposal's."""

    way: Way
    is_against: bool
    strength: float
    theirs: Sentence
    ours: str
    detail: str = ""
