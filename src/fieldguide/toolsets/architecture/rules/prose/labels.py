"""What a label says of the code below it (`// bad`, `**Good:**`, `### Don't`, `✅`), and a heading of its section."""

from fieldguide import linear_regex as re

BAD_MARKS, GOOD_MARKS = "❌✗✘🚫⛔👎", "✅✓✔👍"
LABEL = re.compile(
    r"^[\W_]*(?:(?P<turned>not )|[a-z]+ )?(?:(?P<bad>bad|wrong|incorrect)"
    r"|(?:good|right|correct|better|best|preferred|recommended))(?: [\w ]{1,20})?[\W_]*$"
    r"|^[\W_]*(?:(?P<never>don['’]?t|do not|avoid|never|no)|do|yes|prefer)(?: do)?(?: this)?[\W_]*$",
    re.IGNORECASE,
)
FIRST_PART = re.compile(r"^[\W_]*[^:,.(;–—-]*")
SECTION = re.compile(r"(?P<bad>pitfall|anti-?pattern|don['’]?ts\b|forbidden)|practice|\bdos\b", re.IGNORECASE)


def verdict_of(text: str) -> str | None:
    """`bad` or `good`; None for a text that is no label."""
    first = FIRST_PART.match(text.strip()[:200])
    label = LABEL.match(first.group()) if first and "`" not in first.group() else None
    if label is None:
        return marked(text)
    is_bad = bool(label.group("bad") or label.group("never"))
    return "bad" if is_bad != bool(label.group("turned")) else "good"


def marked(text: str) -> str | None:
    """What the sign at the beginning of a line says."""
    sign = text.strip()[:1] or " "
    return "bad" if sign in BAD_MARKS else "good" if sign in GOOD_MARKS else None


def section_of(heading: str) -> str | None:
    """Whether a section is one of pitfalls, which are bad, or one of practices."""
    found = SECTION.search(heading)
    return ("bad" if found.group("bad") else "good") if found else None
