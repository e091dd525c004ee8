"""Documents and histories that somebody wrote to keep a check busy."""

from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.knowledge.links.drift import find_drift, select_alarms
from fieldguide.knowledge.links.mentions import LONGEST_SPAN_LINE, MOST_MENTIONS, MOST_SPANS, find_mentions
from tests.drift.conftest import rewrite
from tests.proves import proves


@proves("Y-60")
def test_too_many_code_spans_are_read_so_far_and_no_further():
    text = "\n".join(f"`name_{number}`" for number in range(2 * MOST_SPANS))

    found = find_mentions("docs/many.md", text)

    assert 0 < len(found) <= MOST_MENTIONS < MOST_SPANS


@proves("Y-60")
def test_an_enormous_line_is_read_at_its_beginning():
    text = "# Long\n\n" + "`first_name` " + "`" * 200_000 + "`other_name`" + "<code>" * 100_000 + ":a:" * 100_000

    found = {each.name for each in find_mentions("docs/long.md", text)}

    assert "first_name" in found
    assert "other_name" not in found
    assert len(text) > LONGEST_SPAN_LINE


@proves("Y-60")
def test_strange_files_and_commits_hide_nothing_and_stop_nothing(shop):
    shop.write("shop/wide.py", "x = '" + "y" * 3_000_000 + "'\n")
    shop.write("shop/bytes.py", bytes(range(256)) * 100)
    shop.write("docs/bytes.md", b"`total_price` " + bytes(range(128, 256)) * 50)
    shop.write("docs/a name\twith `ticks`.md", "# Odd\n\nCall `total_price`.\n")
    shop.commit_all(b"\x01\x00odd"[:1] + b" a message that begins as a record does")
    rewrite(shop, "shop/prices.py", "def total_price(items)", "def sum_of_prices(items)")
    (shop.root / "shop/wide.py").unlink()
    commit = shop.commit_all("--output=x\n\n\x01fake\x00commit"[:10])

    found = select_alarms(find_drift(ConfinedFolder(str(shop.root))))

    documents = {each.document for each in found}
    assert {"docs/guide.md", "docs/a name\twith `ticks`.md"} <= documents
    assert {each.commit.id for each in found} == {commit}


@proves("Y-60")
def test_a_deep_and_odd_markup_ends():
    text = "> " * 20_000 + "`deep_name`\n" + "- " * 20_000 + "`other_name`\n" + ".. a::\n" * 20_000 + "[" * 50_000

    assert isinstance(find_mentions("docs/deep.rst", text), list)
    assert isinstance(find_mentions("docs/deep.md", text), list)
