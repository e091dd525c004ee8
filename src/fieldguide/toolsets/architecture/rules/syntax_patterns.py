"""Prepares ast-grep rules for each language, and proves that their patterns can match.

ast-grep parses a pattern as a file of its own, where code may mean something else than it does in a function: in Go
`db.Query(x)` is a type conversion there, in Java `int x;` is a local variable. So a pattern is parsed in every frame of
its language, and tried on code that was made of it: the readings that find this code are kept. A pattern without such
a reading can't match anything. In languages without frames a pattern is taken as it is.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, islice, product
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from fieldguide.code.parsing import find_broken_node, parse_tree
from fieldguide.text import regex as re
from fieldguide.toolsets.architecture.rules.checking import InvalidSyntaxRule, search_syntax
from fieldguide.toolsets.architecture.rules.pattern import SyntaxCheck, SyntaxRule

if TYPE_CHECKING:
    from ast_grep_py import SgNode

BODY = "BODY"
VARIABLE = re.compile(r"\$\$\$[A-Z_0-9]*|\$\$?[A-Z_][A-Z0-9_]*")
MANY = ("", "first, second", "first", "work()", "work();", "{ }", "pass")
ONE = ("value", "Name", '"text"', "1", "work()", "string")
MOST_TRIED = 24
KEPT_WAYS = 2_000
MOST_CHARACTERS = 60_000  # that are parsed to judge one pattern in one language; what is longer is taken as it is
DECLARES = re.compile(r"declar|definition|_item$|property|field")
NESTED = ("inside", "has", "precedes", "follows", "not")


class UnmatchablePattern(InvalidSyntaxRule):
    """A pattern that finds no code of its language."""


class PatternFrames(NamedTuple):
    """Code around a pattern, which stands for `BODY`: in a function, in a type, at the top, behind other code.

    `value` is where an expression can stand that is no statement by itself.
    """

    body: tuple[str, ...]
    member: tuple[str, ...] = ()
    top: tuple[str, ...] = ()
    clause: tuple[str, ...] = ()
    value: tuple[str, ...] = ()

    def all(self) -> tuple[str, ...]:
        """Every frame, the likeliest first."""
        return (*self.body, *self.clause, *self.member, *self.top, *self.value)


IN_METHOD = "class Example {\n    void example() {\n        BODY\n    }\n}\n"
IN_CLASS = "class Example {\n    BODY\n}\n"
FRAMES: dict[str, PatternFrames] = {
    "go": PatternFrames(
        body=("package example\n\nfunc example() {\n\tBODY\n}\n",),
        value=("package example\n\nfunc example() {\n\t_ = BODY\n}\n",),
        clause=(
            "package example\n\nfunc example() {\n\tswitch value {\n\tBODY\n\t}\n}\n",
            "package example\n\nfunc example() {\n\tselect {\n\tBODY\n\t}\n}\n",
        ),
        member=(
            "package example\n\ntype Example struct {\n\tBODY\n}\n",
            "package example\n\ntype Example interface {\n\tBODY\n}\n",
        ),
        top=("package example\n\nBODY\n", "BODY\n"),
    ),
    "java": PatternFrames(
        body=(IN_METHOD.replace(BODY, "BODY;"), IN_METHOD),
        value=(IN_METHOD.replace(BODY, "var example = BODY;"),),
        clause=(IN_METHOD.replace(BODY, "try { work(); } BODY"), IN_METHOD.replace(BODY, "switch (value) { BODY }")),
        member=(IN_CLASS, "interface Example {\n    BODY\n}\n", "enum Example {\n    BODY\n}\n"),
        top=("BODY\n", "BODY class Example { }\n"),
    ),
    "kotlin": PatternFrames(
        body=("fun example() {\n    BODY\n}\n",),
        clause=("fun example() {\n    try { work() } BODY\n}\n", "fun example() {\n    when (value) { BODY }\n}\n"),
        member=(IN_CLASS,),
        top=("BODY\n", "BODY class Example { }\n"),
    ),
    "rust": PatternFrames(
        body=("fn example() {\n    BODY;\n}\n", "fn example() {\n    BODY\n}\n"),
        value=("fn example() {\n    let x = BODY;\n}\n",),
        clause=("fn example() {\n    match value { BODY }\n}\n",),
        member=("impl Example {\n    BODY\n}\n", "trait Example {\n    BODY\n}\n", "struct Example {\n    BODY\n}\n"),
        top=("BODY\n", "BODY\nfn example() { }\n"),
    ),
    "php": PatternFrames(
        body=("<?php\nBODY;\n", "<?php\nBODY\n", "<?php\nfunction example() {\n    BODY\n}\n"),
        clause=("<?php\ntry { work(); } BODY\n",),
        member=("<?php\nclass Example {\n    BODY\n}\n",),
    ),
    "python": PatternFrames(
        body=("BODY\n", "async def example():\n    BODY\n", "for value in values:\n    BODY\n"),
        clause=("try:\n    work()\nBODY\n", "if value:\n    work()\nBODY\n", "BODY\ndef example(): pass\n"),
    ),
    "javascript": PatternFrames(
        body=(
            "BODY\n",
            "BODY;\n",
            "async function example() {\n  BODY\n}\n",
            "function* example() {\n  BODY\n}\n",
        ),
        clause=("try {\n  work();\n} BODY\n", "switch (value) {\n  BODY\n}\n", "if (value) { } BODY\n"),
        member=(IN_CLASS,),
    ),
    "ruby": PatternFrames(
        body=("BODY\n", "def example\n  BODY\nend\n"),
        clause=("begin\n  work\nBODY\nend\n",),
        member=("class Example\n  BODY\nend\n",),
    ),
    "dart": PatternFrames(
        body=("void example() {\n  BODY;\n}\n", "void example() {\n  BODY\n}\n"),
        member=(IN_CLASS, "class Example {\n  BODY;\n}\n"),
    ),
    "solidity": PatternFrames(
        body=("contract Example {\n    function example() public {\n        BODY;\n    }\n}\n",),
        member=("contract Example {\n    BODY\n}\n",),
    ),
    "hcl": PatternFrames(body=("example = BODY\n",), member=('resource "a" "b" {\n  BODY\n}\n',), top=("BODY\n",)),
}
FRAMES["csharp"] = FRAMES["java"]._replace(member=(IN_CLASS, "interface Example {\n    BODY\n}\n"))
FRAMES["typescript"] = FRAMES["javascript"]._replace(
    member=(IN_CLASS, "interface Example {\n  BODY\n}\n"), top=("BODY class Example { }\n",)
)
FRAMES["tsx"] = FRAMES["typescript"]


def find_written_pattern(pattern: object, language: str) -> str | None:
    """A pattern as its author wrote it, also where it was placed in a frame; None for one that has its own context."""
    if isinstance(pattern, str):
        return pattern
    context = cast("Mapping[str, Any]", pattern).get("context") if isinstance(pattern, Mapping) else None
    if not isinstance(context, str):
        return None
    for frame in FRAMES[language].all() if language in FRAMES else ():
        before, _, after = frame.partition(BODY)
        if before + after != "\n" and context.startswith(before) and context.endswith(after):
            return context.removeprefix(before).removesuffix(after)
    return context.strip()


def _place_rule(rule: Mapping[str, Any], language: str) -> tuple[dict[str, Any], str]:
    """A rule object whose patterns are parsed in their frames, and the pattern that keeps it from matching, if any."""
    placed: dict[str, Any] = {**rule}
    unmatched = ""
    for key in NESTED:
        if isinstance(rule.get(key), Mapping):
            placed[key], _ = _place_rule(rule[key], language)
    for key, is_enough in (("any", any), ("all", all)):
        if isinstance(rule.get(key), list) and all(isinstance(each, Mapping) for each in rule[key]):
            parts = [_place_rule(each, language) for each in rule[key]]
            placed[key] = [part for part, _ in parts]
            lacks = [lack for _, lack in parts]
            if parts and not is_enough(not lack for lack in lacks):
                unmatched = unmatched or next(filter(None, lacks))
    pattern = rule.get("pattern")
    if not isinstance(pattern, str):
        return placed, unmatched
    ways = _ways(pattern, language)
    if not ways:
        return placed, unmatched or pattern
    if len(ways) == 1:
        placed["pattern"] = ways[0]
        return placed, unmatched
    del placed["pattern"]
    either = {"any": [{"pattern": way} for way in ways]}
    if "any" in placed:
        placed["all"] = [*placed.get("all", ()), either]
    else:
        placed |= either
    return placed, unmatched


@lru_cache(maxsize=KEPT_WAYS)
def _ways(pattern: str, language: str) -> tuple[Any, ...]:
    """The readings of a pattern for ast-grep: as it is, or in a frame, one for each kind of node that it can be."""
    frames = FRAMES.get(language)
    if frames is None:
        return (pattern,)
    written = pattern.strip()
    trials = _Trials(written, language)
    ways: list[Any] = []
    kinds: set[str] = set()
    for frame in frames.all():
        if kinds and (frame in frames.value or not any(DECLARES.search(kind) for kind in kinds)):
            break  # a call is not also the signature of a method, wherever its grammar would take it for one
        kind = trials.kind(frame)
        if kind is None or kind in kinds:
            continue
        around = {"context": frame.replace(BODY, written), "selector": kind}
        for way in (pattern, around):
            if trials.are_found(way, frame):
                if way not in ways:
                    ways.append(way)
                kinds.add(kind)
                break
    if not ways and trials.left <= 0:
        return (pattern,)
    return tuple(ways)


class _Trial(NamedTuple):
    """Valid code that was made of a pattern, and its node in the frame."""

    code: str
    root: "SgNode"
    node: "SgNode"


class _Trials:
    """Code that was made of one pattern, in the frames of a language."""

    def __init__(self, pattern: str, language: str) -> None:
        self._language = language
        self._codes = list(_instances(pattern, language))
        self._made: dict[str, list[_Trial]] = {}
        self._making: dict[str, Iterator[_Trial]] = {}
        self.left = MOST_CHARACTERS

    def kind(self, frame: str) -> str | None:
        """The kind of the pattern's node in a frame; None where it can't occur."""
        trial = next(self._in(frame), None)
        return None if trial is None else trial.node.kind()

    def are_found(self, way: Any, frame: str) -> bool:
        """Whether ast-grep, with one reading of the pattern, finds some of the code in a frame."""
        for trial in self._in(frame):
            try:
                found = search_syntax(trial.root, {"rule": {"pattern": way}})
            except InvalidSyntaxRule:
                return False
            if any(node.text().strip().rstrip(";") == trial.code for node in found):
                return True
        return False

    def _in(self, frame: str) -> Iterator[_Trial]:
        """The trials in a frame, parsed on demand."""
        made = self._made.setdefault(frame, [])
        yield from list(made)
        for trial in self._making.setdefault(frame, self._parse(frame)):
            made.append(trial)
            yield trial

    def _parse(self, frame: str) -> Iterator[_Trial]:
        before = frame.index(BODY)
        for code in self._codes:
            text = frame.replace(BODY, code)
            self.left -= len(text)
            root = parse_tree(text, self._language) if self.left > 0 else None
            if root is None or find_broken_node(root) is not None:
                continue
            bare = code.rstrip(";").rstrip()
            for written in (code, bare, f"{bare};"):
                node = _find_spanning(root, before, before + len(written))
                if node is not None:
                    yield _Trial(bare, root, node)
                    break


def _find_spanning(root: "SgNode", start: int, end: int) -> "SgNode | None":
    """The innermost named node that takes exactly this span."""
    found: SgNode | None = None
    node: SgNode | None = root
    while node is not None:
        place = node.range()
        if (place.start.index, place.end.index) == (start, end) and node.is_named():
            found = node
        node = next((each for each in node.children() if _encloses(each, start, end)), None)
    return found


def _encloses(node: "SgNode", start: int, end: int) -> bool:
    place = node.range()
    return place.start.index <= start and place.end.index >= end


def _instances(pattern: str, language: str) -> Iterator[str]:
    """The pattern with something in place of each of its variables, the likeliest first."""
    variables = list(dict.fromkeys(VARIABLE.findall(pattern)))
    one = ("$value", *ONE) if language == "php" else ONE
    choices = [MANY if each.startswith("$$$") else one for each in variables]

    def fill(values: Sequence[str]) -> str:
        given = dict(zip(variables, values, strict=True))
        return VARIABLE.sub(lambda match: given[match.group()], pattern)

    made: set[str] = set()
    for values in islice(chain(_equal_values(variables, one), product(*choices)), MOST_TRIED * 4):
        code = fill(values)
        if code not in made:
            made.add(code)
            yield code
        if len(made) == MOST_TRIED:
            return


def _equal_values(variables: Sequence[str], one: Sequence[str]) -> Iterator[Sequence[str]]:
    """Values for the variables in which all variables of a kind have the same value."""
    for many, single in product(MANY, one):
        yield [many if each.startswith("$$$") else single for each in variables]


MAIN_LANGUAGES = ("python", "typescript", "tsx", "javascript", "go", "java", "csharp", "kotlin", "rust", "ruby", "php")
PARTS = ("rule", "constraints", "utils")
MOST_PARTS = 2_000
DEEPEST = 40


def read_syntax_check(written: object, languages: Sequence[str], *, is_required: bool) -> SyntaxCheck:
    """A check of a rule object or a pattern, for the languages in which it can match something.

    Raises InvalidSyntaxRule when there is no such language.
    """
    rule = _rule_object(written)
    _refuse_enormous(rule)
    by_language: dict[str, SyntaxRule] = {}
    refusal: InvalidSyntaxRule | None = None
    for language in _grammars(languages) if languages else MAIN_LANGUAGES:
        try:
            by_language[language] = _make_rule(rule, language)
        except UnmatchablePattern as error:
            refusal = refusal or error
        except InvalidSyntaxRule as error:
            refusal = refusal or error
            if language in languages:
                raise InvalidSyntaxRule(f"ast-grep does not take it for {language}: {error}") from error
    if not by_language or (languages and not by_language.keys() & set(languages)):
        if isinstance(refusal, UnmatchablePattern):
            raise InvalidSyntaxRule(str(refusal))
        raise InvalidSyntaxRule(f"ast-grep does not take it: {refusal}")
    return SyntaxCheck(by_language, is_required)


def _grammars(languages: Sequence[str]) -> Iterator[str]:
    """The languages, and those whose code is often pasted under their name; the latter may refuse the rule."""
    yield from languages
    if "typescript" in languages or "javascript" in languages:
        yield from (each for each in ("tsx", "javascript") if each not in languages)


def _rule_object(written: object) -> dict[str, Any]:
    if isinstance(written, str):
        return {"rule": {"pattern": written}}
    if not isinstance(written, Mapping) or not written:
        raise InvalidSyntaxRule("an ast-grep rule is a pattern or a mapping with `rule`")
    given = cast("Mapping[str, Any]", written)
    if "rule" not in given:
        return {"rule": dict(given)}
    unknown = sorted(set(given) - set(PARTS))
    if unknown:
        raise InvalidSyntaxRule(f"`{unknown[0]}` is no part of a rule: only {', '.join(PARTS)} are")
    if isinstance(given["rule"], str):
        return {**given, "rule": {"pattern": given["rule"]}}
    return dict(given)


def _refuse_enormous(rule: object) -> None:
    """Counts every part, shared ones each time, as the engine would meet them."""
    left = MOST_PARTS
    waiting: list[tuple[object, int]] = [(rule, 0)]
    while waiting:
        part, depth = waiting.pop()
        left -= 1
        if left < 0 or depth > DEEPEST:
            raise InvalidSyntaxRule("the rule is too large or nested too deeply")
        if isinstance(part, Mapping):
            part = list(cast("Mapping[str, object]", part).values())
        if isinstance(part, list):
            waiting += [(each, depth + 1) for each in cast("list[object]", part)]


def _make_rule(rule: dict[str, Any], language: str) -> SyntaxRule:
    """The rule for one language, with its patterns parsed where they can occur; whether `utils` match is not judged."""
    root = parse_tree(" ", language)
    if root is None:
        raise InvalidSyntaxRule("there is no parser for it")
    inner: Any = rule["rule"]
    if not isinstance(inner, Mapping):
        raise InvalidSyntaxRule("an ast-grep rule is a pattern or a mapping with `rule`")
    given = cast("Mapping[str, Any]", inner)
    pattern = given.get("pattern")
    if isinstance(pattern, str) and any(
        pattern.count(pair[0]) != pattern.count(pair[1]) for pair in ("()", "[]", "{}")
    ):
        raise InvalidSyntaxRule(f"the brackets of `{pattern[:60]}` are not closed")
    kinds = sorted(set(_required_kinds(given)))
    if len(kinds) > 1:
        raise UnmatchablePattern(f"it can match nothing: no node is both `{kinds[0]}` and `{kinds[1]}`")
    placed = dict(rule)
    placed["rule"], unmatched = _place_rule(given, language)
    if unmatched:
        raise UnmatchablePattern(f"`{unmatched[:60]}` can match nothing in {language}: no code is parsed that way")
    for key in ("constraints", "utils"):
        named = rule.get(key)
        if isinstance(named, Mapping):
            placed[key] = dict(cast("Mapping[str, Any]", named))
            for name, each in placed[key].items():
                if isinstance(each, Mapping):
                    placed[key][name], _ = _place_rule(cast("Mapping[str, Any]", each), language)
    search_syntax(root, placed)
    return placed


def _required_kinds(rule: Mapping[str, Any]) -> Iterator[str]:
    """Yield the kinds that a node must have, by the rule itself and by each of its `all`."""
    kind = rule.get("kind")
    if isinstance(kind, str) and kind.isidentifier():
        yield kind
    every: object = rule.get("all")
    members = cast("list[object]", every) if isinstance(every, list) else []
    for each in members:
        if isinstance(each, Mapping):
            yield from _required_kinds(cast("Mapping[str, Any]", each))
