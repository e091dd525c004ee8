"""Words of which one denies the other: public and private, always and never."""

from collections.abc import Iterator

# By words, not terms: some are too light to be terms.
OPPOSITES = tuple(
    (frozenset(one.split()), frozenset(other.split()))
    for one, other in (
        ("public", "private"), ("internal", "external"), ("manual manually hand", "automatic automatically automated"),
        ("enable enabled", "disable disabled"), ("open", "closed"),
        ("one single", "separate several many multiple two"),
        ("shared common", "separate own"), ("central centralised centralized", "distributed decentralised local"),
        ("static", "dynamic"), ("mutable", "immutable"), ("stateless", "stateful"), ("mandatory required", "optional"),
        ("strict", "loose relaxed"), ("global", "local"), ("singular", "plural"), ("uppercase", "lowercase"),
        ("permanent forever", "temporary"), ("online", "offline"), ("encrypted", "plain unencrypted"),
        ("always", "never"), ("tabs", "spaces"), ("short", "long"), ("push", "pull"),
    )
)  # fmt: skip


def turned_words(said: frozenset[str], words: frozenset[str]) -> Iterator[frozenset[str]]:
    """The pairs of which one text has the one side and the other text only the other, both sides together."""
    for one, other in OPPOSITES:
        if _is_turned(said, words, one, other) or _is_turned(said, words, other, one):
            yield one | other


def _is_turned(said: frozenset[str], words: frozenset[str], one: frozenset[str], other: frozenset[str]) -> bool:
    return bool(one & said and other & words) and not one & words
