"""Structures of code that programmers have a name for, such as an empty catch: each an ast-grep rule in a data file.

A file `NAME.yaml` says what the structure is (`finds`) and has, for each of its languages, a `rule` with a few snippets
that it must find (`invalid`) and must not find (`valid`); `utils` are parts that several of its rules share.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Any, NamedTuple

from fieldguide.formats.yaml_text import read_yaml
from fieldguide.toolsets.architecture.rules.pattern import SyntaxCheck

SUFFIX = ".yaml"


class Snippet(NamedTuple):
    """A piece of code that a structure's file carries as its test."""

    language: str
    code: str
    is_found: bool


class Structure(NamedTuple):
    """A structure: its name, what it is in a sentence, how it is found, and its own tests."""

    name: str
    finds: str
    check: SyntaxCheck
    snippets: tuple[Snippet, ...]


def names() -> tuple[str, ...]:
    """The names of all structures, sorted."""
    listed = (each.name for each in files(__name__).iterdir())
    return tuple(sorted(name.removesuffix(SUFFIX) for name in listed if name.endswith(SUFFIX)))


@lru_cache
def read_structure(name: str) -> Structure:
    """The structure of a name; one that `names` does not list is a KeyError."""
    if name not in names():
        raise KeyError(name)
    given = read_yaml(files(__name__).joinpath(f"{name}{SUFFIX}").read_text(encoding="utf-8")).root.plain()
    utils = {"utils": given["utils"]} if "utils" in given else {}
    languages: Mapping[str, Any] = given["languages"]
    by_language = {each: {"rule": part["rule"], **utils} for key, part in languages.items() for each in _split(key)}
    snippets = tuple(each for key, part in languages.items() for each in _snippets(key, part))
    return Structure(name, given["finds"], SyntaxCheck(by_language), snippets)


def _split(languages: str) -> list[str]:
    return [each.strip() for each in languages.split(",")]


def _snippets(languages: str, part: Mapping[str, Any]) -> Iterator[Snippet]:
    for language in _split(languages):
        for word, is_found in (("valid", False), ("invalid", True)):
            yield from (Snippet(language, code, is_found) for code in part[word])
