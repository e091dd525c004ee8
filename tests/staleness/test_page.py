"""The page for people: a small table of what no longer holds."""

from tests.hostile.test_http_page import cookie_of, path_of, served
from tests.raw_http import get
from tests.servers import run
from tests.staleness.cited_projects import citation, replaced


def test_the_page_has_a_table_of_what_is_stale_and_obeys_no_name(garden):
    two = citation(garden, 6, 8)
    garden.write("docs/<b>\u202etotals.md", f"# Totals\n\nSee {two}.\n")
    garden.commit_all("Describe it")
    with served(garden.root) as (url, link, _):
        fresh = get(url, "/", Cookie=cookie_of(get(url, path_of(link)))).text

    replaced(garden, "    two_total = value + 1\n", "    two_total = '<i>'\n")
    run("stale", "--project", garden.root, code=1)
    with served(garden.root) as (url, link, _):
        text = get(url, "/", Cookie=cookie_of(get(url, path_of(link)))).text

    assert "<h2>Stale</h2>" not in fresh
    assert "<h2>Stale</h2>" in text
    assert "docs/&lt;b&gt;\\u202etotals.md:3" in text
    assert "-two_total = value + 1 +two_total = &#x27;&lt;i&gt;&#x27;" in text
    assert "\u202e" not in text
