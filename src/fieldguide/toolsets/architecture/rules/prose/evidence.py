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

    def is_shown(self, rule: Rule, topic: int) -> bool:
        """Whether a bad example of the topic breaks a rule, and no good one of it does."""
        bad, good = (
            [each for each in examples if each.topic == topic and breaks(each, rule)]
            for examples in (self.bad, self.good)
        )
        return bool(bad) and not good

    def add_ban(self, rule: Rule, topic: int) -> bool:
        """Keep a ban in plain words if it spares the good examples: all of its topic, nearly all of the others."""
        flagged = {each.line: each.topic for each in self.good if breaks(each, rule)}
        if topic in flagged.values() or len(self._slips | flagged.keys()) * SLIPS > len(self.good):
            return False
        self._slips |= flagged.keys()
        self.rules.append(rule)
        return True

    def add_shown(self, rule: Rule, topic: int) -> bool:
        """Keep a rule that is read from an example if it finds that one, and no good one at all."""
        if len(self.rules) >= MOST_RULES or not self.is_shown(rule, topic):
            return False
        if any(breaks(each, rule) for each in self.good):
            return False
        self.rules.append(rule)
        return True

    def has_bad(self, topic: int) -> bool:
        """Whether a topic shows what is bad."""
        return any(each.topic == topic for each in self.bad)

    def is_found(self, example: Example) -> bool:
        """Whether a rule finds an example already."""
        return any(breaks(example, rule) for rule in self.rules)


def breaks(example: Example, rule: Rule) -> bool:
    """Whether an example breaks a rule."""
    source = example.source
    if not is_for(rule.languages, source.language) or not can_check(rule.check, source):
        return False
    try:
        return bool(find_breaches(rule, source))
    except InvalidSyntaxRule:
        return False
