"""The findings on the page: listed, filtered and removed."""

from tests.interaction.page_views.conftest import HOSTILE


def identity(text, words):
    """The id of the finding that says this."""
    [item] = [each for each in text.split('<li id="finding-')[1:] if words in each]
    return item.partition('"')[0]


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


def test_a_finding_that_is_removed_is_listed_no_more(page):
    known = identity(page.get("/findings").text, "Callers hold")

    removed = page.post(f"/findings/{known}/remove", back="type=rule")

    assert (removed.status, removed.headers["location"]) == (303, "/findings?type=rule")
    assert "Callers hold the lock." not in page.get("/findings").text
    assert page.post(f"/findings/{known}/remove").status == 404


def test_the_way_back_stays_on_the_page(page):
    known = identity(page.get("/findings").text, "It broke once")

    answer = page.post(f"/findings/{known}/remove", back="\r\nX: y")

    assert answer.headers["location"] == "/findings"
