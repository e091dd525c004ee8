"""The pattern document that carried rules are written to: each is tried first, and only what can be read is kept."""

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from fieldguide.cli.ruled.taken_over.carried import Carried, Left
from fieldguide.toolsets.architecture.rules import read_pattern

INTRODUCTION = "Taken over from {}. Each rule finds the same here as there, unless its section says otherwise."


class Drafted(NamedTuple):
    """A document, the rules in it, and what was left."""

    text: str
    rules: tuple[Carried, ...]
    left: tuple[Left, ...]


def drafted(title: str, sources: Sequence[str], found: Sequence[Carried | Left], *, is_inexact: bool) -> Drafted:
    """The document of some carried rules; those with limits only where that is wanted."""
    left = [each for each in found if isinstance(each, Left)]
    kept: dict[str, Carried] = {}
    for each in found:
        if isinstance(each, Left):
            continue
        refused = _refused(each, is_inexact=is_inexact)
        if refused:
            left.append(Left(each.name, each.line, refused))
        else:
            name = _unused(each.name, kept)
            kept[name] = each._replace(entries={**each.entries, "id": name})
    return Drafted(_text(title, sources, list(kept.values())), tuple(kept.values()), tuple(left))


def _unused(name: str, known: dict[str, Carried]) -> str:
    number = 2
    free = name
    while free in known:
        free, number = f"{name}-{number}", number + 1
    return free


def _refused(carried: Carried, *, is_inexact: bool) -> str:
    """Why a rule is not written: it would not be the same, or it can't be read here."""
    if carried.limits and not is_inexact:
        return f"{'; '.join(carried.limits)} (`--inexact` takes it over all the same)"
    problems = read_pattern("tried", _text("Tried", [], [carried])).problems
    return problems[0].message.partition(" was left out: ")[2].rstrip(".") or problems[0].message if problems else ""


def _text(title: str, sources: Sequence[str], rules: Sequence[Carried]) -> str:
    import yaml  # 10 ms; only who writes one needs it

    named = [{**each.entries, "see": _heading(each)} for each in rules]
    front: dict[str, Any] = {"title": title, "prose": False, "rules": named}
    unshared = json.loads(json.dumps(front))  # what stands in two places would be written as an alias
    head = yaml.safe_dump(unshared, sort_keys=False, allow_unicode=True, width=100)
    sections = [_section(each) for each in rules]
    return "\n".join([f"---\n{head}---\n# {title}\n", f"{INTRODUCTION.format(', '.join(sources))}\n", *sections])


def _heading(carried: Carried) -> str:
    return carried.name


def _section(carried: Carried) -> str:
    limits = [f"Not the same here: {each}." for each in carried.limits]
    paragraphs = [f"## {carried.name}", str(carried.entries["message"]), carried.note, *limits]
    return "\n\n".join(each for each in paragraphs if each) + "\n"
