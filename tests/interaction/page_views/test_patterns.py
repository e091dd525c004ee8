"""The patterns on the page: their rules in words."""

from tests.proves import proves


@proves("Z-65")
def test_a_pattern_tells_its_rules_in_words_with_examples(page):
    listed, text = page.get("/patterns").text, page.get("/patterns/logging").text

    assert '<a href="/patterns/logging"><bdi>Log, do not print</bdi></a>' in listed
    assert "1 rule declared" in listed
    assert "Checked: no call of <code>print</code>, in python." in text
    assert '<span class="badge bad">bad</span>' in text
    assert page.get("/patterns/nothing").status == 404
