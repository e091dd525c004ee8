"""The rules of a document's prose, each held against the document's own examples before it is one."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

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
        self.bad: dict[int, list[Example]] = defaultdict(list)
        for each in examples:
            if not each.is_good:
                self.bad[each.topic].append(each)
        self._slips: set[int] = set()
        self._explained: set[int] = set()

    def is_shown(self, rule: Rule, topic: int) -> bool:
        """Whether a bad example of the topic breaks a rule, and no good one of it does."""
        is_bad = any(breaks(each, rule) for each in self.bad.get(topic, ()))
        return is_bad and not any(each.topic == topic and breaks(each, rule) for each in self.good)

    def allows(self, rule: Rule, topic: int) -> bool:
        """Whether the good examples let a ban in plain words stand: all of its topic, and nearly all of the others."""
        flagged = {each.line for each in self.good if breaks(each, rule)}
        own = {each.line for each in self.good if each.topic == topic}
        if flagged & own or len(self._slips | flagged) * SLIPS > len(self.good):
            return False
        self._slips |= flagged
        return True

    def spares_good(self, rule: Rule) -> bool:
        """Whether a rule is broken by no good example."""
        return not any(breaks(each, rule) for each in self.good)

    def add(self, rule: Rule) -> None:
        """Keep a rule unless another one finds the same."""
        same = [each for each in self.rules if (each.check, each.when) == (rule.check, rule.when)]
        if not same and len(self.rules) < MOST_RULES:
            self.rules.append(rule)

    def unexplained(self) -> Iterator[Example]:
        """The bad examples that no rule finds so far."""
        for each in [bad for shown in self.bad.values() for bad in shown]:
            if not any(breaks(each, rule) for rule in self.rules):
                yield each


def breaks(example: Example, rule: Rule) -> bool:
    """Whether an example breaks a rule."""
    source = example.source
    if not is_for(rule.languages, source.language) or not can_check(rule.check, source):
        return False
    try:
        return bool(find_breaches(rule, source))
    except InvalidSyntaxRule:
        return False
