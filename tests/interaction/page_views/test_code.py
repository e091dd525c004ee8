"""The code view: a file with its outline, a symbol between its callers and what it calls, and only ever text."""

import re
from urllib.parse import quote

import pytest

from tests.indexed_projects import index_whole
from tests.interaction.page_views.conftest import HOSTILE, Page
from tests.servers import http_server
from tests.shop_projects import shop_in

DESK = "/code/shop/desk_3.py"
BOOK = "/code/shop/orders.py?symbol=OrderBook.cancel_order"
EVIL = "<img src=x onerror=alert(1)>"
EVIL_CODE = f'''\
# {HOSTILE}
TEXT = "{EVIL}</code></pre><script>alert(2)</script>"


def fäll_{"x" * 40}(word="</span>"):
    """{HOSTILE.replace('"', "")}"""
    return clean_{"y" * 30}(word)  # \u202e \x1b[31m


def clean_{"y" * 30}(word):
    return f"{{word!r}} <b>"
'''


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    project = shop_in(tmp_path_factory.mktemp("shop"))
    project.write("shop/test_orders.py", "from shop.orders import OrderBook\n\n\ndef test_it():\n    OrderBook()\n")
    project.write(f"shop/{EVIL}.py", EVIL_CODE)
    project.write(f"{EVIL}/one.py", "from shop.orders import OrderBook\n")
    project.write("desk/till.py", "from shop.orders import OrderBook\nimport shop.desk_1\n")
    project.write("CODEOWNERS", f"desk/ @tills {HOSTILE.split()[0]}\n")
    project.git("add", "--all")
    project.commit_all(f"Add {HOSTILE}", author='Eve & "Co')
    index_whole(project.root)
    with http_server(project.root, "--user", "ann") as url:
        yield Page(url)


def test_a_symbol_is_shown_between_its_callers_and_what_it_calls(shop):
    text = shop.get(f"{DESK}?symbol=serve_3&part=uses").text
    uses = shop.get(f"{BOOK}&part=uses", X_Fragment="1").text

    assert re.search(r'<li data-n="5">.*?symbol=OrderBook&amp;line=4".*?>OrderBook</a>', text)
    assert 'href="/code/shop/orders.py?symbol=OrderBook.cancel_order&amp;line=7"' in text
    assert '<i class="k">def</i> serve_3()' in text
    assert '<h2>Called by</h2> <span class="count">12</span>' in uses
    assert 'href="/code/shop/desk_3.py?symbol=serve_3&amp;line=5#L5"' in uses
    assert "OrderBook().cancel_order(3)" in uses
    assert '<details class="more"><summary>' not in uses.partition("</details>")[0]


def test_tests_are_folded_and_documents_and_commits_are_beside_the_symbol(shop):
    uses = shop.get("/code/shop/orders.py?symbol=OrderBook&part=uses", X_Fragment="1").text
    mentioned = shop.get(f"{BOOK}&part=uses", X_Fragment="1").text

    assert '<details class="group"><summary><h2>Tests</h2> <span class="count">' in uses
    assert "test_orders.py" in uses
    assert "<h2>Mentioned in</h2>" in mentioned
    assert re.search(r'href="/code/README.md\?line=1\d#L1\d"', mentioned)
    assert "<h2>History</h2>" in uses
    assert "Open the shop" in uses
    assert "Say more about foxes" not in uses


def test_a_file_has_an_outline_links_at_its_definitions_and_who_imports_it(shop):
    text = shop.get("/code/shop/orders.py?part=related").text

    assert 'class="level1"><a href="/code/shop/orders.py?symbol=OrderBook&amp;line=4"' in text
    assert 'class="level2"><a href="/code/shop/orders.py?symbol=OrderBook.cancel_order&amp;line=7"' in text
    assert '<i class="k">class</i> <a href="/code/shop/orders.py?symbol=OrderBook&amp;line=4">OrderBook</a>' in text
    assert '<h2>Imported by</h2> <span class="count">14</span>' in text
    assert "<h2>History of the file</h2>" in text
    assert "<h2>Owners</h2>" in text


def test_a_slow_part_is_the_same_for_the_script_and_without_it(shop):
    fragment = shop.get(f"{BOOK}&part=uses", X_Fragment="1").text
    whole = shop.get(f"{BOOK}&part=uses").text

    assert "<html" not in fragment
    assert fragment in whole


def test_a_name_that_is_not_in_the_file_is_said_above_the_file(shop):
    text = shop.get("/code/shop/orders.py?symbol=Nothing<b>").text

    assert "Nothing&lt;b&gt; is not defined in this file." in text
    assert 'id="L7"' in text


def test_old_addresses_and_citations_lead_to_the_file(shop):
    by_path = shop.get("/source?path=shop/orders.py&line=4-7")
    cited = shop.get("/source?citation=shop/orders.py%23L7")

    assert (by_path.status, by_path.headers["location"]) == (303, "/code/shop/orders.py?line=4-7#L4")
    assert (cited.status, cited.headers["location"]) == (303, "/code/shop/orders.py?line=7-7#L7")


def test_the_map_has_packages_with_imports_owners_and_what_changes_most(shop):
    text = shop.get("/code").text
    picture = text.partition('<svg class="map"')[2].partition("</svg>")[0]
    row = re.search(r'<tr><th scope="row"><a href="/code/desk">desk</a>.*?</tr>', text)

    assert 'href="/code" aria-current="page"' in text
    assert 'href="/code/desk" aria-label="desk, 1 file, ' in picture
    assert picture.count('class="arrow ') == 2
    assert row
    assert '<a href="/code/shop">shop</a> 2' in row.group()
    assert "@tills" in row.group()
    assert "<h2>What changes most</h2>" in text
    assert re.search(r'href="/code/shop/desk_1.py">desk_1.py</a>.*?1 commit<', text)


def test_a_folder_lists_what_is_in_it_and_leads_back(shop):
    text = shop.get("/code/shop").text

    assert 'aria-label="Folders"><a href="/code">' in text
    assert 'href="/code/shop/desk_11.py">desk_11.py</a>' in text
    assert shop.get("/code/shop/nothing").status == 404
    assert shop.get("/code/.git").status == 403


def test_hostile_names_contents_and_commits_are_text(shop):
    path = f"/code/{quote(f'shop/{EVIL}.py')}"
    symbol = quote(f"fäll_{'x' * 40}")
    pages = [
        shop.get(f"{path}?part=related").text,
        shop.get(f"{path}?symbol={symbol}&part=uses").text,
        shop.get(f"{path}?symbol=clean_{'y' * 30}&part=uses").text,
    ]
    folders = shop.get("/code").text + shop.get(f"/code/{quote(EVIL)}").text + shop.get("/code/shop").text
    assert "<img src=x" not in folders
    assert "<script>alert" not in folders
    assert "&lt;img src=x onerror=alert(1)&gt;" in folders

    for text in pages:
        assert "<script>alert" not in text
        assert "<img src=x" not in text
        assert "\u202e" not in text
        assert "\x1b" not in text
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
        assert "Eve &amp; &quot;Co" in text
    assert '<i class="c"># &lt;script&gt;' in pages[0]
    assert f">clean_{'y' * 30}</a>" in pages[1]
