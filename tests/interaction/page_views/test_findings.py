"""The findings on the page: looked over, confirmed, archived, brought back."""

import re

from tests.interaction.page_views.conftest import HOSTILE
from tests.proves import proves


def identity(text, words):
    """The id of the finding that says this."""
    [item] = [each for each in text.split('<li id="finding-')[1:] if words in each]
    return item.partition('"')[0]


@proves("Z-71")
def test_findings_are_listed_with_kind_place_and_age_and_filtered(page):
    text = page.get("/findings").text
    rules = page.get("/findings?type=rule").text
    found = page.get("/findings?q=utc").text

    assert '<span class="badge accent">rule</span> <span class="quiet">in <code>spine</code></span>' in text
    assert ">today</time>" in text
    assert HOSTILE not in text
    assert "<script>alert" not in text
    assert "Callers hold the lock." in rules
    assert "Times are in UTC" not in rules
    assert "Times are in UTC" in found


@proves("Z-72")
def test_a_finding_is_confirmed_archived_and_brought_back(page):
    known = identity(page.get("/findings").text, "Callers hold")

    confirmed = page.post(f"/findings/{known}/confirmed", back="review=open")
    after = page.get("/findings?review=confirmed").text
    page.post(f"/findings/{known}/archived")
    archived = page.get("/findings?review=archived").text
    listed = page.get("/findings").text
    page.post(f"/findings/{known}/open")

    assert (confirmed.status, confirmed.headers["location"]) == (303, "/findings?review=open")
    assert re.search(r"confirmed \d{4}-\d\d-\d\d by ann", after)
    assert "Callers hold the lock." in archived
    assert "Callers hold the lock." not in listed
    assert "Callers hold the lock." in page.get("/findings").text


@proves("Z-72")
def test_what_is_not_there_or_no_verdict_is_refused(page):
    assert page.post("/findings/nothing/confirmed").status == 404
    assert page.post("/findings/nothing/deleted").status == 400


@proves("Z-72")
def test_the_way_back_stays_on_the_page(page):
    known = identity(page.get("/findings").text, "It broke once")

    answer = page.post(f"/findings/{known}/open", back="\r\nX: y")

    assert answer.headers["location"] == "/findings"
