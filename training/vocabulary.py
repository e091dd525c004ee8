"""The rows of the table: the pieces of the teacher, and the words of software that the teacher cuts up."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from fieldguide.search.models.static import WordPieces, lower_word_forms, split_words

FEWEST_SOURCES = 3  # a word of one project teaches nothing about the others


def teacher_pieces(path: Path) -> list[str]:
    """The teacher's pieces that hold a letter or a digit: the table knows no marks and no special tokens."""
    lines = path.read_text(encoding="utf-8").split("\n")
    return [piece for piece in lines if not piece.startswith("[") and any(map(str.isalnum, piece))]


def extended(pieces: list[str], texts: Iterable[tuple[str, str]], size: int) -> list[str]:
    """The pieces, then the most frequent words that they need two or more pieces for, up to `size` rows.

    `texts` are (source, text): a word counts only if several sources use it.
    """
    known = WordPieces({piece: row for row, piece in enumerate(pieces)})
    uses: Counter[str] = Counter()
    sources: dict[str, set[str]] = {}
    for source, text in texts:
        for written, times in Counter(split_words(text)).items():
            if written.isascii():
                for word in lower_word_forms(written):
                    uses[word] += times
                    if len(found := sources.setdefault(word, set())) < FEWEST_SOURCES:
                        found.add(source)
    candidates = (
        word
        for word, _ in sorted(uses.items(), key=lambda use: (-use[1], use[0]))
        if 2 < len(word) <= 24
        and not word.isdigit()
        and len(sources[word]) >= FEWEST_SOURCES
        and len(known.count(word)) > 1
    )
    return pieces + [word for word, _ in zip(candidates, range(size - len(pieces)), strict=False)]
