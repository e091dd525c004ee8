"""What some models were trained to see before a text, so that they can tell a question from a passage."""

import hashlib
from typing import NamedTuple

from fieldguide import linear_regex as re

SENTENCE = "Represent this sentence for searching relevant passages: "


class Prefixes(NamedTuple):
    """What is put before a query and before a passage; most models want neither."""

    query: str = ""
    passage: str = ""

    @property
    def mark(self) -> str:
        """What an identity says of them: nothing where there are none."""
        if not any(self):
            return ""
        return "+" + hashlib.sha256("\0".join(self).encode(errors="surrogatepass")).hexdigest()[:8]


NO_PREFIXES = Prefixes()


def prefixes_for(model: str) -> Prefixes:
    """The prefixes that the makers of a model ask for, by the last part of its name."""
    name = model.rstrip("/\\").replace("\\", "/").replace(":", "/").rpartition("/")[2].lower()
    return next((asked.prefixes for asked in ASKED_FOR if asked.is_for(name)), NO_PREFIXES)


class Asked(NamedTuple):
    """What the makers of a family of models ask for, but for some members."""

    family: re.Pattern[str]
    prefixes: Prefixes
    but: re.Pattern[str] | None = None

    def is_for(self, name: str) -> bool:
        """Whether a model belongs to the family."""
        return self.family.match(name) is not None and not (self.but and self.but.match(name))


ASKED_FOR = (
    Asked(
        re.compile(r"(multilingual-)?e5-"),
        Prefixes("query: ", "passage: "),
        but=re.compile(r"(multilingual-)?e5-(mistral|.*instruct)"),
    ),
    Asked(re.compile(r"bge-.*-zh"), Prefixes("为这个句子生成表示以用于检索相关文章：")),
    Asked(re.compile(r"bge-"), Prefixes(SENTENCE), but=re.compile(r"bge-(m3|multilingual|reranker)")),
    Asked(re.compile(r"mxbai-embed-"), Prefixes(SENTENCE)),
    Asked(re.compile(r"snowflake-arctic-embed-.*v2"), Prefixes("query: ")),
    Asked(re.compile(r"snowflake-arctic-embed-"), Prefixes(SENTENCE)),
    Asked(re.compile(r"nomic-embed-text-"), Prefixes("search_query: ", "search_document: ")),
)
