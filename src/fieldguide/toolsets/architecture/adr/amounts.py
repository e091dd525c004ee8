"""The amounts in a text, by what they count: three times, thirty days, once a week."""

from fieldguide import linear_regex as re
from fieldguide.toolsets.architecture.adr.terms import terms_of

AMOUNTS = {
    word: number
    for number, word in enumerate(
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
    )
} | {"once": 1, "twice": 2, "twelve": 12, "hundred": 100, "thousand": 1000}
SECONDS = {
    "second": 1.0, "minute": 60.0, "hour": 3600.0, "day": 86_400.0, "week": 604_800.0, "month": 2_592_000.0,
    "quarter": 7_776_000.0, "year": 31_536_000.0,
}  # fmt: skip
FIGURE = re.compile(
    rf"\b(?P<amount>\d{{1,9}}(?:,\d{{3}})*(?:\.\d+)?|{'|'.join(AMOUNTS)})\s?-?(?P<unit>%|[a-z]+)", re.IGNORECASE
)
PERIOD = re.compile(
    r"\b(?:(?:(?P<times>once|twice)(?: times)?|(?P<many>\w+) times)\s+(?:a|an|per|each|every)|every|each|per)\s+"
    rf"(?P<unit>{'|'.join(SECONDS)})\b",
    re.IGNORECASE,
)


def amounts_in(text: str) -> dict[str, float]:
    """The amounts in a text by their unit; times in seconds, under one name."""
    found: dict[str, float] = {}
    for match in FIGURE.finditer(text):
        amount, unit = match.group("amount").lower(), (match.group("unit") or "").lower()
        value = float(AMOUNTS[amount]) if amount in AMOUNTS else float(amount.replace(",", ""))
        seconds = SECONDS.get(unit.removesuffix("s"))
        name = "period" if seconds else next(iter(terms_of(unit)), unit)
        found.setdefault(name, value * (seconds or 1.0))
    for match in PERIOD.finditer(text):
        times = AMOUNTS.get((match.group("times") or match.group("many") or "once").lower(), 1)
        found["rate"] = SECONDS[match.group("unit").lower()] / times
    return found
