"""The patterns on the page."""


def test_a_pattern_shows_its_rules(page):
    listed, text = page.get("/patterns").text, page.get("/patterns/logging").text

    assert '<a href="/patterns/logging"><bdi>Log, do not print</bdi></a>' in listed
    assert "1 rule declared" in listed
    assert "<code>no-print</code>" in text
    assert page.get("/patterns/nothing").status == 404
