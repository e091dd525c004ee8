"""What a label says of the code below it: `// bad`, `**Good:**`, `### Don't`, `✅`."""

from fieldguide import linear_regex as re

BAD_MARKS, GOOD_MARKS = "❌✗✘🚫⛔👎", "✅✓✔👍"
BAD = r"bad|wrong|incorrect"
GOOD = r"good|right|correct|better|best|preferred|recommended"
DONT = r"don['’]?t|do not|avoid|never|no"
DO = r"do|yes|prefer"
LABEL = re.compile(
    rf"^[\W_]*(?:(?P<turned>not )|[a-z]+ )?(?:(?P<bad>{BAD})|(?P<good>{GOOD}))(?: [\w ]{{1,20}})?[\W_]*$"
    rf"|^[\W_]*(?:(?P<dont>{DONT})|(?P<do>{DO}))(?: do)?(?: this)?[\W_]*$",
    re.IGNORECASE,
)
FIRST_PART = re.compile(r"^[\W_]*[^:,.(;–—-]*")
LONGEST_LABEL = 200


def verdict_of(text: str) -> str | None:
    """`bad` or `good`; None for a text that is no label."""
    said = text.strip()[:LONGEST_LABEL]
    if said[:1] in BAD_MARKS or said[:1] in GOOD_MARKS:
        return marked(said)
    first = FIRST_PART.match(said)
    label = LABEL.match(first.group()) if first and "`" not in first.group() else None
    if label is None:
        return None
    is_bad = bool(label.group("bad") or label.group("dont"))
    return "bad" if is_bad != bool(label.group("turned")) else "good"


def marked(text: str) -> str | None:
    """What the sign at the beginning of a line says."""
    sign = text.lstrip()[:1]
    return "bad" if sign and sign in BAD_MARKS else "good" if sign and sign in GOOD_MARKS else None
