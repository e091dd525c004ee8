"""`guide_search`: one list across everything that the project knows; each hit opens and says why it is there."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from fieldguide.text.citation import hash_lines, read_citation
from fieldguide.text.windows import ByteLines
from tests.context_wires import refusal
from tests.document_wires import Ask, Told, ask_over_stdio
from tests.held_indexing import held_sqlite_turn
from tests.processes import eventually
from tests.projects import Project
from tests.proves import proves

ROOT = Path(__file__).parent.parent.parent
ALL = ("--toolsets", "architecture,context,directive,documents,guide,tasks")
QUESTION = "how are refunds split between gift cards and bank accounts"
REFUNDS = '''\
"""Refunds of orders."""


class RefundSplitter:
    """Splits a refund between the gift card and the bank account that an order was paid with."""

    def split(self, order, amount):
        """What goes back to the gift card first, and the rest to the bank account."""
        card = min(amount, order.paid_by_gift_card)
        return card, amount - card
'''
TEST = '''\
"""Tests of refunds."""


def test_refunds_go_to_the_gift_card_before_the_bank_account():
    assert RefundSplitter().split(Order(paid_by_gift_card=5), 8) == (5, 3)
'''
DOCUMENT = "# Refunds\n\n## Splitting\n\nA refund is split: gift cards get theirs first, then bank accounts.\n"
DECISION = """\
---
status: accepted
---

# Split refunds between gift cards and bank accounts

## Context and Problem Statement

Refunds of orders that were paid with gift cards went to bank accounts, which was forbidden.

## Decision Outcome

Chosen option: "gift cards first", because the law says so.
"""
PATTERN = "# Refund pattern\n\nEvery refund between gift cards and bank accounts goes through RefundSplitter.\n"
SPEC = "# Spec: refunds\n\nRefunds must be split between gift cards and bank accounts.\n"
FINDING = "Refunds to gift cards that have expired fail; bank accounts must get them"
OTHER = "# Deployment\n\nThe pipeline builds an image and rolls it out to the cluster at night.\n"
FILES = {
    "src/orders/refunds.py": REFUNDS,
    "tests/test_refunds.py": TEST,
    "docs/refunds.md": DOCUMENT,
    "docs/decisions/0007-split-refunds.md": DECISION,
    "mcp/resources/patterns/refund-pattern.md": PATTERN,
    "directive/specs/refunds/spec.md": SPEC,
    "docs/deployment.md": OTHER,
    "src/orders/shipping.py": "def ship(order):\n    return order.address\n",
}


def write_all(project: Project) -> None:
    for path, text in FILES.items():
        project.write(path, text)


@contextmanager
def serving(project: Project, *flags: str) -> Iterator[Ask]:
    """A project with something of every kind, asked over stdio by ann."""
    write_all(project)
    with ask_over_stdio(project, *ALL, "--user", "ann", *flags) as ask:
        ask("guide_record", type="issue", content=FINDING)
        ask("add_task", title="Refunds to bank accounts and gift cards: round the cents", description="Half a cent up")
        whole(ask)
        yield ask


@pytest.fixture
def served(project):
    with serving(project) as ask:
        yield ask


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    with serving(Project(tmp_path_factory.mktemp("refunds"))) as ask:
        yield ask


def search(ask: Ask, query: str = QUESTION, **more: object) -> Told:
    return ask("guide_search", query=query, **more)


def items(told: Told) -> list[dict[str, object]]:
    found: list[dict[str, object]] = told.structured["items"]
    return found


def by_kind(told: Told) -> dict[object, object]:
    return {item["kind"]: item["path"] for item in reversed(items(told))}


def whole(ask: Ask) -> None:
    def is_whole() -> bool:
        told = search(ask, limit=20)
        return {"decision", "document", "code"} <= by_kind(told).keys() and "indexing" not in told.structured

    assert eventually(is_whole)


def test_one_list_has_every_kind_with_where_and_why(served):
    told = search(served, limit=20)

    assert by_kind(told) == {
        "code": "src/orders/refunds.py",
        "test": "tests/test_refunds.py",
        "document": "docs/refunds.md",
        "decision": "docs/decisions/0007-split-refunds.md",
        "pattern": "mcp/resources/patterns/refund-pattern.md",
        "spec": "directive/specs/refunds/spec.md",
        "finding": by_kind(told)["finding"],
        "task": "task://1",
    }
    assert [item["path"] for item in items(told)].count("docs/decisions/0007-split-refunds.md") == 1
    assert "docs/deployment.md" not in told.texts[0]
    for item in items(told):
        assert {"citation", "path", "start", "end", "kind", "why"} <= item.keys()
        assert f"{item['kind']} {item['citation']}" in told.texts[0]
    reasons = {item["kind"]: str(item["why"]) for item in items(told)}
    assert reasons["document"].startswith("section Refunds > Splitting; has ")
    assert "gift" in reasons["code"]
    assert reasons["task"].startswith("open; has ")


def test_a_symbol_that_is_named_says_so(shared):
    first = items(search(shared, "where is RefundSplitter defined"))[0]

    assert first["path"] == "src/orders/refunds.py"
    assert first["symbol"] == "RefundSplitter"
    assert str(first["why"]).startswith("you name it")


NAMES = (
    "SHIP-4711", "E0308", "ERR_CONN_RESET", "db-01.internal.example.net", "parse_header_v2", "parseHeaderFast",
    "3f1c9a7be2d04458a1c6f0b9d27e5a8c4b6d1e90", "9fb2c41", "v1.2.3-rc4", "--no-verify", "X-Request-Id", "0x80070005",
    "8b6f3c1e-52a4-4b7d-9c0e-1f2a3b4c5d6e", "PAYMENT_GATEWAY_URL", "gift-card.config.yaml", "RefundDeniedException",
    "10.42.17.8", "CVE-2024-31497", "#48213",
)  # fmt: skip
FILLER = "Orders are packed in the evening and leave the house with the first truck of the morning, rain or shine. "


@proves("D-41")
def test_every_exact_identifier_in_prose_is_shown(project):
    write_all(project)
    for number, name in enumerate(NAMES):
        paragraphs = [f"## Part {part}\n\n{FILLER * 6}\n" for part in range(6)]
        note = f"The night shift keeps a note on {name} beside the packing table, and nobody knows why."
        paragraphs[3] += f"\n{note}\n" if number % 2 else f"\n{FILLER * 4}{note} {FILLER * 2}\n"
        project.write(f"docs/shift/page-{number}.md", f"# Page {number}\n\n" + "\n".join(paragraphs))
    with ask_over_stdio(project, *ALL) as ask:
        whole(ask)
        for number, name in enumerate(NAMES):
            for question in (name, f"what does {name} mean", f"where is {name} mentioned?"):
                told = search(ask, question)
                shown = [line for line in told.texts[0].split("\n") if line.partition("|")[0].isdigit()]
                assert f"docs/shift/page-{number}.md" in [item["path"] for item in items(told)[:3]], question
                assert any(name in line for line in shown), question


def test_the_best_code_and_the_best_prose_are_the_first_two_and_no_test_is(shared):
    for question in (QUESTION, "who gets money back first, the card or the bank", "return money to a gift card"):
        kinds = [item["kind"] for item in items(search(shared, question))]
        assert "code" in kinds[:2], question
        assert {"document", "decision", "spec"} & set(kinds[:2]), question


@pytest.mark.parametrize("query", [QUESTION, "tests of refunds", "workflow of the gift card"])
def test_a_shorter_list_is_the_beginning_of_a_longer_one(shared, query):
    citations = [item["citation"] for item in items(search(shared, query, limit=10))]

    assert len(citations) > 3
    for limit in (1, 2, 3):
        assert [item["citation"] for item in items(search(shared, query, limit=limit))] == citations[:limit]


def test_a_copy_is_named_by_the_first_and_a_long_file_has_two_hits(project):
    write_all(project)
    project.write("docs/copies/refunds.md", DOCUMENT.replace("# Refunds\n", "# Refunds\n\nAnother beginning.\n"))
    filler = "".join(f"Nothing in line {number}.\n\n" for number in range(70))
    told_of = (
        "## Split refunds {0}\n\nHow refunds are split between gift cards and bank accounts, {0}.\n\n## Moss {0}\n\n{1}"
    )
    parts = [told_of.format(number, filler) for number in range(5)]
    project.write("docs/long.md", "# Long\n\n" + "".join(parts))
    with ask_over_stdio(project, *ALL) as ask:
        whole(ask)
        told = search(ask, limit=50)

    paths = [item["path"] for item in items(told)]
    assert len([path for path in paths if str(path).endswith("/refunds.md")]) == 1
    kept = next(item for item in items(told) if str(item["path"]).endswith("/refunds.md"))
    assert "refunds.md#L" in str(kept["also"])
    assert paths.count("docs/long.md") == 2
    long = next(item for item in items(told) if item["path"] == "docs/long.md")
    assert long["also"]
    assert all(int(str(item["end"])) - int(str(item["start"])) < 100 for item in items(told))


def test_kinds_keep_the_list_to_some_in_the_singular_or_the_plural(shared):
    tests = search(shared, kinds=["tests"])
    some = search(shared, kinds=["Decision", "code"])

    assert {item["kind"] for item in items(tests)} == {"test"}
    assert {item["kind"] for item in items(some)} == {"decision", "code"}
    assert [item["kind"] for item in items(search(shared, kinds=["task"]))] == ["task"]
    assert len(items(search(shared, limit=2))) == 2


def test_what_cannot_be_meant_is_refused_in_words(shared):
    unknown = refusal(search(shared, kinds=["poem"]))

    assert unknown["error"] == (
        "There is no kind 'poem'; the kinds are code, test, document, decision, pattern, finding, task, spec, "
        "config, ci, build, template, markup, style, translation, data, sql, shell."
    )
    assert unknown["tool"] == "guide_search"
    assert "blank" in refusal(search(shared, " \n"))["error"]
    assert refusal(search(shared, limit=51))["error"] == "Invalid parameters"
    assert refusal(search(shared, limit=0))["error"] == "Invalid parameters"


@proves("D-41")
def test_a_question_that_nothing_fits_gets_the_nearest_marked_and_what_to_try(shared):
    told = search(shared, "snorkeling with dolphins in the horoscope of aquarius")

    assert [item["unsure"] for item in items(told)] == [True, True, True]
    assert told.structured["fit"] == "nothing fits well"
    assert told.texts[0].startswith("Nothing fits well: these are the nearest, marked as unsure. Searched: ")
    assert " [unsure]: " in told.texts[0]
    assert "of code" in told.structured["hint"]
    assert "Try other or fewer words" in told.structured["hint"]


def test_odd_questions_are_answered_like_others(served):
    for query in (
        "refunds \x00 gift",
        "返金 ギフトカード",
        "(' OR \" AND NEAR(",
        "x",
        "?" * 2000,
        "refund " * 250,
    ):
        assert not search(served, query).is_error


def test_tasks_are_for_their_user_alone_and_sessions_for_nobody(project):
    write_all(project)
    with ask_over_stdio(project, *ALL, "--user", "ann") as ann:
        ann("add_task", title="Refunds of gift cards to bank accounts")
        whole(ann)
        own = search(ann, limit=50)
    with ask_over_stdio(project, *ALL, "--user", "bob") as bob:
        whole(bob)
        others = search(bob, limit=50)
    with ask_over_stdio(project, *ALL) as anybody:
        whole(anybody)
        nobodys = search(anybody, limit=50)

    assert "task" in by_kind(own)
    assert "task" not in by_kind(others)
    assert "task" not in by_kind(nobodys)
    assert not any("session" in str(item["kind"]) for item in (*items(own), *items(others)))


def test_every_citation_is_of_the_bytes_that_lie_there_and_opens(project, served):
    project.write("docs/refunds.md", f"One line more.\r\n{DOCUMENT}")  # the index may not know it yet

    for item in items(search(served, limit=50)):
        citation = read_citation(str(item["citation"]))
        assert citation is not None
        assert (citation.path, citation.start_line, citation.end_line) == (item["path"], item["start"], item["end"])
        if "://" not in citation.path:
            lines = ByteLines((project.root / citation.path).read_bytes())
            assert citation.hash == hash_lines(lines.between(citation.start_line, citation.end_line))
        opened = served("guide_open", citation=str(item["citation"]))
        assert not opened.is_error, opened.texts


def test_lines_are_shown_as_they_are_and_files_that_are_gone_are_not(project, served):
    (project.root / "src/orders/refunds.py").unlink()

    told = search(served, limit=50)

    assert "src/orders/refunds.py" not in told.texts[0]
    shown = [line.partition("| ") for line in told.texts[0].split("\n") if line.partition("| ")[0].isdecimal()]
    assert ("4", "| ", "def test_refunds_go_to_the_gift_card_before_the_bank_account():") in shown


def test_an_answer_before_the_index_is_whole_says_so(project):
    for number in range(100):
        project.write(f"docs/pages/{number}.md", f"# Page {number}\n\nNothing of interest, number {number}.\n" * 3)
    write_all(project)
    with held_sqlite_turn(project.root), ask_over_stdio(project, *ALL) as ask:
        told = search(ask)

    assert "docs/refunds.md" in [item["path"] for item in items(told)]
    assert told.structured["indexing"]["done"] < told.structured["indexing"]["total"]
    assert "files are in the index so far" in told.texts[0]


def test_toolsets_that_are_not_served_are_not_searched(project):
    write_all(project)
    with ask_over_stdio(project, *ALL) as ask:
        whole(ask)
    with ask_over_stdio(project, "--toolsets", "documents,guide") as ask:
        told = search(ask, limit=50)

    assert {item["kind"] for item in items(told)} == {"document"}
    shutil.rmtree(project.root / "docs")


LONG_SPLIT = '''\
"""Vouchers of orders."""

import decimal
import logging
import os


def count_vouchers(orders):
    """How many vouchers the orders have."""
    return sum(len(order.vouchers) for order in orders)


def redeem_vouchers_of_orders(orders, ledger):
    """Redeems the vouchers of every order, and books what is left of each in the ledger."""
{body}    return ledger


def forget_vouchers(orders):
    """Forgets the vouchers of orders."""
    for order in orders:
        order.vouchers = []
'''
VOUCHER_STEP = """\
    for voucher in sorted(orders[{0}].vouchers):
        ledger.book("voucher {0}", voucher.redeem(orders[{0}].total), reason="a voucher of an order was redeemed")
"""


def test_a_hit_is_a_whole_definition_and_says_which_lines_are_shown(project):
    write_all(project)
    text = LONG_SPLIT.format(body="".join(map(VOUCHER_STEP.format, range(20))))
    project.write("src/orders/vouchers.py", text)
    lines = text.split("\n")
    with ask_over_stdio(project, *ALL) as ask:
        whole(ask)
        told = search(ask, "how does redeem_vouchers_of_orders book what is left of a voucher", limit=3)

    first = items(told)[0]
    begin = next(number for number, line in enumerate(lines, 1) if line.startswith("def redeem"))
    assert str(first["symbol"]) == "redeem_vouchers_of_orders"
    assert int(str(first["start"])) in (begin, lines.index("def count_vouchers(orders):") + 1)
    assert int(str(first["end"])) in (lines.index("    return ledger") + 1, len(lines) - 1)
    assert f"{begin}| def redeem_vouchers_of_orders(orders, ledger):" in told.texts[0]
    assert "import decimal" not in told.texts[0]
    assert "shown" not in first


def test_an_item_without_its_lines_says_so(shared):
    told = search(shared, "where is an order shipped", limit=50)

    named = [item for item in items(told) if item.get("shown") is False]
    assert named
    text = told.texts[0].split("\n")
    for item in items(told):
        place = next(number for number, line in enumerate(text) if f" {item['citation']}" in line)
        has_lines = place + 1 < len(text) and text[place + 1].partition("|")[0].isdigit()
        assert has_lines == (item.get("shown") is not False)


def test_a_name_has_two_hits_at_most_and_the_first_tells_of_the_others(project):
    write_all(project)
    for number in range(5):
        project.write(
            f"src/carriers/carrier{number}.py",
            f'def cancel_pickup(parcel):\n    """Cancels the pickup of a parcel at carrier {number}."""\n'
            f"    parcel.pickup.cancel(carrier={number})\n    return parcel.pickup.state_{number}\n",
        )
    with ask_over_stdio(project, *ALL) as ask:
        whole(ask)
        told = search(ask, "cancel the pickup of a parcel", limit=20)

    same = [item for item in items(told) if item.get("symbol") == "cancel_pickup"]
    assert len(same) == 2
    assert str(same[0]["also"]).count("src/carriers/carrier") == 3


def test_code_comes_before_a_test_that_says_more_of_the_question(project):
    project.write("src/response.py", "class Response:\n    def charset(self):\n        return self.header.encoding\n")
    project.write(
        "tests/test_response.py",
        "def test_the_charset_of_the_response_is_decoded_from_the_header():\n"
        '    """How the response charset is decoded: the charset of the header."""\n'
        "    response = Response(charset='latin-1')\n    assert response.charset() == 'latin-1'\n",
    )
    with serving(project) as ask:
        kinds = [item["kind"] for item in items(search(ask, "how is the response charset decoded"))]

    assert kinds[0] == "code"
    assert "test" in kinds
