"""Fakes that stand in for what a test can't wait for."""

from collections.abc import Sequence
from typing import Any

from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.search.embedding import pack_vector
from fieldguide.search.models.remote import WordlessModel
from fieldguide.spine.resources import ChangeBus
from fieldguide.spine.toolset import Services


class FakeClock:
    """A clock that stands until a test moves it."""

    def __init__(self, now: float = 1000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += seconds


class FakeEmbedder(WordlessModel):
    """A model that knows a few words: each is a direction, and a text points where its words do.

    `told` keeps every text that it was given, in order.
    """

    def __init__(self, *words: str, identity: str = "fake-1") -> None:
        self.words = words
        self.identity = identity
        self.dimensions = len(words)
        self.told: list[str] = []

    def embed_documents(self, texts: Sequence[str]) -> list[bytes]:
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> bytes:
        self.told.append(text)
        return pack_vector([float(text.casefold().count(word)) for word in self.words])


def make_services(root: object = ".", **given: Any) -> Services:
    """What a toolset is made with: a project, and nothing else that a test does not give."""
    nothing: dict[str, Any] = {"database": None, "engine": lambda: None, "note": lambda *words, **more: None}
    return Services(project=ConfinedFolder(str(root)), settings={}, changes=ChangeBus(), **{**nothing, **given})
