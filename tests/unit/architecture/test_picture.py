"""What the panel of decisions is given, where there are more of them than it draws."""

from fieldguide.knowledge.decisions.reader import read_record
from fieldguide.toolsets.architecture.decisions import MOST_RECORDS, DecisionPicture
from tests.proves import proves


def pictured(count: int) -> DecisionPicture:
    """So many decisions, of which 9 supersedes 8."""
    said = {9: "Supersedes ADR 8."}
    records = [
        read_record(f"adr/{number:04}-d.md", f"# Decision {number}\n\n## Decision\n\n{said.get(number, 'Go on.')}\n")
        for number in range(1, count + 1)
    ]
    return DecisionPicture({f"architecture://adr/{each.number}": each for each in records})


@proves("Z-84")
def test_of_very_many_decisions_those_of_the_answer_with_their_ties_and_the_latest_are_drawn():
    picture = pictured(MOST_RECORDS + 30).told({"architecture://adr/8"})

    labels = [each["label"] for each in picture["records"]]
    assert (len(labels), picture["left_out"]) == (MOST_RECORDS, 30)
    assert labels[:3] == ["0008", "0009", "0033"]
    assert labels[-1] == f"{MOST_RECORDS + 30:04}"
    assert picture["records"][1]["supersedes"] == ["architecture://adr/8"]


@proves("Z-84")
def test_few_decisions_are_all_drawn_in_their_order():
    picture = pictured(3).told(set())

    assert [each["label"] for each in picture["records"]] == ["0001", "0002", "0003"]
    assert "left_out" not in picture
