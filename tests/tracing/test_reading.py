"""What one text says that leads elsewhere, in many languages and spellings."""

import pytest

from fieldguide.knowledge.links.mentions import find_ids, parse_key
from fieldguide.knowledge.links.project_names import learn_families
from fieldguide.knowledge.links.trace_index import PlacedMark
from fieldguide.knowledge.links.trace_reading import (
    CLAIMS,
    DECISION_TEXT,
    DEFINES,
    NAMES,
    RELATES,
    read_trace_text,
    read_trace_words,
)
from fieldguide.text.citation import PATH, SYMBOL
from tests.proves import proves


def marks(path: str, text: str, role: str) -> list[tuple[str, str]]:
    return [(mark.name, mark.said) for mark in read_trace_text(path, text).marks if mark.role == role]


@pytest.mark.parametrize("spelling", ["ADR 0034", "adr-34", "ADR-034", "adr_34", "Adr 34"])
def test_every_spelling_of_an_id_has_one_key(spelling):
    assert parse_key(spelling) == ("ADR-34", "ADR")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("REQ-3, S1-26 and FR-1.2.", ["REQ-3", "S1-26", "FR-1.2"]),
        ("see UC-AUTH-007", ["UC-AUTH-7"]),
        ("REQ001 and RFC2119", ["REQ-1", "RFC-2119"]),
        ("docs/adr-001-x.md a/REQ-3.md x-REQ-3 REQ-3-b someone@REQ-3 REQ-3x", []),
        ("fixes #12 (&#39; a#1)", ["#12"]),
        ("decision 0039 and python-3", ["DECISION-39"]),
    ],
)
def test_ids_stand_alone(text, found):
    assert [each.key.name for each in find_ids(text)] == found


@proves("Y-70")
@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.md", "- REQ-3: It works."),
        ("a.md", "* [ ] **REQ-3** It works."),
        ("a.md", "| REQ-3 | It works. |"),
        ("a.md", "### REQ-3 It works"),
        ("a.md", "**REQ-3**: It works."),
        ("a.rst", ".. req:: It works\n   :id: REQ-3"),
        ("a.py", '    ("REQ-3", None,\n     "It works."),'),
        ("a.py", '    "REQ-3": "It works.",'),
        ("a.yaml", "- id: REQ-3\n  text: It works."),
        ("a.json", '{"id": "REQ-3", "text": "It works."}'),
        ("a.xml", '<requirement id="REQ-3">It works.</requirement>'),
    ],
)
def test_an_id_is_defined_at_the_head_of_what_is_said_of_it(path, text):
    assert [name for name, _ in marks(path, text, DEFINES)] == ["REQ-3"]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.md", "It works, as REQ-3 says."),
        ("a.py", '    "REQ-3",\n    "REQ-4",'),
        ("a.py", '    ["REQ-3", "REQ-4"],'),
        ("a.py", "# REQ-3 says so"),
        ("a.yaml", "- id: node-3\n  text: a machine"),
    ],
)
def test_an_id_that_is_only_named_is_not_defined(path, text):
    assert marks(path, text, DEFINES) == []


@proves("Y-65")
@pytest.mark.parametrize(
    ("path", "text", "test"),
    [
        ("tests/test_a.py", '@proves("REQ-3")\n@mark(\n    1,\n)\nasync def test_it(x):\n    pass\n', "test_it"),
        ("tests/test_a.py", "class TestIt:\n    # REQ-3\n    def test_it(self):\n        pass\n", "test_it"),
        ("tests/test_a.py", "def test_req_3_works():\n    pass\n", "test_req_3_works"),
        ("src/a.test.ts", 'describe("a", () => {\n  it("works (REQ-3)", () => {})\n})\n', "works (REQ-3)"),
        ("src/test/java/ATest.java", '  @Test\n  @Tag("REQ-3")\n  public void works() {\n  }\n', "works"),
        ("a_test.go", "func TestREQ_3_works(t *testing.T) {\n}\n", "TestREQ_3_works"),
        ("tests/a.rs", "#[test]\n// REQ-3\nfn works() {\n}\n", "works"),
        ("features/a.feature", "Feature: a\n\n  @REQ-3\n  Scenario: It works\n    Given a\n", "It works"),
    ],
)
def test_a_test_claims_an_id_above_it_in_its_title_or_in_its_name(path, text, test):
    assert ("REQ-3", test) in marks(path, text, CLAIMS)


def test_an_id_inside_of_a_test_is_named_by_that_test():
    text = "def helper():\n    pass\n\n\ndef test_it():\n    '''REQ-3'''\n    assert True\n"

    assert marks("tests/test_a.py", text, NAMES) == [("REQ-3", "test_it")]


def test_a_decision_is_numbered_or_lies_with_decisions_and_has_sections():
    text = "---\nstatus: Accepted\nsupersedes: ADR 2\n---\n\n# Use one queue\n\n## Decision\n\n`OutboxQueue`, twice.\n"
    found = read_trace_text("docs/architecture/adr-007-one-queue.md", text)

    assert (found.kind, found.title, found.status) == (DECISION_TEXT, "Use one queue", "accepted")
    assert ("ADR-2", "supersedes") in [(mark.name, mark.said) for mark in found.marks if mark.role == RELATES]
    assert [mark.name for mark in found.marks if mark.role == SYMBOL] == ["OutboxQueue"]
    assert read_trace_text("blog/2020-01-02-one-queue.md", text).kind == ""
    assert read_trace_text("docs/one-queue.md", text).kind == ""
    assert read_trace_text("docs/adr/template.md", text).kind == ""
    assert read_trace_text("docs/adr/0008-empty.md", "Just a line.\n").kind == ""


def test_paths_of_a_document_are_marks_and_addresses_elsewhere_are_not():
    text = "See `src/a.py`, [b](../b.md#L3), `lib/` and https://example.com/x/y.html, and/or e.g. this.\n"
    hosted = "https://github.com/o/r/blob/main/src/c.py#L1"

    assert [said for _, said in marks("docs/x.md", text, PATH)] == ["src/a.py", "../b.md", "lib/"]
    assert [said for _, said in marks("docs/x.md", hosted, PATH)] == ["src/c.py"]
    assert [said for _, said in marks("a.py", "# docs/adr/0039, src/b.py and x.md", PATH)] == ["docs/adr/0039", "x.md"]


def test_words_in_no_file_are_read_too():
    found = {(mark.name, mark.role) for mark in read_trace_words("Keep REQ-3 (#7)\n\nIn src/a.py, see `OutboxQueue`.")}

    assert found == {("REQ-3", NAMES), ("#7", NAMES), ("a.py", PATH), ("OutboxQueue", SYMBOL)}


@proves("Y-70")
def test_a_family_is_a_list_that_is_kept_in_one_place():
    def placed(path: str, *lines: str) -> list[PlacedMark]:
        return [PlacedMark(path, mark) for mark in read_trace_text(path, "\n".join(lines)).marks]

    listed = placed("r/a.md", "- R-1: a", "- R-2: b", "- R-3: c")
    everywhere = [
        each for path in ("a.md", "b.md", "c.md") for each in placed(path, "- N-1: a", "- N-2: b", "- N-3: c")
    ]
    scattered = [each for number in range(5) for each in placed(f"{number}/a.md", f"- K-{number}: a")]

    assert list(learn_families([*listed, *everywhere, *scattered, *placed("b.md", "- T-1: a", "- T-2: b")])) == ["R"]
