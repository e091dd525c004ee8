"""What a session was about, told by what it looked at."""

from datetime import UTC, datetime

from fieldguide.knowledge.findings.finding import create_finding
from fieldguide.knowledge.findings.sessions import FileAccess, find_topics
from tests.proves import proves

NOW = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
MODULES = {"src/auth/service.py": "authentication"}


def looks(**uses):
    return [FileAccess(path, count, NOW, NOW) for path, count in uses.items()]


@proves("U3-2", "U3-3")
def test_modules_come_before_folders_and_what_was_used_most_comes_first():
    files = looks(**{"src/auth/service.py": 2, "docs/guides/a.md": 5, "main.py": 1, "src/index.ts": 1, ".env": 1})

    assert find_topics(files, [], MODULES.get) == ["guides", "authentication", ".env", "index", "main"]


def test_the_modules_of_discoveries_count_too_and_five_names_are_enough():
    discoveries = [create_finding("rule", "x", module="billing"), create_finding("rule", "y")]
    files = looks(**{f"folder{number}/a.py": 1 for number in range(9)})

    assert find_topics(files, discoveries, MODULES.get) == ["billing", "folder0", "folder1", "folder2", "folder3"]


def test_a_session_that_looked_at_nothing_was_about_nothing():
    assert find_topics([], [], MODULES.get) == []
