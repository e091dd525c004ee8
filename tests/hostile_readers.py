"""Every reader of foreign text that does its own reading, and texts made to keep it busy."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache, partial

from fieldguide.decisions.alignment import Alignment
from fieldguide.decisions.names import adr_id_of, is_dated, number_of
from fieldguide.decisions.reading.reader import is_record, read_record
from fieldguide.decisions.reading.references import mentions_in
from fieldguide.discoveries.commit_message import parse_message
from fieldguide.discoveries.learning import findings_in
from fieldguide.discoveries.taught_files import teachings
from fieldguide.document_formats.genuine import is_document
from fieldguide.document_formats.markdown import read_markdown
from fieldguide.document_formats.readers import read_document
from fieldguide.globbing import matcher
from fieldguide.search.chunking import chunk_document
from fieldguide.search.embedders.static_model import StaticModel
from fieldguide.search.embedders.wordpieces import WordPieces
from fieldguide.search.words import hidden_words, query_terms
from fieldguide.server.jsonrpc import legible_id
from fieldguide.source_code.detection import detect_language
from fieldguide.source_code.imports.c_includes import read_includes
from fieldguide.source_code.imports.go import read_module
from fieldguide.source_code.imports.javascript import scripts_only
from fieldguide.source_code.imports.json_text import read_object
from fieldguide.source_code.imports.php import code_only
from fieldguide.source_code.nesting import refuse_deep_nesting
from fieldguide.source_code.syntax_problem import SyntaxProblem
from fieldguide.spine.foreign_text.hidden_text import hidden_text_warnings
from fieldguide.toolsets.architecture.excerpts import sentences_of as excerpt_sentences
from fieldguide.toolsets.architecture.prompts.rendering import tools_named
from fieldguide.toolsets.architecture.rules.checking.reporting import check_code
from fieldguide.toolsets.architecture.rules.pattern import Pattern
from fieldguide.toolsets.architecture.rules.reading import read_pattern
from fieldguide.toolsets.context.code.chunks import chunk_code
from fieldguide.toolsets.documents.sections import anchors, heading_paths
from fieldguide.toolsets.documents.sources.addresses import without_secrets
from fieldguide.tracing.reading.texts import read_text, read_words
from tests.growth import Text

Reader = Callable[[str], object]
DOCUMENTS = ("a.mdx", "a.rst", "a.adoc", "a.txt", "a.html", "a.ipynb", "a.1", "a.pdf")
RECORD = "docs/decisions/0001-a-record.md"
RULES = """# Rules

- Never call `eval` in controllers.
- Do not use `print()`; use the logger.
- Class names must end with `Service`.
- Do not leave TODO comments.
- SQL must not be built from strings: never write `SELECT *`.
- Functions must not exceed 20 lines.
"""
ANSWER = "# 1. Use one database\n\n## Status\n\nAccepted\n\n## Decision\n\nWe will use PostgreSQL, not Redis.\n"
MARKS = (
    " ", "\t", "\n", "\r", "\r\n", '"', "'", "`", "(", ")", "[", "]", "{", "}", "<", ">", "-", "*", "|", "#", "_",
    "~", "=", "\\", "/", "/*", "//", "--", ",", ".", ";", ":", "!", "?", "a", "A", "1", "é", "\u5b57", "\u0301\u0316",
    "\u200d", "\u2028",
)  # fmt: skip
PHRASES = (
    "# a\n", "## Decision\n", "a\n===\n", "- a\n", "* ", "1. ", "> ", "```\n", "~~~\na\n", "|a|b|\n", "[a](b)",
    "![a](", "[a][b]\n", "`a` ", "``a`", "**a** ", "_a_ ", "<a>", "<!--", "<script>", "<?php ", "&amp;", "a. A",
    "e.g. ", "A. B. ", "ADR 1 ", "A-1 ", "- A-1: a\n", "[ADR 1](1.md) ", "superseded by ADR 1. ", "Never call `a`. ",
    "Use `a` instead of `b`. ", "must not ", "We will use a, not b. ", "we decided against ", "in favour of ",
    "option 1: ", "status: a\n", "fixes: ", "a-by: b\n", "so that ", "because ", "since ", ", so ", 'import "a"\n',
    "#include <a>\n", 'R"a(', '\'"\'', "require 'a'\n", "new a.b(", "a.b.c(", "a->b::", "class A", "def a():\n",
    "// a\n", "# a # b", "x = 'a' ", "SELECT * ", "1.5 ", "{a,b}", "**/", "[!", "a_b-c.d", "aB", "ABc",
    "https://a?token=", "{{a}}", "TODO ", "\\u", "a\\\n", "\n \n", "\n\n- ", ".. a::\n", "a::\n\n",
    "==  ==\n", "<h1>", "<pre>", '<a b="', "<nav>", '{"cells": [', '{"source": ["a", ', ".SH a\n", ".de a\n", ".nf\n",
    "\\fB", "\\(", "----\n", "[a]\n", "== a\n", "{%", "export a\n",
)  # fmt: skip
OPENINGS = ("", "---\ntitle: ", "# A title\n\n## Status\n\nAccepted\n\n## Decision\n\n", "Fix a thing\n\n", "# ")


def all_readers() -> dict[str, Reader]:
    """The readers by name."""
    return {
        "a decision record": partial(read_record, RECORD),
        "whether it is a record": partial(is_record, RECORD),
        "mentions of records": mentions_in,
        "a proposal": _proposed,
        "the name of a record": lambda text: (adr_id_of(text), number_of(text), is_dated(text)),
        "a pattern document": partial(read_pattern, "a-pattern"),
        "code with //, without a parser": lambda text: check_code(_rules(), text, "groovy"),
        "code with #, without a parser": lambda text: check_code(_rules(), text, "perl"),
        "code with --, without a parser": lambda text: check_code(_rules(), text, "sql"),
        "the language of code": detect_language,
        "a commit message": lambda text: findings_in(parse_message(text)),
        "a decision that a commit brought": partial(teachings, RECORD),
        "rules that a commit brought": partial(teachings, "AGENTS.md"),
        "includes": _includes,
        "go.mod": lambda text: read_module("", text.encode()),
        "JSON with comments": lambda text: read_object(text.encode()),
        "PHP in a page": code_only,
        "scripts in a page": scripts_only,
        "how deep brackets go": _nested,
        "markdown": lambda text: chunk_document(read_markdown(text)),
        "headings": _headings,
        **{f"a document, {name}": partial(_document, name) for name in DOCUMENTS},
        "whether it is a document": _judged,
        "code in chunks": lambda text: chunk_code(text, None),
        "words of a document": hidden_words,
        "words of a query": query_terms,
        "pieces of words": WordPieces({"a": 1, "##b": 2, "the": 3}).count,
        "an excerpt": lambda text: excerpt_sentences(read_markdown(text)),
        "hidden characters": lambda text: hidden_text_warnings([text]),
        "a glob": lambda text: matcher([text])("docs/guides/start.md"),
        "a path": lambda text: matcher(["**/*a*b.md", "!**/[a-c]*", "docs/**/x?z"])(text),
        "the trace of a test": partial(read_text, "tests/test_a.py"),
        "the trace of a decision": partial(read_text, RECORD),
        "the trace of a commit": read_words,
        "a prompt": tools_named,
        "an address": without_secrets,
        "the id of a broken message": lambda text: legible_id(text.encode(errors="replace")),
    }


def texts() -> Iterator[Text]:
    """Runs of marks and of phrases, alone and where each kind of document reads its own."""
    for opening in OPENINGS:
        for unit in (*MARKS, *PHRASES):
            yield Text(unit, opening)
    for unit in MARKS:
        yield Text(unit, "a", "a")
        yield Text(unit + " a", closing="\n")


@cache
def _rules() -> Pattern:
    return read_pattern("rules", RULES)


@cache
def _alignment() -> Alignment:
    return Alignment([read_record(RECORD, ANSWER)], StaticModel())


def _proposed(text: str) -> object:
    return _alignment().check(text)


def _nested(text: str) -> None:
    with suppress(SyntaxProblem):
        refuse_deep_nesting(text)


def _includes(text: str) -> object:
    try:
        return read_includes(text)
    except SyntaxProblem:
        return None


def _document(name: str, text: str) -> object:
    return chunk_document(read_document(name, text))


def _judged(text: str) -> object:
    return [is_document(name, text.encode(errors="replace")) for name in DOCUMENTS]


def _headings(text: str) -> object:
    outline = [(each.level, each.text, each.line) for each in read_markdown(text).headings]
    return heading_paths(outline), anchors(outline)
