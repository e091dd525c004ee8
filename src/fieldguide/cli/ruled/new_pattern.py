"""A pattern document to begin with: one rule that runs, and two examples that it tells apart, tried beforehand."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from fieldguide import linear_regex as re
from fieldguide.cli.checked.rule_book import Document
from fieldguide.cli.ruled.sample_code import LEFT_OVERS, call_of, comment_of, framed, import_of, matches_of
from fieldguide.cli.ruled.testing import tested
from fieldguide.cli.typed.nearest import did_you_mean
from fieldguide.errors import Misconfiguration
from fieldguide.source_code.languages import language_of
from fieldguide.source_code.parsing import GRAMMARS
from fieldguide.toolsets.architecture.rules import read_pattern, structures

UNFINISHED = "FIXME"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*(?:/[A-Za-z0-9][A-Za-z0-9_-]*)*")
IN_ALL = "    in: all\n"
OTHER_CHECKS = """\
    # Other checks, one for each rule (docs: "Pattern rules"):
    # forbid-import: ["psycopg2", "../infrastructure/*"]
    # ast-grep: "$A == None"
    # forbid-text: '\\bTODO\\b'
    # naming: {kind: class, matches: "*Repository", where: {extends: "*Repository"}}
    # And where it holds: files, except-files, inside, outside, when.
"""


class Wish(NamedTuple):
    """What somebody wants to have forbidden: a check and what it is given; and perhaps examples and a message."""

    name: str
    check: str
    value: str
    language: str
    message: str | None = None
    good: str | None = None
    bad: str | None = None
    files: tuple[str, ...] = ()
    is_commented: bool = False


def main_language(paths: Iterable[str], among: Iterable[str] = GRAMMARS) -> str:
    """The language that most files of a project are written in, of some or of all that can be parsed.

    Where there is TypeScript beside JavaScript it is TypeScript: a rule for it holds for both.
    """
    wanted = [*among]
    spoken = Counter(language for path in paths if (language := language_of(path)) in wanted)
    otherwise = "python" if "python" in wanted else wanted[0]
    common = str(spoken.most_common(1)[0][0]) if spoken else otherwise
    return "typescript" if common == "javascript" and "typescript" in spoken else common


def left_over(name: str, language: str) -> Wish:
    """The wish of somebody who does not say what it is: no call that is only there to look into a program."""
    if language in LEFT_OVERS:
        return Wish(name, "forbid-call", LEFT_OVERS[language], language, is_commented=True)
    return Wish(name, "forbid-text", UNFINISHED, language, is_commented=True)


def languages_of(structure: str) -> list[str]:
    """The languages that a structure is known in; told where there is none of its name."""
    if structure not in structures.names():
        near = did_you_mean(structure, structures.names())
        raise Misconfiguration(f"There is no structure {structure!r}.{near} There are {', '.join(structures.names())}.")
    return list(dict.fromkeys(snippet.language for snippet in structures.read_structure(structure).snippets))


def for_structure(wish: Wish) -> Wish:
    """A wish for a structure that has a name, checked: it is known, and in this language."""
    languages = languages_of(wish.value)
    structure = structures.read_structure(wish.value)
    if wish.language not in languages:
        raise Misconfiguration(f"{wish.value!r} is a structure of {', '.join(languages)}, not of {wish.language}.")
    return wish._replace(message=wish.message or f"Not written here: {structure.finds[0].lower()}{structure.finds[1:]}")


def _snippets(wish: Wish, *, is_found: bool) -> list[str]:
    """The snippets that a structure's own file has for a language."""
    found = structures.read_structure(wish.value).snippets
    return [_ended(each.code) for each in found if each.language == wish.language and each.is_found == is_found]


def new_document(wish: Wish) -> str:
    """The text of a document for a wish; refused where its rule can't be read or nothing shows that it runs."""
    if not NAME.fullmatch(wish.name):
        raise Misconfiguration(f"A pattern is named with letters, digits and dashes, not {wish.name!r}.")
    refused: str | None = None
    for bad in _bad_examples(wish):
        for good in _good_examples(wish):
            text = _written(wish, good, bad)
            told = tested(Document(wish.name, text, read_pattern(wish.name, text)))
            if told.document.pattern.problems:
                raise Misconfiguration(f"The rule can't be read. {told.document.pattern.problems[0].message}")
            if not told.failures and not told.untried:
                return text
            refused = told.failures[0].message if told.failures else refused
    given = "" if refused is None else f" {refused}"
    raise Misconfiguration(
        f"No pair of examples shows that the rule works in {wish.language}.{given} "
        "Give a piece of code that it must find and one that it must not: `--bad CODE --good CODE`."
    )


def _bad_examples(wish: Wish) -> Iterator[str]:
    if wish.bad is not None:
        yield _ended(wish.bad)
    elif wish.check == "forbid-call":
        yield call_of(wish.value, wish.language)
    elif wish.check == "forbid-import":
        yield import_of(wish.value, wish.language) or ""
    elif wish.check == "forbid-text":
        yield comment_of(f"{wish.value}: later", wish.language)
    elif wish.check == "structure":
        yield from _snippets(wish, is_found=True)
    elif wish.check == "ast-grep":
        yield from matches_of(wish.value, wish.language)


def _good_examples(wish: Wish) -> Iterator[str]:
    if wish.good is not None:
        yield _ended(wish.good)
        return
    if wish.check == "forbid-import" and (other := import_of("something.other", wish.language)):
        yield other
    if wish.check == "forbid-text":
        yield comment_of("done", wish.language)
    if wish.check == "structure":
        yield from _snippets(wish, is_found=False)
    yield call_of("other", wish.language)
    yield framed("", wish.language)


def _ended(code: str) -> str:
    return code if code.endswith("\n") else f"{code}\n"


def _written(wish: Wish, good: str, bad: str) -> str:
    rule = wish.name.rpartition("/")[2].lower().replace("_", "-")
    title = rule.replace("-", " ").capitalize()
    message = wish.message or MESSAGES.get(wish.check, "{}").format(wish.value)
    files = f"    files: {json.dumps(wish.files)}\n" if wish.files else ""
    value = json.dumps(wish.value, ensure_ascii=False)
    given = f"[{value}]" if wish.check in ("forbid-call", "forbid-import") else value
    return f"""\
---
title: {json.dumps(title, ensure_ascii=False)}
prose: false
rules:
  - id: {rule}
    message: {json.dumps(message, ensure_ascii=False)}
    severity: error
    languages: [{wish.language}]
    see: {json.dumps(title, ensure_ascii=False)}
{files}    {wish.check}: {given}
{IN_ALL if wish.check == "forbid-text" else ""}{OTHER_CHECKS if wish.is_commented else ""}---
# {title}

{message}

Say here why, and what to do instead: whoever breaks the rule is sent to this section.

```{wish.language} bad rule={rule}
{bad}```

```{wish.language} good rule={rule}
{good}```
"""


MESSAGES = {
    "forbid-call": "`{}` is not called here.",
    "forbid-import": "`{}` is not imported here.",
    "forbid-text": "`{}` is not left here.",
    "ast-grep": "`{}` is not written here.",
}
