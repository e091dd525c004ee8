"""`guide_flow`: the steps of something as a call tree, and the path between two symbols."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from fieldguide.spine.tool import compact_json
from fieldguide.text.tokens import count_exact_tokens
from fieldguide.toolsets.guide.flow import split_topics
from tests.document_wires import Ask, Told, ask_over_stdio
from tests.git_projects import GitProject
from tests.processes import eventually
from tests.proves import proves

ALL = ("--toolsets", "context,guide")
CODE = {
    "shop/app.py": """\
from shop.orders import place_order
from shop.payment import CardGateway


def main():
    place_order(CardGateway(), [1, 2])
""",
    "shop/orders.py": '''\
from threading import Thread

from shop.mail import send_receipt
from shop.payment import Gateway
from shop.stock import reserve_stock


def place_order(gateway: Gateway, goods):
    """Take an order from a customer."""
    total = compute_discount(goods)
    reserve_stock(goods)
    gateway.charge(total)
    Thread(target=send_receipt).start()
    guess(goods)


def compute_discount(goods):
    """The discount for many goods."""
    return sum(goods)


def guess(thing):
    thing.count_shelves()
''',
    "shop/payment.py": """\
from abc import ABC, abstractmethod


class Gateway(ABC):
    @abstractmethod
    def charge(self, total):
        ...


class CardGateway(Gateway):
    def charge(self, total):
        return authorise_card(total)


def authorise_card(total):
    return total
""",
    "shop/stock.py": """\
class Shelf:
    def count_shelves(self):
        return 3


def reserve_stock(goods):
    \"\"\"Reserve the stock in the warehouse.\"\"\"
    return len(goods)
""",
    "shop/mail.py": "def send_receipt():\n    return 'receipt'\n",
    "tests/test_orders.py": "from shop.orders import place_order\n\n\ndef test_it():\n    place_order(None, [])\n",
}
QUESTION = "How is an order placed: the discount, the reserved stock, the receipt, and then zeppelin gymnastics?"


@pytest.fixture(scope="module")
def ask(tmp_path_factory) -> Iterator[Ask]:
    made = GitProject(tmp_path_factory.mktemp("shop"))
    for path, text in CODE.items():
        made.write(path, text)
    made.commit_all("Open a shop")
    with ask_over_stdio(made, *ALL) as asking:
        assert eventually(lambda: is_whole(asking("guide_flow", **{"from": "main", "to": "authorise_card"})))
        yield asking


def is_whole(told: Told) -> bool:
    return not told.is_error and "notes" not in told.structured


def steps(told: Told) -> dict[str, dict[str, Any]]:
    return {item["symbol"]: item for item in told.structured["items"]}


@proves("G-140")
def test_a_question_is_answered_by_a_tree_of_calls_from_where_it_begins(ask):
    told = ask("guide_flow", question=QUESTION)
    found = steps(told)

    assert (found["main"]["depth"], found["place_order"]["depth"], found["compute_discount"]["depth"]) == (0, 1, 2)
    assert (found["reserve_stock"]["via"], found["reserve_stock"]["certain"], found["reserve_stock"]["at"]) == (
        "call",
        True,
        11,
    )
    assert found["send_receipt"]["via"] == "spawned"
    assert found["reserve_stock"]["shown"] is False
    assert found["reserve_stock"]["citation"].startswith("shop/stock.py#L6-L8@")
    assert "→ :11 `reserve_stock(goods)` shop/stock.py:6-8 reserve_stock" in told.texts[0]
    assert not any(item["path"].startswith("tests/") for item in told.structured["items"])


@proves("G-140")
def test_a_part_of_a_question_that_nothing_answers_is_named(ask):
    told = ask("guide_flow", question=QUESTION)

    assert "Nothing found for: zeppelin gymnastics." in told.structured["notes"]
    assert "Nothing found for: zeppelin gymnastics." in told.texts[0]


@proves("G-141")
def test_the_path_between_two_symbols_goes_through_what_implements_an_interface(ask):
    told = ask("guide_flow", **{"from": "main", "to": "authorise_card"})

    path = [(item["symbol"], item.get("via")) for item in told.structured["items"]]
    assert path == [
        ("main", None),
        ("place_order", "call"),
        ("Gateway.charge", "call"),
        ("CardGateway.charge", "implements"),
        ("authorise_card", "call"),
    ]
    assert "⇒" in told.texts[0]


@proves("G-141")
def test_a_step_that_only_a_name_tells_is_marked_and_one_that_is_not_there_is_said(ask):
    unsure = ask("guide_flow", **{"from": "place_order", "to": "Shelf.count_shelves"})
    none = ask("guide_flow", **{"from": "reserve_stock", "to": "compute_discount"})

    assert [item.get("certain") for item in unsure.structured["items"]] == [None, True, False]
    assert "→? :23 `thing.count_shelves()`" in unsure.texts[0]
    assert "No way along calls was found from reserve_stock to compute_discount." in none.texts[0]
    assert [item["symbol"] for item in none.structured["items"]] == ["place_order"], "who calls it"


@proves("G-142")
@pytest.mark.parametrize("budget", [200, 300, 600])
def test_no_answer_exceeds_its_budget(ask, budget):
    told = ask("guide_flow", question=QUESTION, budget=budget)

    assert count_exact_tokens(told.texts[0]) <= budget
    assert count_exact_tokens(compact_json(told.structured)) <= budget


@proves("G-142")
@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({}, "Give a question, or both from and to."),
        ({"from": "main"}, "Give a question, or both from and to."),
        ({"question": "how", "from": "main", "to": "place_order"}, "Give a question, or both from and to."),
        ({"question": " "}, "The question is blank."),
        ({"from": "main", "to": "place_ordre"}, "No such symbol"),
    ],
)
def test_wrong_arguments_are_refused_with_a_sentence(ask, given, sentence):
    told = ask("guide_flow", **given)

    assert sentence in told.error
    if "ordre" in str(given):
        assert json.loads(told.error)["didYouMean"] == ["place_order"]


def test_a_question_is_split_into_what_it_names():
    asked = "How does a posted alert become a notification that is sent to a receiver, including grouping and retries?"

    assert split_topics(asked) == ["posted alert", "notification", "sent", "receiver", "grouping", "retries"]
    assert split_topics("How does it work?") == []
