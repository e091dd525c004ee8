"""What a record asks, what it answers, and what became of each option."""

import pytest

from fieldguide.knowledge.decisions.reader import read_record

HEAD = "# 7. Plants for shade\n\n## Status\n\nAccepted\n\n"
Y_STATEMENT = (
    "# Plants\n\nIn the context of a dark garden, facing dry soil, we decided for ferns and neglected moss, "
    "to achieve green in summer, accepting that they spread.\n"
)
RST = (
    "Plants for shade\n================\n\n:Status: Accepted\n\nContext\n-------\n\nWhich plants live in shade?\n\n"
    "Considered Options\n------------------\n\n* Ferns\n* Moss\n\nDecision\n--------\n\nWe will plant ferns.\n\n"
    ".. code-block:: text\n\n   We will plant roses.\n"
)
ASCIIDOC = (
    "= Plants for shade\n:status: accepted\n\n== Context\n\nWhich plants live in shade?\n\n== Considered Options\n\n"
    "* Ferns\n* Moss\n\n== Decision\n\n////\nWe will plant roses.\n////\n\nWe will plant ferns.\n"
)
LABELS = (
    HEAD + "## Considered Options\n\n### Option 1: Ferns\n\nGreen.\n\n### Option 2: Moss\n\nSoft.\n\n"
    "Cons:\n\n- it is slippery\n\n### Option 3: Roses\n\n## Decision\n\n"
)


def read(text, path="0007-plants.md"):
    return read_record(path, text)


def names(options):
    return [option.text for option in options]


@pytest.mark.parametrize(
    ("context", "asked", "line"),
    [
        ("It is dark. Which plants live there?", "Which plants live there?", 9),
        ("It is dark.\n\nWe need to decide which plants go there.", "We need to decide which plants go there.", 11),
        ("It is dark.", None, None),
        ("<!-- Which plants? -->\nIt is dark.", None, None),
        ("```\nWhich plants?\n```\n", None, None),
        ("{How should the problem be put?}", None, None),
    ],
)
def test_the_question_is_the_sentence_that_asks(context, asked, line):
    question = read(f"{HEAD}## Context\n\n{context}\n\n## Decision\n\nWe will plant ferns.\n").question

    assert (question and question.text, question and question.first_line) == (asked, line)


@pytest.mark.parametrize(
    ("decision", "answered", "line"),
    [
        ("We will plant ferns. They are green.", "We will plant ferns.", 9),
        ("The soil was measured twice. It was decided to plant ferns.", "It was decided to plant ferns.", 9),
        ("We decided:\n\n* Plant ferns", "We decided: Plant ferns", 9),
        ("### Plants\n\nPlant ferns.", "Plant ferns.", 11),
        ("<!-- We will plant roses. -->\n\nPlant ferns.", "Plant ferns.", 11),
        ("```\nWe will plant roses.\n```\n\nPlant ferns.", "Plant ferns.", 13),
        ("> We will plant roses.\n\nPlant ferns.", "Plant ferns.", 11),
        ('Chosen option: "{title of option 1}", because {justification}.', None, None),
        ("TBD", None, None),
        ("[describe the decision here]", None, None),
        ("We decided:", None, None),
        ("", None, None),
    ],
)
def test_the_answer_is_the_sentence_that_states_the_choice(decision, answered, line):
    answer = read(f"{HEAD}## Decision\n\n{decision}\n").answer

    assert (answer and answer.text, answer and answer.first_line) == (answered, line)


@pytest.mark.parametrize(("path", "text"), [("0007-plants.rst", RST), ("0007-plants.adoc", ASCIIDOC)])
def test_records_in_other_formats_have_the_same_parts(path, text):
    record = read(text, path)

    assert (record.title, record.status) == ("Plants for shade", "accepted")
    assert record.question is not None
    assert record.question.text == "Which plants live in shade?"
    assert record.answer is not None
    assert record.answer.text == "We will plant ferns."
    assert (names(record.chosen), names(record.rejected)) == (["Ferns"], ["Moss"])


def test_a_sentence_of_the_form_in_the_context_of_is_a_record():
    record = read(Y_STATEMENT)

    assert record.answer is not None
    assert record.answer.first_line == 3


@pytest.mark.parametrize(
    ("decision", "chosen", "rejected"),
    [
        ("We go with option 2.", ["Moss"], ["Ferns", "Roses"]),
        ("Chosen option: Moss, because it is soft.", ["Moss"], ["Ferns", "Roses"]),
        ('Chosen option: "Option 2".', ["Moss"], ["Ferns", "Roses"]),
        ("**Chosen option - #2**: soft", ["Moss"], ["Ferns", "Roses"]),
        ("We will plant moss, not roses.", ["Moss"], ["Ferns", "Roses"]),
        ("We adopt options 1 and 2.", ["Ferns", "Moss"], ["Roses"]),
        ("### Option 2: Moss\n\nIt is soft.", ["Moss"], ["Ferns", "Roses"]),
        ("Chosen option: Lawn.", ["Lawn"], []),
        ("We will think about it.", [], []),
        ("We do not choose option 2.", [], []),
    ],
)
def test_the_others_are_turned_down_only_when_the_choice_is_found_among_them(decision, chosen, rejected):
    record = read(LABELS + decision + "\n")

    assert names(record.considered) == ["Ferns", "Moss", "Roses"]
    assert (names(record.chosen), names(record.rejected)) == (chosen, rejected)


def test_a_reason_against_an_option_is_told_with_it():
    rejected = read(LABELS + "We go with option 1.\n").rejected

    assert (rejected[0].text, rejected[0].reason, rejected[0].line) == ("Moss", "it is slippery", 13)


@pytest.mark.parametrize(
    "listing",
    [
        "## Considered Options\n\n* Ferns\n* Moss",
        "## Options\n\n1. **Ferns**: green\n2. **Moss**: soft\n   - Good, because soft",
        "## Options\n\n**Option A:** Ferns\nGreen.\n\n**Option B:** Moss\nSoft.",
        "## Options\n\n### Ferns\n\n#### Pros\n\n- green\n\n### Moss\n\n#### Pros\n\n- soft",
        "**Options**\n\n- Ferns\n- Moss",
    ],
)
def test_options_are_read_however_they_are_listed(listing):
    record = read(f"{HEAD}{listing}\n\n## Decision\n\nWe will plant ferns.\n")

    assert (names(record.chosen), names(record.rejected)) == (["Ferns"], ["Moss"])


def test_alternatives_are_turned_down_but_arguments_about_them_are_no_options():
    plain = read(f"{HEAD}## Decision\n\nPlant ferns.\n\n## Alternatives\n\n### Moss\n\nSlippery.\n\n### Roses\n")
    argued = read(
        f"{HEAD}## Decision\n\nPlant ferns.\n\n## Alternatives\n\nMoss has two flaws:\n\n- Slippery\n- Yellow\n"
    )

    assert names(plain.rejected) == ["Moss", "Roses"]
    assert argued.rejected == ()


def test_a_record_in_a_table_of_rows_is_read():
    record = read("# Plants\n\n| | |\n| --- | --- |\n| Status | Accepted |\n| **Decision** | Plant ferns now. |\n")

    assert record.answer is not None
    assert (record.answer.text, record.answer.first_line, record.status) == ("Plant ferns now.", 6, "accepted")


@pytest.mark.parametrize(
    ("status", "word", "standing"),
    [
        ("~~Proposed~~ Accepted", "accepted", "in force"),
        ("Accepted (amended by [ADR-5](0005-a.md))", "accepted", "in force"),
        ("~~Accepted~~\n\nSuperseded by [ADR-12](0012-x.md)", "superseded", "retired"),
        ("Not accepted yet, in review", "in review", "proposed"),
    ],
)
def test_a_status_is_what_is_left_of_it(status, word, standing):
    record = read(f"# Plants\n\n## Status\n\n{status}\n\n## Decision\n\nPlant ferns.\n")

    assert (record.status, record.standing) == (word, standing)


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("0007-plants.rst", "Superseded by `ADR 9 <0009-moss.rst>`_"),
        ("0007-plants.adoc", "Superseded by xref:0009-moss.adoc[Moss]"),
    ],
)
def test_links_in_other_formats_tie_records(path, said):
    title = "Plants\n======\n\nStatus\n------\n\n" if path.endswith("rst") else "= Plants\n\n== Status\n\n"
    references = read(f"{title}{said}\n", path).references

    assert [(each.tie, each.number, each.path) for each in references] == [("superseded_by", 9, "0009-moss")]
