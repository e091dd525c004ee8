"""The flow of calls as a picture of steps, and the way from a question to a symbol."""

import re
from urllib.parse import quote_plus

import pytest

from tests.indexed_projects import index_whole
from tests.interaction.page_views.conftest import HOSTILE, Page
from tests.projects import Project
from tests.proves import proves
from tests.servers import http_server

EVIL = "<img src=x onerror=alert(1)>"
PARCELS = f'''\
"""Sends parcels."""

from shop.stock import reserve_stock


def send_parcel(order):
    """Send the parcel of an order: {EVIL}"""
    reserve_stock(order)
    order.carrier.collect_parcel(order)


def collect_parcel(order):
    """Collect a parcel at the door."""
    return order
'''
STOCK = '''\
def reserve_stock(order):
    """Take the goods of an order from the shelf."""
    return count_goods(order)


def count_goods(order):
    return len(order)
'''


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    project = Project(tmp_path_factory.mktemp("flow"))
    project.write("shop/stock.py", STOCK)
    project.write(f"shop/parcels {EVIL}.py", PARCELS)
    index_whole(project.root)
    with http_server(project.root, "--user", "ann") as url:
        yield Page(url)


def steps(text):
    return re.findall(
        r'<li class="step( unsure)?">(?:<a class="via"[^>]*>([^<]*)</a>)?<div class="box"><a [^>]*><b>(\w+)', text
    )


@proves("Z-256")
def test_the_way_between_two_functions_is_drawn_step_by_step(shop):
    text = shop.get("/flow?from=send_parcel&to=count_goods&part=steps").text

    assert steps(text) == [
        ("", "", "send_parcel"),
        ("", "calls at line 8", "reserve_stock"),
        ("", "calls at line 3", "count_goods"),
    ]
    assert 'href="/code/shop/stock.py?symbol=count_goods&amp;line=6"' in text
    assert 'href="/code/shop/stock.py?line=3#L3"' in text
    assert text.count('<ol class="flow"') == text.count("</li></ol>") == 3


@proves("Z-256")
def test_a_step_that_is_not_certain_is_marked(shop):
    text = shop.get("/flow?from=send_parcel&to=collect_parcel&part=steps", X_Fragment="1").text

    assert steps(text)[-1] == (" unsure", "calls at line 9, by its name only", "collect_parcel")


@proves("Z-256")
def test_a_question_gets_steps_and_nothing_asked_gets_advice(shop):
    asked = shop.get(f"/flow?q={quote_plus('how is a parcel sent and stock reserved')}&part=steps").text

    assert {"send_parcel", "reserve_stock"} <= {name for _, _, name in steps(asked)}
    assert "Nothing asked yet" in shop.get("/flow").text
    assert "No such symbol" in shop.get("/flow?from=nothing&to=here&part=steps").text


@proves("Z-254", "Z-256")
@pytest.mark.parametrize("query", ["q={}", "from={}&to={}", "from=send_parcel&to=count_goods"])
def test_hostile_questions_names_and_paths_are_text(shop, query):
    text = shop.get(f"/flow?{query.replace('{}', quote_plus(HOSTILE))}&part=steps").text

    assert "<script>alert" not in text
    assert "<img src=x" not in text
    assert "\u202e" not in text


@proves("Z-257")
@pytest.mark.parametrize(
    "question",
    ["What is reserve_stock, and who uses it?", "who uses reserve_stock?", "where is `reserve_stock` defined"],
)
def test_a_question_for_a_symbol_leads_to_it(shop, question):
    answer = shop.get(f"/search?q={quote_plus(question)}")

    assert (answer.status, answer.headers["location"]) == (303, "/code/shop/stock.py?symbol=reserve_stock&line=1")


@proves("Z-257")
def test_a_name_alone_has_its_definition_first_and_other_questions_stay_a_search(shop):
    named = shop.get("/search?q=reserve_stock").text
    typed = shop.get("/search?q=What+is+reserve_stock", X_Fragment="1").text

    first = named.partition('<li class="hit">')[2].partition("</li>")[0]
    assert 'href="/code/shop/stock.py?symbol=reserve_stock&amp;line=1"' in first
    assert 'href="/code/shop/stock.py?symbol=reserve_stock&amp;line=1"' in typed
    assert shop.get("/search?q=what+is+a+parcel").status == 200
    assert 'href="/flow?q=how+is+stock+reserved"' in shop.get("/search?q=how+is+stock+reserved").text
