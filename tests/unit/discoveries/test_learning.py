"""What commit messages and files that teach give, and what they must not give."""

import re
import time
import tomllib
from inspect import cleandoc
from pathlib import Path
from typing import NamedTuple

import pytest

from fieldguide.knowledge.findings.commit_message import (
    LEAST_CONFIDENCE,
    Teaching,
    find_teachings,
    is_whole,
    parse_message,
)
from fieldguide.knowledge.findings.lessons import find_module

LEAST_PRECISION = 0.9
LEAST_RECALL = 0.85
MESSAGES = Path(__file__).parents[2] / "golden" / "commit_messages.toml"


class Label(NamedTuple):
    """A finding that a reader would agree on."""

    types: str
    words: str


class Example(NamedTuple):
    """A commit message and what it holds."""

    message: str
    labels: tuple[Label, ...]


EXAMPLES = [
    Example(each["message"], tuple(Label(*label) for label in each.get("labels", ())))
    for style in tomllib.loads(MESSAGES.read_text("utf-8")).values()
    for each in style
]


def kept(message: str) -> list[Teaching]:
    found = find_teachings(parse_message(cleandoc(message)))
    return [each for each in found if each.confidence >= LEAST_CONFIDENCE]


def fits(finding: Teaching, label: Label) -> bool:
    return finding.type in label.types.split("|") and any(words in finding.content for words in label.words.split("|"))


def test_nine_in_ten_findings_are_what_a_reader_would_keep(capsys):
    pairs = [(example, kept(example.message)) for example in EXAMPLES]
    found = sum(len(findings) for _, findings in pairs)
    right = sum(any(fits(each, label) for label in example.labels) for example, findings in pairs for each in findings)
    labels = sum(len(example.labels) for example in EXAMPLES)
    seen = sum(any(fits(each, label) for each in findings) for example, findings in pairs for label in example.labels)

    with capsys.disabled():
        print(f"\n{len(EXAMPLES)} examples: precision {right / found:.3f} ({right}/{found}),", end=" ")
        print(f"recall {seen / labels:.3f} ({seen}/{labels})")
    assert len(EXAMPLES) >= 30
    assert right / found >= LEAST_PRECISION
    assert seen / labels >= LEAST_RECALL


def test_every_word_of_a_finding_is_the_authors():
    for example in EXAMPLES:
        said = plain(example.message)
        for finding in find_teachings(parse_message(cleandoc(example.message))):
            sentences = re.split(r"(?<=[.!?])\s+", finding.content)
            assert [each for each in sentences if plain(each) not in said] == [], example.message


def plain(text: str) -> str:
    """A text without spaces and marks of lists, scopes and ends of sentences, which cleaning may add or take away."""
    return re.sub(r"[\s.*:()-]+", "", text)


@pytest.mark.parametrize(
    ("line", "subject", "kind", "scope"),
    [
        ("fix(auth)!: reject it (#12)", "reject it", "fix", "auth"),
        ("feat: add it (closes #3)", "add it", "feat", ""),
        (":bug: Fix it", "Fix it", "", ""),
        ("🐛 Fix it.", "Fix it", "", ""),
        ("[ABC-12] Fix it", "Fix it", "", ""),
        ("ABC-12: fix: mend it", "mend it", "fix", ""),
        ("net: ipv4: Fix it", "net: ipv4: Fix it", "", ""),
        ("Use `x` (instead of y)", "Use `x` (instead of y)", "", ""),
        ("", "", "", ""),
        ("...", "...", "", ""),
    ],
)
def test_a_subject_loses_its_decoration(line, subject, kind, scope):
    message = parse_message(line)

    assert (message.subject or "...", message.kind, message.scope) == (subject or "...", kind, scope)


def test_a_body_is_its_sentences_without_what_machines_wrote():
    message = parse_message(
        cleandoc(
            """
            Keep one writer

            SQLite allows one, e.g. in WAL mode. Two of them
            wait for each other.
              - first **point**
              - second point,
                on two lines

                code(indented)

            ```python
            fenced = True
            ```
            > quoted by somebody
            ## A heading

            Fixes: 0123456789ab ("Write twice")
            Signed-off-by: Ann <ann@example.com>
            """
        )
    )

    assert message.sentences == (
        "SQLite allows one, e.g. in WAL mode.",
        "Two of them wait for each other.",
        "first point",
        "second point, on two lines",
    )
    assert message.names_fixed_commit


def test_a_sentence_that_was_broken_into_lines_is_one_subject():
    message = parse_message(
        "Fix the crash that occurs because the parser does not\nknow comments. It does now.\n\nMore."
    )

    assert message.subject == "Fix the crash that occurs because the parser does not know comments"
    assert message.sentences == ("It does now.", "More.")


def test_a_sentence_that_leans_on_the_subject_comes_with_it():
    (finding,) = kept("Guard the cache\n\nIt must never be read without the lock.")

    assert finding == Teaching("rule", "Guard the cache. It must never be read without the lock.", 0.8, "It must never")


def test_a_revert_in_a_part_of_the_program_stays_in_the_authors_words():
    (finding,) = kept("trust: Revert to the old order\n\nThe new one broke every client that sorts by name.")

    assert finding.content == "trust: Revert to the old order. The new one broke every client that sorts by name."


def test_a_revert_without_a_reason_and_a_bare_fix_are_below_the_line():
    found = [
        *find_teachings(parse_message('Revert "Add a cache to the tree walker"')),
        *find_teachings(parse_message("Fix the user page somehow")),
    ]

    assert [(each.type, each.confidence) for each in found] == [("decision", 0.5), ("issue", 0.45)]


def test_one_commit_gives_at_most_five_and_says_nothing_twice():
    named = ("heap", "stack", "disk", "clock", "bus", "net")
    rules = "\n".join(f"- Never touch {name} or its {name}-like {name}s, {name}ers and {name}ings." for name in named)
    echoed = "Keep one writer because two writers wait for each other\n\nKeep one writer because two writers wait."

    assert len(kept(f"Split the kernel\n\n{rules}")) == 5
    assert len(kept(echoed)) == 1


@pytest.mark.parametrize(
    "text", ["**a ", "(#1  ", "instead of ", "must never ", "Because it is. ", "a: ", "\n", "\n   ", "- a\n", "[", "🐛"]
)
def test_no_message_takes_long(text):
    begun = time.process_time()

    for message in (text * (65536 // len(text)), f"Fix x because\n\n{text * (65000 // len(text))}"):
        find_teachings(parse_message(message))

    assert time.process_time() - begun < 5.0


@pytest.mark.parametrize(
    ("subject", "paths", "module"),
    [
        ("fix(auth): it", ["src/shop/x.py"], "auth"),
        ("Fix it", ["src/auth/x.py"], "auth"),
        ("Fix it", ["src/auth/x.py", "src/auth/deep/y.py", "tests/test_x.py", "docs/auth.md", "CHANGELOG.md"], "auth"),
        ("Fix it", ["packages/web/index.ts"], "web"),
        ("Fix it", ["src/auth/x.py", "src/shop/x.py"], None),
        ("Fix it", ["main.py"], None),
        ("Fix it", ["tests/auth/test_x.py"], "tests"),
        ("Fix it", [], None),
    ],
)
def test_the_module_is_the_scope_or_the_top_folder_of_what_changed(subject, paths, module):
    assert find_module(parse_message(subject), paths) == module


WHOLE = [
    "Never delete the lock file with a force-push.",
    "Tokens that expired must never be renewed.",
    "Stop under the lock, so that nothing is stopped after its end",
    "Ensure that callers hold the lock.",
    "Make the cache smaller. This avoids swapping on small machines.",
    'Revert "Switch from tabs to spaces". It broke the Makefile, which needs tabs.',
    "This project must never depend on a compiler.",
    "Open the file again. That file may have been rotated, so the old handle is dead.",
]
BROKEN = [
    "Never delete that file with a force-push.", "Document releases. Never delete that file with a force-push.",
    "It must be called first.", "Never do it in production.", "We decided to drop it because nobody used it.",
    "Always use those flags when building.", "In this case the buffer must not be freed.",
    "Fix the crash described above", "The latter must always come first.", "Switch to the new parser because the",
    "Callers must hold the lock (see", "Shorten the subject so that it fits in...",
]  # fmt: skip


def test_a_finding_is_whole_unless_it_lost_its_subject_or_its_end():
    assert [text for text in WHOLE + BROKEN if is_whole(text)] == WHOLE


def test_a_sentence_that_points_back_is_kept_with_the_subject_that_it_points_at_or_not_at_all():
    pointing = "Rotate the journal file at midnight\n\nNever delete that file by hand because readers hold it open."
    lost = "Rotate the journal at midnight\n\nNever delete that file by hand because readers hold it open."

    assert [each.content for each in kept(pointing) if each.type == "rule"] == [
        "Rotate the journal file at midnight. Never delete that file by hand because readers hold it open."
    ]
    assert [each for each in kept(lost) if each.type == "rule"] == []


def test_the_comments_of_a_template_are_not_the_authors_words():
    message = (
        "Fix the typing of hooks\n\n<!-- go over the\npoints -->\nThe type was wrong because it named the base class."
    )

    assert [each.content for each in kept(message)] == [
        "Fix the typing of hooks. The type was wrong because it named the base class."
    ]
