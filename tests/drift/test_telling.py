"""Where people and agents meet what documents name and is gone: the command, and `guide_governs`."""

import json

import pytest

from tests.document_sources import command_in
from tests.document_wires import ask_over_stdio
from tests.drift.conftest import rewrite
from tests.processes import eventually
from tests.proves import proves

ALL = ("--toolsets", "architecture,context,documents,guide,tasks")


@pytest.fixture
def drifting(shop):
    rewrite(shop, "shop/prices.py", "def total_price(items)", "def sum_of_prices(items)")
    shop.commit_all("Call it what it is")
    return shop


@proves("Y-64")
def test_the_command_tells_what_is_gone_and_fails(drifting, capsys, tmp_path):
    fieldguide = command_in(drifting, capsys)
    short = drifting.git("rev-parse", "--short=9", "HEAD")

    done = fieldguide("stale", code=1)
    told = json.loads(fieldguide("stale", "--json", "--since", "HEAD^", code=1).out)["stale"]

    commit = f"{short} (2026-03-04) Call it what it is"
    assert done.out.splitlines() == [
        f"docs/guide.md:3: `total_price` was removed in {commit}; perhaps `sum_of_prices` now"
    ]
    assert done.err.startswith("1 place out of date. Looked at: ")
    assert [(each["document"], each["line"], each["says"], each["kind"], each["state"]) for each in told] == [
        ("docs/guide.md", 3, "total_price", "symbol", "gone")
    ]


@proves("Y-64")
def test_hints_are_told_when_asked_for_and_fail_nothing(shop, capsys):
    shop.write("docs/guide.md", "# Guide\n\nThe old name is `total_price`.\n")
    rewrite(shop, "shop/prices.py", "def total_price(items)", "def sum_of_prices(items)")
    shop.commit_all("Call it what it is")
    fieldguide = command_in(shop, capsys)

    assert fieldguide("stale", code=0).out == ""
    assert "total_price" in fieldguide("stale", "--hints", code=0).out


@proves("Y-59")
def test_a_commit_that_is_none_is_a_sentence(drifting, capsys):
    done = command_in(drifting, capsys)("stale", "--since=--output=x", code=2)

    assert done.err == "fieldguide: '--output=x' is no commit, tag or branch here.\n"
    assert not (drifting.root / "x").exists()


@proves("Y-63")
def test_governs_tells_the_documents_that_name_what_a_file_no_longer_has(drifting):
    with ask_over_stdio(drifting, *ALL) as ask:
        items: list[dict[str, object]] = []

        def is_told() -> bool:
            items[:] = ask("guide_governs", path="shop/prices.py", budget=5_000).structured["items"]
            return any("gone with" in str(item["why"]) for item in items)

        assert eventually(is_told), items

    told = next(item for item in items if "gone with" in str(item["why"]))
    assert (told["path"], told["start"], told["kind"]) == ("docs/guide.md", 3, "document")
    assert "names `total_price`, gone with" in str(told["why"])
    assert "perhaps sum_of_prices now" in str(told["why"])
