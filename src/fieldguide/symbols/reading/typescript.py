"""TypeScript and JavaScript, and the scripts of Vue's and Svelte's components: what a text defines and uses."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from fieldguide import linear_regex as re
from fieldguide.source_code.imports.javascript import SCRIPT
from fieldguide.source_code.parsing import parsed
from fieldguide.symbols.facts import CALLABLE, FIELD, INNER, PARAMETER, Definition, Facts, Reference
from fieldguide.symbols.reading.script.bindings import BINDINGS, read_arrow, read_assignment
from fieldguide.symbols.reading.script.declarations import DECLARATIONS
from fieldguide.symbols.reading.script.links import read_links
from fieldguide.symbols.reading.script.modules import MODULES
from fieldguide.symbols.reading.script.reader import Draft, Reader, Use
from fieldguide.symbols.reading.script.tree import Tree
from fieldguide.symbols.reading.script.uses import USES, read_declared_call

COMPONENTS = frozenset(("vue", "svelte"))
MOST_SCOPES = 50
WORD = re.compile(r"[A-Za-z_$][\w$]*")
MORE: dict[str, Callable[[Reader, int], None]] = {
    "call_expression": read_declared_call,
    "assignment_expression": read_assignment,
    "arrow_function": read_arrow,
}


def read(text: str, language: str) -> Facts:
    """The facts of a text; none of one that no grammar takes. For a parser process."""
    if language in COMPONENTS:
        text = scripts_in_place(text)
    root = _root(text, language)
    if root is None:
        return Facts()
    reader = Reader(Tree(text, root), is_typed=language != "javascript")
    _walk(reader)
    read_links(reader)
    return _finished(reader)


def scripts_in_place(text: str) -> str:
    """A component with everything but its scripts blanked, every character in its place."""
    kept: list[str] = []
    end = 0
    for match in SCRIPT.finditer(text):
        kept += ["".join("\n" if each == "\n" else " " for each in text[end : match.start(1)]), match.group(1)]
        end = match.end(1)
    return "".join(kept)


def _root(text: str, language: str) -> Any:
    """The tree; for JavaScript that is annotated with types (Flow), by the grammar that knows them."""
    if language != "javascript":
        return parsed(text, "typescript" if language in COMPONENTS else language)
    root = parsed(text, "javascript")
    if root is not None and root.find(kind="ERROR") is not None:
        typed = parsed(text, "tsx")
        return root if typed is None or typed.find(kind="ERROR") is not None else typed
    return root


def _walk(reader: Reader) -> None:
    """Every node once, parents first."""
    tree, within, opened = reader.tree, reader.within, reader.opened
    tables = (DECLARATIONS, BINDINGS, MODULES, MORE, USES)
    visits = {
        kind: [table[kind] for table in tables if kind in table]
        for kind in {each for table in tables for each in table}
    }
    for node, kind in enumerate(tree.kinds):
        parent = tree.parents[node]
        if parent >= 0:
            within[node] = opened.get(parent, within[parent])
        reader.current = node
        for visit in visits.get(kind, ()):
            visit(reader, node)


def _finished(reader: Reader) -> Facts:
    drafts, uses = reader.drafts, list(_uses_of_others(reader))
    around = [_named_around(drafts, place) for place in range(len(drafts))]
    around.append(-1)
    kept = _kept(drafts, [around[use.within] for use in uses], uses)
    places = {old: new for new, old in enumerate(kept)}
    places[-1] = -1
    return Facts(
        [_definition(reader, old, places) for old in kept],
        [_reference(reader, use, places[around[use.within]]) for use in uses],
        reader.imports,
    )


def _uses_of_others(reader: Reader) -> Iterator[Use]:
    """The uses that no parameter or local answers; of a parameter that declares a field, as uses of the field."""
    drafts, named = reader.drafts, _inner_by_name(reader.drafts)
    fields = {(draft.start, draft.name) for draft in drafts if draft.kind == FIELD}
    for use in reader.uses:
        own = None if use.receiver else _own(use, drafts, named)
        if own is None:
            yield use
        elif own.kind == PARAMETER and (own.start, own.name) in fields:
            yield replace(use, receiver="self")


def _inner_by_name(drafts: list[Draft]) -> dict[tuple[int, str], list[Draft]]:
    """The parameters and locals, by what they are of and their name."""
    named: dict[tuple[int, str], list[Draft]] = {}
    for draft in drafts:
        if draft.kind in INNER:
            named.setdefault((draft.parent, draft.name), []).append(draft)
    return named


def _reference(reader: Reader, use: Use, within: int) -> Reference:
    line, column = reader.tree.line(use.start), reader.tree.column(use.start)
    return Reference(use.name, line, column, within, use.role, use.receiver)


def _named_around(drafts: list[Draft], place: int) -> int:
    """The definition that holds what a variable is given: the function around it."""
    for _ in range(MOST_SCOPES):
        if place < 0 or drafts[place].kind not in INNER or not drafts[place].name:
            break
        place = drafts[place].parent
    return place


def _own(use: Use, drafts: list[Draft], named: dict[tuple[int, str], list[Draft]]) -> Draft | None:
    """The parameter or local, of what encloses a place, that has its name."""
    within = use.within
    for _ in range(MOST_SCOPES):
        for draft in named.get((within, use.name), ()):
            if draft.scope == (0, 0) or draft.scope[0] <= use.start < draft.scope[1]:
                return draft
        if within < 0:
            return None
        within = drafts[within].parent
    return None


def _kept(drafts: list[Draft], within: list[int], uses: list[Use]) -> list[int]:
    """The definitions that somebody may ask for, that have parts, or whose name stands in an expression."""
    words = _words_told(drafts, uses)
    parents = {draft.parent for draft in drafts} | set(within)
    return [
        place
        for place, draft in enumerate(drafts)
        if draft.kind not in INNER
        or draft.kind == PARAMETER
        or place in parents
        or draft.name in words
        or draft.name == "this"
    ]


def _words_told(drafts: list[Draft], uses: list[Use]) -> set[str]:
    """Every name in what a receiver or a type says."""
    told = {use.receiver for use in uses if use.receiver} | {draft.type for draft in drafts if draft.type}
    return {word for each in told for word in WORD.findall(each)}


def _definition(reader: Reader, place: int, places: dict[int, int]) -> Definition:
    tree, draft = reader.tree, reader.drafts[place]
    first, last = draft.scope
    return Definition(
        draft.name,
        draft.kind,
        places[draft.parent],
        tree.line(draft.start),
        tree.column(draft.start),
        tree.line(max(draft.start, tree.ends[draft.node] - 1)) if draft.node >= 0 else tree.line(draft.start),
        reader.signature(draft),
        reader.doc(draft),
        draft.type,
        tuple(draft.bases),
        places[place if draft.kind in CALLABLE else draft.parent],
        (tree.line(first), tree.line(last)) if last else (0, 0),
    )
