"""The rules of a document's prose, each held against the document's own examples before it is one."""

from collections.abc import Sequence

from fieldguide.toolsets.architecture.rules.checking.hits import InvalidSyntaxRule, can_check
from fieldguide.toolsets.architecture.rules.checking.reporting import find_breaches
from fieldguide.toolsets.architecture.rules.code.languages import is_for
from fieldguide.toolsets.architecture.rules.pattern import Rule
from fieldguide.toolsets.architecture.rules.prose.examples import Example

SLIPS = 100  # a ban in plain words may stand against one good example in so many: authors of long guides err, too
MOST_RULES = 200


class Evidence:
    """What the examples say of a rule, and the rules that they let stand."""

    def __init__(self, examples: Sequence[Example], languages: tuple[str, ...]) -> None:
        self.rules: list[Rule] = []
        self.languages = languages or tuple(sorted({each.source.language or "" for each in examples}))
        self.good = [each for each in examples if each.is_good]
        self.bad = [each for each in examples if not each.is_good]
        self._slips: set[int] = set()
        self._found: set[int] = set()

    def is_shown(self, rule: Rule, topic: int) -> bool:
        """Whether a bad example of the topic breaks a rule, and no good one of it does."""
        bad, good = ([each for each in some if each.topic == topic] for some in (self.bad, self.good))
        return any(breaks(each, rule) for each in bad) and not any(breaks(each, rule) for each in good)

    def add_ban(self, rule: Rule, topic: int) -> bool:
        """Keep a ban in plain words if it spares the good examples: all of its topic, nearly all of the others."""
        if len(self.rules) >= MOST_RULES:
            return False
        flagged = {each.line: each.topic for each in self.good if breaks(each, rule)}
        if topic in flagged.values() or len(self._slips | flagged.keys()) * SLIPS > len(self.good):
            return False
        self._slips |= flagged.keys()
        self._add(rule, self.bad)
        return True

    def add_shown(self, rule: Rule, topic: int, names: frozenset[str]) -> bool:
        """Keep a rule that is read from an example if it finds that one, and no good one with the same names."""
        alike = [each for each in self.good if all(name in each.source.text for name in names)]
        if len(self.rules) >= MOST_RULES or not self.is_shown(rule, topic) or any(breaks(each, rule) for each in alike):
            return False
        self._add(rule, [each for each in self.bad if each.topic == topic])
        return True

    def has_bad(self, topic: int) -> bool:
        """Whether a topic shows what is bad."""
        return any(each.topic == topic for each in self.bad)

    def is_found(self, bad: Example) -> bool:
        """Whether a rule finds a bad example already."""
        return bad.line in self._found

    def _add(self, rule: Rule, shown: Sequence[Example]) -> None:
        self.rules.append(rule)
        self._found |= {each.line for each in shown if breaks(each, rule)}


def breaks(example: Example, rule: Rule) -> bool:
    """Whether an example breaks a rule."""
    source = example.source
    if not is_for(rule.languages, source.language) or not can_check(rule.check, source):
        return False
    try:
        return bool(find_breaches(rule, source))
    except InvalidSyntaxRule:
        return False
