"""The patterns on the page: their rules in words, and a box that checks code and keeps it."""

from tests.interaction.page_views.conftest import HOSTILE
from tests.proves import proves


@proves("Z-65")
def test_a_pattern_tells_its_rules_in_words_with_examples(page):
    listed, text = page.get("/patterns").text, page.get("/patterns/logging").text

    assert '<a href="/patterns/logging"><bdi>Log, do not print</bdi></a>' in listed
    assert "1 rule declared" in listed
    assert "Checked: no call of <code>print</code>, in python." in text
    assert '<span class="badge bad">bad</span>' in text
    assert page.get("/patterns/nothing").status == 404


@proves("Z-66")
def test_code_is_checked_line_by_line_and_stays_in_the_box(page):
    code = f"import logging\nprint({HOSTILE!r})\n"

    answer = page.post("/patterns/logging", code=code, language="python")

    assert answer.status == 200
    assert '<a class="cite" href="#code-2">line 2</a>' in answer.text
    assert '<span class="line broken" id="code-2" data-line="2">' in answer.text
    assert "import logging\nprint(&#x27;&lt;script" in answer.text.replace("'", "&#x27;")
    assert '<option value="python" selected>' in answer.text
    assert "<script>alert" not in answer.text


@proves("Z-66")
def test_code_that_is_refused_stays_in_the_box_with_the_reason(page):
    answer = page.post("/patterns/logging", code="x = 1\n" * 10_000)

    assert answer.status == 400
    assert 'class="notice bad" role="alert"' in answer.text
    assert answer.text.count("x = 1\n") >= 9_999


@proves("Z-66")
def test_code_that_keeps_to_the_pattern_is_told_so_even_where_nothing_may_be_written(read_only):
    answer = read_only.post(
        "/patterns/logging", csrf=read_only.csrf("/patterns/logging"), code="x = 1\n", language="python"
    )

    assert "Nothing breaks this pattern. 1 rule checked." in answer.text
