"""Reads symbols of TypeScript, JavaScript, Vue and Svelte: the entry point, uses of names, and JSDoc links."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from fieldguide.code.imports.javascript import SCRIPT
from fieldguide.code.parsing import parse_tree
from fieldguide.code.symbols import facts
from fieldguide.code.symbols.facts import INNER, PARAMETER, READ, TYPE, SymbolDefinition, SymbolFacts, SymbolReference
from fieldguide.code.symbols.readers.typescript_definitions import (
    BINDINGS,
    DECLARATIONS,
    MODULES,
    read_arrow,
    read_assignment,
)
from fieldguide.code.symbols.readers.typescript_reader import (
    BLANKS,
    FUNCTION_VALUES,
    LONGEST_TYPE,
    TAGS,
    DefinitionDraft,
    FlatTree,
    ReferenceDraft,
    ScriptReader,
)
from fieldguide.text import regex as re

NOT_BREAK = re.compile(r"[^\n]")
LINK = re.compile(r"\{@link(?:code|plain)?\s+([A-Za-z_$][\w$]*)((?:[.#][A-Za-z_$][\w$]*)*)")
THROWN = re.compile(r"@(?:throws|exception|see)\s+\{([A-Za-z_$][\w$]*)\}")
TAG = re.compile(r"@(type|param|arg|returns?|typedef|property|prop|satisfies)\s+\{")
LINKED_WORD = re.compile(r"""import\(\s*["']([^"']+)["']\s*\)|([A-Za-z_$][\w$]*)""")
RETURNED = ("return", "returns")
NAME = re.compile(r"^\s*\[?([A-Za-z_$][\w$]*)")


def read_links(reader: ScriptReader) -> None:
    """Every link in a comment, to what has the name in the file; of JavaScript the declared types too."""
    text = reader.tree.text
    has_links = "{@link" in text or "@throws" in text or "@see" in text
    for end, start in reader.tree.comments.items() if has_links else ():
        comment = text[start:end] if text.startswith("/**", start) else ""
        for match in THROWN.finditer(comment):
            reader.refer_to(match.group(1), start + match.start(1), -1, TYPE)
        for match in LINK.finditer(comment):
            name = match.group(1)
            place = start + match.start(1)
            reader.refer_to(name, place, -1, READ)
            for part in match.group(2).replace("#", ".").split(".")[1:]:
                place += len(name.rpartition(".")[2]) + 1
                reader.refer_to(part, place, -1, READ, f"(:{name})")
                name = f"{name}.{part}"
    if not reader.is_typed and "/**" in text:
        _read_types(reader)


def _read_types(reader: ScriptReader) -> None:
    declared: dict[int, list[tuple[str, str, str]]] = {}
    for end, start in reader.tree.comments.items():
        comment = reader.tree.text[start:end]
        for match in TAG.finditer(comment) if comment.startswith("/**") else ():
            close = _closed(comment, match.end())
            told = _type(reader, start + match.end(), comment[match.end() : close])
            named = NAME.match(comment[close + 1 : close + 100])
            declared.setdefault(end, []).append((match.group(1), told, named.group(1) if named else ""))
    for place, draft in enumerate(reader.drafts):
        end = reader.comment_before(draft) if declared else -1
        if end in declared:
            _declare(reader, place, draft, declared[end])


def _closed(text: str, start: int) -> int:
    """Where the brace is closed that was opened right before a place."""
    depth = 1
    for position in range(start, min(len(text), start + LONGEST_TYPE)):
        depth += (text[position] == "{") - (text[position] == "}")
        if not depth:
            return position
    return start


def _type(reader: ScriptReader, start: int, written: str) -> str:
    """A type of a comment as facts have it; its names are uses."""
    told = ""
    last = 0
    for match in LINKED_WORD.finditer(written):
        module = match.group(1)
        name = match.group(2)
        told += written[last : match.start()]
        last = match.end()
        if module:
            told += reader.imported(module, start, "*")
            continue
        before = told.rpartition("|")[2].strip() if told.endswith(".") else ""
        reader.refer_to(name, start + match.start(2), -1, TYPE, f"{before[:-1]}" if before else "")
        told += name
    return BLANKS.sub(" ", told + written[last:]).strip("= ")


def _declare(reader: ScriptReader, place: int, draft: DefinitionDraft, tags: list[tuple[str, str, str]]) -> None:
    """What a comment says of types holds where the code declares none."""
    is_callable = draft.kind in facts.CALLABLE
    declared = [(draft, told) for tag, told, _ in tags if tag in (RETURNED if is_callable else ("type",))]
    types = {name: told for tag, told, name in tags if tag in ("param", "arg")} if is_callable else {}
    for each in reader.drafts[place + 1 :] if types else ():
        if each.parent < place:
            break
        if each.parent == place and each.kind == PARAMETER and each.name in types:
            declared.append((each, types[each.name]))
    for each, told in declared:
        if not each.type.startswith(":"):
            each.type = f":{told}"


VERBS = frozenset(("all", "delete", "get", "head", "options", "patch", "post", "put", "route"))
SERVERS = frozenset(("app", "router", "server", "fastify", "api", "routes"))
MOST_STEPS = 5


def find_role(reader: ScriptReader, node: int) -> str:
    """What a name, or what ends in it, is used for."""
    tree = reader.tree
    for _ in range(MOST_STEPS):
        parent = tree.parents[node]
        kind = tree.kinds[parent] if parent >= 0 else ""
        below = tree.children[parent]
        if kind in CALLING:
            called = next(each for each in below if tree.kinds[each] != "new")
            return facts.CALL if called == node else READ
        if kind in ASSIGNING:
            return facts.WRITE if below[0] == node else READ
        if kind in ROLES or parent < 0:
            return ROLES.get(kind, READ)
        if not _is_passed_on(tree, parent, node):
            return TYPE if tree.kinds[node] in ("type_identifier", "nested_type_identifier") else READ
        node = parent
    return READ


CALLING = frozenset(("call_expression", "new_expression", *TAGS))
ASSIGNING = frozenset(("assignment_expression", "augmented_assignment_expression"))
ROLES = {
    "update_expression": facts.WRITE,
    **dict.fromkeys(("extends_clause", "implements_clause", "extends_type_clause", "class_heritage"), facts.INHERIT),
}
"""What a name is used for, by the kind of the node around it."""


def _is_passed_on(tree: FlatTree, parent: int, node: int) -> bool:
    """Whether what is around a node is used for what the node is: `(a)`, `a!`, `x.a`, the `A` of `A<T>`."""
    kind = tree.kinds[parent]
    if kind in ("non_null_expression", "parenthesized_expression"):
        return True
    is_last = tree.children[parent][-1] == node
    return (
        is_last if kind in ("member_expression", "nested_type_identifier") else kind == "generic_type" and not is_last
    )


def read_name(reader: ScriptReader, node: int) -> None:
    """A bare name."""
    tree = reader.tree
    if node in reader.settled:
        return
    above = tree.kind_above(node)
    is_plain_tag = (above in TAGS or above == "jsx_closing_element") and tree.words(node)[:1].islower()
    if above != "index_signature" and not is_plain_tag:
        reader.refer(node, find_role(reader, node))


def read_type_name(reader: ScriptReader, node: int) -> None:
    """The name of a type."""
    tree = reader.tree
    if node in reader.settled:
        return
    role = find_role(reader, node)
    receiver = ""
    if tree.kind_above(node) == "nested_type_identifier":
        receiver = tree.words(tree.children[tree.parents[node]][0])
    reader.refer(node, role if role == facts.INHERIT else TYPE, receiver)


def read_property(reader: ScriptReader, node: int) -> None:
    """A name behind a dot, a key of an object that is written for a type, or a property of a tag."""
    tree = reader.tree
    parent = tree.parents[node]
    kind = tree.kinds[parent]
    expected = ""
    if kind == "member_expression":
        receiver = reader.expressions.value(tree.children[parent][0])
        reader.refer(node, find_role(reader, node), receiver)
    elif kind in ("pair", "method_definition") and tree.kind_above(parent) == "object":
        if tree.children[parent][0] == node or kind == "method_definition":
            expected = reader.contexts.expected(tree.parents[parent])
    elif kind == "jsx_attribute":
        expected = reader.contexts.properties(tree.parents[parent])
    if expected:
        reader.refer(node, facts.WRITE, expected)


def read_string(reader: ScriptReader, node: int) -> None:
    """A member that is named by a string: `a["b"]`, `T["b"]`, `{ "b": 1 }`."""
    tree = reader.tree
    parent = tree.parents[node]
    kind = tree.kinds[parent]
    if kind == "subscript_expression":
        reader.refer(node, find_role(reader, parent), reader.expressions.value(tree.children[parent][0]))
    elif kind == "literal_type" and tree.kind_above(parent) == "lookup_type":
        whole = tree.children[tree.parents[parent]][0]
        reader.refer(node, TYPE, f"(:{reader.expressions.type(whole)})")
    elif kind == "pair" and tree.children[parent][0] == node:
        read_property(reader, node)


def read_declared_call(reader: ScriptReader, node: int) -> None:
    """Routes and commands that a call declares: `app.get("/x", …)`, `program.command("x")`."""
    tree = reader.tree
    first = reader.given_text(node)
    called = tree.children[node][0] if first >= 0 else -1
    if called < 0 or tree.kinds[called] != "member_expression":
        return
    verb = tree.words(tree.children[called][-1])
    text = tree.words(first)[1:-1]
    if verb == "command" and text.strip():
        reader.define(first, facts.COMMAND, -1, node=node, text=text.split()[0])
    elif verb in VERBS and text.startswith("/"):
        given = tree.children[tree.parents[first]]
        server = tree.words(tree.children[called][0])[-40:].rpartition(".")[2].lower()
        has_handler = any(tree.kinds[each] in FUNCTION_VALUES for each in given[1:])
        if has_handler or (server in SERVERS and len(given) > 1):
            handler = f"={tree.words(given[-1])}" if tree.kinds[given[-1]] == "identifier" else ""
            reader.define(first, facts.ROUTE, -1, node=node, text=text, told=handler)


USES: dict[str, Callable[[ScriptReader, int], None]] = {
    "identifier": read_name,
    "type_identifier": read_type_name,
    "property_identifier": read_property,
    "private_property_identifier": read_property,
    "string": read_string,
}


COMPONENTS = frozenset(("vue", "svelte"))
MOST_SCOPES = 50
IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*")
MORE: dict[str, Callable[[ScriptReader, int], None]] = {
    "call_expression": read_declared_call,
    "assignment_expression": read_assignment,
    "arrow_function": read_arrow,
}


def read(text: str, language: str) -> SymbolFacts:
    """The facts of a text; none of one that no grammar takes. For a parser process."""
    if language in COMPONENTS:
        text = blank_outside_scripts(text)
    root = _root(text, language)
    if root is None:
        return SymbolFacts()
    reader = ScriptReader(FlatTree(text, root), is_typed=language != "javascript")
    _walk(reader)
    read_links(reader)
    return _finished(reader)


def blank_outside_scripts(text: str) -> str:
    """A component with everything but its scripts blanked, every character in its place."""
    kept: list[str] = []
    end = 0
    for match in SCRIPT.finditer(text):
        kept += [NOT_BREAK.sub(" ", text[end : match.start(1)]), match.group(1)]
        end = match.end(1)
    return "".join(kept)


def _root(text: str, language: str) -> Any:
    """The tree; for JavaScript that is annotated with types (Flow), by the grammar that knows them."""
    if language != "javascript":
        return parse_tree(text, "typescript" if language in COMPONENTS else language)
    root = parse_tree(text, "javascript")
    if root is not None and root.find(kind="ERROR") is not None:
        typed = parse_tree(text, "tsx")
        return root if typed is None or typed.find(kind="ERROR") is not None else typed
    return root


def _walk(reader: ScriptReader) -> None:
    """Every node once, parents first."""
    tree = reader.tree
    within = reader.within
    opened = reader.opened
    tables = (DECLARATIONS, BINDINGS, MODULES, MORE, USES)
    visits: dict[str, list[Callable[[ScriptReader, int], None]]] = defaultdict(list)
    for table in tables:
        for kind, visit in table.items():
            visits[kind].append(visit)
    for node, kind in enumerate(tree.kinds):
        parent = tree.parents[node]
        if parent >= 0:
            within[node] = opened.get(parent, within[parent])
        reader.current = node
        for visit in visits.get(kind, ()):
            visit(reader, node)


def _finished(reader: ScriptReader) -> SymbolFacts:
    tree = reader.tree
    drafts = reader.drafts
    uses = list(_uses_of_others(reader))
    around = [_named_around(drafts, place) for place in range(len(drafts))]
    around.append(-1)
    kept = _kept(drafts, [around[use.within] for use in uses], uses)
    places = {old: new for new, old in enumerate(kept)}
    places[-1] = -1
    references = [
        SymbolReference(
            use.name, tree.line(use.start), tree.column(use.start), places[around[use.within]], use.role, use.receiver
        )
        for use in uses
    ]
    return SymbolFacts([_definition(reader, old, places) for old in kept], references, reader.imports)


def _uses_of_others(reader: ScriptReader) -> Iterator[ReferenceDraft]:
    """The uses that no parameter or local answers; of a parameter that declares a field, as uses of the field."""
    drafts = reader.drafts
    named: dict[tuple[int, str], list[DefinitionDraft]] = {}
    for draft in drafts:
        if draft.kind in INNER:
            named.setdefault((draft.parent, draft.name), []).append(draft)
    fields = {(draft.start, draft.name) for draft in drafts if draft.kind == facts.FIELD}
    for use in reader.uses:
        own = None if use.receiver else _own(use, drafts, named)
        if own is None:
            yield use
        elif own.kind == PARAMETER and (own.start, own.name) in fields:
            yield replace(use, receiver="self")


def _named_around(drafts: list[DefinitionDraft], place: int) -> int:
    """The definition that holds what a variable is given: the function around it."""
    for _ in range(MOST_SCOPES):
        if place < 0 or drafts[place].kind not in INNER or not drafts[place].name:
            break
        place = drafts[place].parent
    return place


def _own(
    use: ReferenceDraft, drafts: list[DefinitionDraft], named: dict[tuple[int, str], list[DefinitionDraft]]
) -> DefinitionDraft | None:
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


def _kept(drafts: list[DefinitionDraft], within: list[int], uses: list[ReferenceDraft]) -> list[int]:
    """The definitions that somebody may ask for, that have parts, or whose name stands in an expression."""
    told = {use.receiver for use in uses if use.receiver} | {draft.type for draft in drafts if draft.type}
    words = {word for each in told for word in IDENTIFIER.findall(each)}
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


def _definition(reader: ScriptReader, place: int, places: dict[int, int]) -> SymbolDefinition:
    tree = reader.tree
    draft = reader.drafts[place]
    first, last = draft.scope
    return SymbolDefinition(
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
        places[place if draft.kind in facts.CALLABLE else draft.parent],
        (tree.line(first), tree.line(last)) if last else (0, 0),
    )
