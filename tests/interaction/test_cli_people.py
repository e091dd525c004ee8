"""What the commands of the guide print for people: places that open, telling lines, colours, no protocol words."""

import json
import re

import pytest

from tests.interaction.test_background_index import Terminal
from tests.servers import run
from tests.shop_projects import shop_in

PROTOCOL = re.compile(r"guide_\w+|grep_codebase|`kinds`|#L\d+|@[0-9a-f]{8}|\bindexing:")
QUESTIONS = {
    "find": ["find", "how do I cancel an order"],
    "nothing": ["find", "zeppelin moorings", "--kind", "decision"],
    "brief": ["brief", "refuse to cancel an order twice"],
    "symbol": ["symbol", "OrderBook"],
    "governs": ["governs", "shop/orders.py"],
    "open": ["open", "shop/orders.py#L4-L7"],
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    shop = shop_in(tmp_path_factory.mktemp("people") / "shop")
    run("index", "--project", shop.root)
    return shop


def ask(shop, words, *more):
    return run(*words, "--project", shop.root, *more).stdout.replace(f"{shop.root}/", "")


@pytest.mark.parametrize("name", QUESTIONS)
def test_no_answer_has_words_of_the_protocol(shop, name):
    printed = ask(shop, QUESTIONS[name])

    assert printed.strip()
    assert PROTOCOL.findall(printed) == []


@pytest.mark.parametrize("name", ["find", "symbol", "governs", "open"])
def test_a_place_has_its_citation_where_that_is_asked_for(shop, name):
    flags = [] if name == "open" else ["--citations"]
    value = json.loads(ask(shop, [*QUESTIONS[name], "--json"]))
    citation = value["items"][0]["citation"]

    assert citation not in ask(shop, QUESTIONS[name])
    if flags:
        assert citation in ask(shop, [*QUESTIONS[name], *flags])


def test_what_became_of_lines_that_are_not_as_cited_is_said(shop):
    changed = ask(shop, ["open", "shop/orders.py#L4-L7@00000000"])
    gone = ask(shop, ["open", "shop/orders.py#L900-L901@00000000"])

    assert changed.startswith("shop/orders.py:4  changed since it was cited\n")
    assert "shop/orders.py#L900-L901@00000000: shop/orders.py has " in gone


def test_a_name_that_the_project_uses_and_does_not_define_is_answered_with_its_lines(shop):
    shop.write("shop/clock.py", "import asyncio\n\nasyncio.run(None)\n")

    printed = ask(shop, ["symbol", "asyncio"])

    assert "shop/clock.py\n  1: import asyncio\n  3: asyncio.run(None)\n" in printed


def test_five_hits_fit_a_screen(shop):
    printed = ask(shop, QUESTIONS["find"])

    heads = [line for line in printed.splitlines() if re.match(r"\S+:\d+  ", line)]
    assert len(heads) == 5
    assert len(printed.splitlines()) <= 24
    assert len(json.loads(ask(shop, [*QUESTIONS["find"], "--json"]))["items"]) == 5


def test_a_symbol_is_told_by_its_lines_and_uses(shop):
    printed = ask(shop, QUESTIONS["symbol"])
    every = ask(shop, [*QUESTIONS["symbol"], "--all"])

    assert printed.startswith("shop/orders.py:4  OrderBook  class\n    4  class OrderBook:\n")
    assert "\nCalled by (12)\n" in printed
    assert "\n  and 4 more: --all lists them\n" in printed
    assert every.count("OrderBook(") > printed.count("OrderBook(")
    assert "more: --all" not in every


def test_what_governs_a_file_says_whose_commits_count(shop):
    printed = ask(shop, QUESTIONS["governs"])

    assert "Commits are those of all authors, in the history that this clone has." in printed
    assert "Changed most by: " in printed


def test_code_is_coloured_on_a_terminal_and_where_it_is_asked_for(shop):
    words = (*QUESTIONS["open"], "--project", str(shop.root))
    shown = Terminal(*words).read()
    refused = Terminal(*words, NO_COLOR="1").read()
    piped = run(*words).stdout
    always = run(*words, FORCE_COLOR="1", NO_COLOR="").stdout

    assert "\x1b[35mclass\x1b[0m \x1b[33mOrderBook\x1b[0m:" in shown
    assert refused == piped
    assert "\x1b" not in piped
    assert always == shown


def test_a_line_is_cut_to_the_terminal_and_whole_in_a_pipe(project):
    project.write("docs/long.md", f"# Foxes\n\nA fox {'runs ' * 100}home.\n")
    words = ("find", "fox home", "--wait", "--project", str(project.root))

    piped = run(*words).stdout
    shown = Terminal(*words, NO_COLOR="1", COLUMNS="60").read().rpartition("\x1b[K")[2]

    assert max(map(len, piped.splitlines())) > 160
    body = [line for line in shown.splitlines() if line.startswith("    ")]
    assert body
    assert max(map(len, body)) <= 60
