"""What the files teach that are written to teach: decision records, and the rules that a project gives itself.

A commit is the evidence for what its diff brought into such a file, if the newest version still says it.
"""

from collections.abc import Iterable, Iterator, Mapping

from fieldguide import linear_regex as re
from fieldguide.discoveries.commit_message import sentences_of
from fieldguide.discoveries.learning import MOST_CHARACTERS, Teaching
from fieldguide.discoveries.learning_words import LEANING
from fieldguide.discoveries.phrases import any_of
from fieldguide.project_history.git_history import Commit

DECISION_RECORD = re.compile(
    r"(?:^|/)(?:adrs?|decisions|decision[-_]records)/(?:[^/]+/)*[^/]*\d[^/]*\.(?:md|markdown)$", re.IGNORECASE
)
RULEBOOK = re.compile(
    r"(?:^|/)(?:agents|claude|gemini|contributing|conventions|style|style-?guide|coding[-_]style|copilot-instructions)"
    r"\.(?:md|markdown)$",
    re.IGNORECASE,
)
FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
NUMBER = re.compile(r"(?:adr)?[-\s#]{0,3}\d+\s?[.:–—-]?\s+", re.IGNORECASE)
STATUS = re.compile(r"^[#* \t-]{0,9}status\W{1,9}(\w+)", re.MULTILINE | re.IGNORECASE)
NOT_IN_FORCE = frozenset({"proposed", "draft", "rejected", "superseded", "deprecated", "withdrawn"})
OUTCOME = re.compile(
    r"^#{2,3} decision(?: outcome)?[ \t]*\n(.*?)(?=^#{1,3} |\Z)", re.MULTILINE | re.IGNORECASE | re.DOTALL
)
RULE = any_of(
    "never", "always", "must(?: not)?", "only (?:through|by|in|from|if|when)", r"^(?:do not|don't|only|avoid) \S+"
)
LEAST_RULE_WORDS = 5
MOST_RULES = 200
DECISION_CONFIDENCE = 0.95
RULE_CONFIDENCE = 0.75


def is_taught(path: str) -> bool:
    """Whether a file is a decision record or a book of rules."""
    return DECISION_RECORD.search(path) is not None or RULEBOOK.search(path) is not None


def findings_in_files(commits: Iterable[Commit], contents: Mapping[str, str]) -> Iterator[tuple[Commit, str, Teaching]]:
    """What each commit, newest first, brought into such files and is still there, with the file's path."""
    newest: dict[str, frozenset[Teaching]] = {}
    for commit in commits:
        for change in commit.changes:
            if not is_taught(change.path):
                continue
            before = teachings(change.path, contents.get(change.before or "", ""))
            after = teachings(change.path, contents.get(change.after or "", ""))
            still = newest.setdefault(change.path, frozenset(after))
            yield from ((commit, change.path, each) for each in after if each in still and each not in before)


def teachings(path: str, text: str) -> list[Teaching]:
    """What a file says: the decision of a decision record that is in force, the rules of a book of rules."""
    return _decision(text) if DECISION_RECORD.search(path) else _rules(text)


def _decision(text: str) -> list[Teaching]:
    title = next((line[2:].strip(" #") for line in text.splitlines() if line.startswith("# ")), "")
    status = STATUS.search(text)
    if not title or (status and status[1].lower() in NOT_IN_FORCE):
        return []
    outcome = OUTCOME.search(FRONT_MATTER.sub("", text))
    first = next(sentences_of(outcome[1]), "") if outcome else ""
    content = f"{NUMBER.sub('', title, count=1).rstrip('.')}. {first}".strip()
    return [Teaching("decision", content[:MOST_CHARACTERS], DECISION_CONFIDENCE, "decision record")]


def _rules(text: str) -> list[Teaching]:
    found: list[Teaching] = []
    for sentence in sentences_of(FRONT_MATTER.sub("", text)):
        rule = RULE.search(sentence)
        is_whole = len(sentence.split()) >= LEAST_RULE_WORDS and not LEANING.match(sentence)
        if rule and is_whole and not sentence.endswith((":", "?")):
            found.append(Teaching("rule", sentence[:MOST_CHARACTERS], RULE_CONFIDENCE, rule[0]))
    return found[:MOST_RULES]
