"""Every reader of foreign text that does its own reading, and texts made to keep it busy."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache, partial

from fieldguide.code.imports.c_go_rust import read_includes, read_module
from fieldguide.code.imports.javascript import blank_markup
from fieldguide.code.imports.project_files import read_object
from fieldguide.code.imports.python_php_ruby import blank_templates
from fieldguide.code.parsing import SyntaxProblem, refuse_deep_nesting
from fieldguide.knowledge.decisions.comparison import Alignment
from fieldguide.knowledge.decisions.lineage import NameReader
from fieldguide.knowledge.decisions.reader import read_record
from fieldguide.knowledge.decisions.recognition import is_record
from fieldguide.knowledge.decisions.record import is_dated, read_adr_id, read_record_number
from fieldguide.prose.document import list_heading_paths, number_anchors
from fieldguide.prose.markdown import read_markdown
from fieldguide.prose.readers import is_document, read_document
from fieldguide.search.chunking import chunk_document
from fieldguide.search.models.static import StaticModel, WordPieces
from fieldguide.text.display import warn_of_hidden_text
from fieldguide.text.globs import compile_globs
from fieldguide.text.words import extract_hidden_words, extract_query_terms
from fieldguide.toolsets.architecture.prompts import find_named_tools
from fieldguide.toolsets.architecture.rules.checking import make_report
from fieldguide.toolsets.architecture.rules.parser_process import parse_pattern
from fieldguide.toolsets.architecture.rules.pattern import PatternDocument
from fieldguide.toolsets.architecture.rules.source_code import detect_language
from fieldguide.toolsets.context.code_chunking import chunk_code
from fieldguide.toolsets.documents.snapshot import hide_secrets
from fieldguide.wire.jsonrpc import read_id
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
        "names of records": NameReader([read_record(RECORD, "# 1. A\n")]).read,
        "a proposal": _proposed,
        "the name of a record": lambda text: (read_adr_id(text), read_record_number(text), is_dated(text)),
        "a pattern document": partial(parse_pattern, "a-pattern"),
        "code with //, without a parser": lambda text: make_report(_rules(), text, "groovy"),
        "code with #, without a parser": lambda text: make_report(_rules(), text, "perl"),
        "code with --, without a parser": lambda text: make_report(_rules(), text, "sql"),
        "the language of code": detect_language,
        "includes": _includes,
        "go.mod": lambda text: read_module("", text.encode()),
        "JSON with comments": lambda text: read_object(text.encode()),
        "PHP in a page": blank_templates,
        "scripts in a page": blank_markup,
        "how deep brackets go": _nested,
        "markdown": lambda text: chunk_document(read_markdown(text)),
        "headings": _headings,
        **{f"a document, {name}": partial(_document, name) for name in DOCUMENTS},
        "whether it is a document": _judged,
        "code in chunks": lambda text: chunk_code(text, None),
        "words of a document": extract_hidden_words,
        "words of a query": extract_query_terms,
        "pieces of words": WordPieces({"a": 1, "##b": 2, "the": 3}).count,
        "hidden characters": lambda text: warn_of_hidden_text([text]),
        "a glob": lambda text: compile_globs([text])("docs/guides/start.md"),
        "a path": lambda text: compile_globs(["**/*a*b.md", "!**/[a-c]*", "docs/**/x?z"])(text),
        "a prompt": find_named_tools,
        "an address": hide_secrets,
        "the id of a broken message": lambda text: read_id(text.encode(errors="replace")),
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
def _rules() -> PatternDocument:
    return parse_pattern("rules", RULES)


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
    return list_heading_paths(outline), number_anchors(outline)
