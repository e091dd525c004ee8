"""What some models were trained to see before a text, so that they can tell a question from a passage."""

import hashlib
import re
from typing import NamedTuple

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
    name = re.split(r"[/\\:]", model.rstrip("/\\"))[-1].lower()
    return next((prefixes for pattern, prefixes in ASKED_FOR.items() if re.match(pattern, name)), NO_PREFIXES)


ASKED_FOR = {
    r"(multilingual-)?e5-(?!mistral)(?!.*instruct)": Prefixes("query: ", "passage: "),
    r"bge-.*-zh": Prefixes("为这个句子生成表示以用于检索相关文章："),
    r"bge-(?!m3|multilingual|reranker)": Prefixes(SENTENCE),
    r"mxbai-embed-": Prefixes(SENTENCE),
    r"snowflake-arctic-embed-.*v2": Prefixes("query: "),
    r"snowflake-arctic-embed-": Prefixes(SENTENCE),
    r"nomic-embed-text-": Prefixes("search_query: ", "search_document: "),
}
