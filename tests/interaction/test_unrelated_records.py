"""Findings and ended sessions answer the questions that they fit, and no others."""

import json

import pytest

from tests.document_wires import Ask, ask_over_stdio
from tests.indexed_projects import index_whole
from tests.processes import eventually
from tests.projects import Project
from tests.proves import proves

ALL = ("--toolsets", "architecture,context,documents,guide,tasks")
FINDINGS = (
    "Never delete the journal of the shop while the importer runs, because its position is kept there.",
    "Money is counted in whole cents, since fractions were rounded twice.",
    "Mails must go out through the queue, so that a crash loses none.",
)
RELATED = ("may the journal be deleted while the importer runs", "is money counted in cents or in fractions")
UNRELATED = ("where is a voucher printed", "how are passwords hashed", "which colour has the button of the basket")


@pytest.fixture
def shop(project: Project) -> Project:
    for name in ("voucher", "password", "basket", "button", "page", "login", "import", "report"):
        text = f'def {name}_of(user):\n    """The {name} of a user, made anew."""\n    return user.{name}\n'
        project.write(f"shop/{name}s.py", text)
    project.write("docs/vouchers.md", "# Vouchers\n\nA voucher is printed by `voucher_of`, in black.\n")
    with ask_over_stdio(project, *ALL) as ask:
        ask("read_file", path="shop/vouchers.py")
        ask("read_file", path="shop/passwords.py")
        for finding in FINDINGS:
            ask("guide_record", type="rule", content=finding)
    index_whole(project.root)
    return project


def kinds(ask: Ask, tool: str, **given: object) -> list[str]:
    told = ask(tool, **given)
    return [item["kind"] for item in told.structured["items"]]


def sources(ask: Ask, query: str, **given: object) -> list[str]:
    return [item["source"] for item in json.loads(ask("context_search", query=query, **given).texts[0])["results"]]


@proves("S3-46")
def test_a_question_gets_records_that_fit_it_and_no_others(shop):
    with ask_over_stdio(shop, *ALL) as ask:
        assert eventually(
            lambda: "indexing" not in ask("guide_search", query="where is a voucher printed").structured, every=1.5
        )

        for question in UNRELATED:
            found = sources(ask, question, limit=20)
            assert found[:5] == ["code"] * 5, question
            assert found == sorted(found, key=lambda source: source != "code"), question
            assert "finding" not in kinds(ask, "guide_search", query=question), question
            assert "finding" not in kinds(ask, "guide_brief", task=question), question
        for question in RELATED:
            assert sources(ask, question)[0] == "discovery", question
            assert "finding" in kinds(ask, "guide_search", query=question)[:2], question
            assert "finding" in kinds(ask, "guide_brief", task=question), question


@proves("S3-46")
def test_a_record_that_does_not_fit_is_found_where_it_is_asked_for(shop):
    with ask_over_stdio(shop, *ALL) as ask:
        found = sources(ask, "which colour has the button of the basket", type="rule")

    assert {*found} == {"discovery"}
