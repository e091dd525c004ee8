"""What a bad example has and no good one, as a check: a call of something imported, or a pattern for ast-grep.

The pattern is the smallest piece of the bad example around what its good counterpart has otherwise, with variables for
its own names and values; where that is too little to be known again, it is more of the code around.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from fieldguide import linear_regex as re
from fieldguide.source_code.tokens import changed_tokens, tokens_of
from fieldguide.toolsets.architecture.rules.pattern import CallCheck, SyntaxCheck
from fieldguide.toolsets.architecture.rules.prose.examples import Example

if TYPE_CHECKING:
    from ast_grep_py import SgNode

IDENTIFIER = re.compile(r".*identifier.*|name|constant")
VALUE = re.compile(r".*(?:string|number|integer|float|int_literal).*")
CALL = re.compile(r".*(?:call|invocation|new_expression|creation).*")
MEMBER = re.compile(r".*(?:member|attribute|selector|field|access|scoped|navigation).*")
IMPORT = re.compile(r"import|comment")
CAPITALISED = re.compile(r"[A-Z]\w*[a-z]")
VARIABLES = [f"${letter}" for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"]
MOST_TOKENS = 400
MOST_NODES = 12
FEWEST_TOKENS = 10  # fewer are met everywhere: `return x;`, `if err != nil`
FEWEST_NAMED = 3  # `new X`, `x.y`: with one or two tokens a pattern is but a name
MANY_GOOD = 20  # so many good examples without a thing say that it is avoided; fewer may just not need it


class Difference(NamedTuple):
    """A check, how many tokens it asks for, and the names among them."""

    check: CallCheck | SyntaxCheck
    tokens: int
    names: frozenset[str]
    repeats: bool = False
    """Whether one variable stands in it twice: `$A = $A || {}`."""
    is_all: bool = False
    """Whether it is the whole bad example."""
    is_one: bool = True
    """Whether it is the one place where the two examples differ."""


def is_telling(found: Difference, spans: str, good: int, *, is_plain: bool) -> bool:
    """Whether nobody would write it by chance: it is long, or names what its section names or everybody knows."""
    if not is_plain or found.tokens < FEWEST_NAMED:
        return False
    if found.tokens >= FEWEST_TOKENS:
        return len(found.names) >= (1 if found.is_all else 2)
    is_known = found.repeats or any(CAPITALISED.match(name) for name in found.names)
    return found.is_one and (not found.names.isdisjoint(spans.split()) or (good >= MANY_GOOD and is_known))


def imported_call(bad: Example, good: Sequence[Example]) -> Iterator[Difference]:
    """The function of an imported module that only the bad example calls, if it does nothing else."""
    modules = _modules(bad)
    elsewhere = {name for each in good for call in each.source.calls for name in call.names}
    called = {call.names[-1] for call in bad.source.calls if call.names[0].partition(".")[0] in modules} - elsewhere
    if len(called) == len(_statements(bad)) == 1:
        yield Difference(
            CallCheck(tuple(called)), FEWEST_TOKENS, frozenset(name.rpartition(".")[2] for name in called), is_all=True
        )


def _statements(example: Example) -> "list[SgNode]":
    root = example.source.root
    return [node for node in root.children() if not IMPORT.search(node.kind())] if root else []


def differences(bad: Example, good: Sequence[Example]) -> Iterator[Difference]:
    """What might tell a bad example from its counterparts: the smallest piece of it first."""
    tokens = _tokens(bad) if bad.source.broken_line is None else []
    changed = [changed_tokens(tokens, _tokens(each)) for each in good if each.topic == bad.topic]
    fewest = min(filter(None, changed), key=len, default=None)
    if fewest is None or len(tokens) == MOST_TOKENS:
        return
    first, last = tokens[fewest[0]], tokens[fewest[-1]]
    inner = _around(first, last)
    own = {each.name for each in bad.source.definitions}
    for node in inner or _between(first, last):
        found = _difference(node, bad, own)
        yield found._replace(is_all=found.tokens == len(tokens), is_one=bool(inner))


def _tokens(example: Example) -> "list[SgNode]":
    return tokens_of(example.source.root, MOST_TOKENS) if example.source.root else []


def _around(first: "SgNode", last: "SgNode") -> "list[SgNode]":
    """The nodes that hold both, the smallest one first, without the root."""
    end = last.range().end.index
    nodes = [node for node in (first, *first.ancestors()) if node.range().end.index >= end]
    return [node for node in nodes if node.is_named() and node.parent() is not None][:MOST_NODES]


def _between(first: "SgNode", last: "SgNode") -> "list[SgNode]":
    """The statements from one token to another."""
    start, end = first.range().start.index, last.range().end.index
    statements = first.get_root().root().children()
    return [node for node in statements if node.range().end.index > start and node.range().start.index < end]


def _modules(example: Example) -> set[str]:
    return {name.rpartition(".")[2] for each in example.source.imports for name in each.names}


def _difference(node: "SgNode", bad: Example, own: set[str]) -> Difference:
    """The text of a node with variables for the names and the values that are the example's own."""
    start, whole, place = node.range().start.index, node.text(), 0
    modules = _modules(bad)
    pieces: list[str] = []
    names: set[str] = set()
    variables: dict[str, str] = {}
    repeats = False
    tokens = tokens_of(node, MOST_TOKENS)
    for token in tokens:
        text, span = token.text(), token.range()
        if text not in modules and _is_own(token, own):
            repeats = repeats or text in variables
            text = variables.setdefault(text, VARIABLES[min(len(variables), len(VARIABLES) - 1)])
        elif IDENTIFIER.fullmatch(token.kind()):
            names.add(text)
        between = whole[place : span.start.index - start]
        pieces += [between if not between.strip() else "\n" if "\n" in between else " ", text]
        place = span.end.index - start
    line = bad.source.text[:start].rpartition("\n")[2]
    pattern = "".join(pieces).replace("\n" + line[: len(line) - len(line.lstrip())], "\n")
    check = SyntaxCheck({bad.source.grammar or "": {"rule": {"pattern": pattern}}})
    return Difference(check, len(tokens), frozenset(names), repeats)


def _is_own(token: "SgNode", own: set[str]) -> bool:
    """Whether a token is a name or a value that other code would have another for."""
    kind, text, parent = token.kind(), token.text(), token.parent()
    if VALUE.fullmatch(kind) or text in own:
        return True
    if parent is None or not IDENTIFIER.fullmatch(kind) or CALL.fullmatch(parent.kind()):
        return False
    return not text[:1].isupper() and not (MEMBER.fullmatch(parent.kind()) and parent.child(0) != token)
