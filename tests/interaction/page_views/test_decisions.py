"""The decisions on the page: the list and each record."""

import re

import pytest

from tests.interaction.page_views.conftest import Page, decision
from tests.processes import eventually
from tests.projects import Project
from tests.servers import http_server


def titles(text):
    return re.findall(r'class="title" href="[^"]*"><bdi>([^<]*)', text)


def test_the_list_tells_number_title_status_day_and_ties(page):
    answer = page.get("/decisions")

    assert answer.status == 200
    assert titles(answer.text)[1:] == ["Use a database", "Cache", "Use files"]
    assert '<span class="badge plain">superseded</span><time datetime="2024-01-02">' in answer.text
    assert 'superseded by <a href="/decisions/0003">0003 Use a database</a>' in answer.text


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("status=retired", ["Use files"]),
        ("q=amends", ["Cache"]),
        ("q=DATABASE+use", ["Use a database", "Cache", "Use files"]),
        ("q=nobody+says+this", []),
        ("page=99999999999999999999&status=in+force", ["Use a database", "Cache"]),
    ],
)
def test_the_list_is_filtered_by_status_and_words(page, query, expected):
    found = titles(page.get(f"/decisions?{query}").text)

    assert [each for each in found if "alert" not in each] == expected


def test_a_record_tells_its_options_its_ties_and_where_it_says_so(page):
    text = page.get("/decisions/0001").text

    assert '<span class="badge good">chosen</span> <span class="title">A database</span>' in text
    assert '<dt>Superseded by</dt><dd><a href="/decisions/0003">0003 Use a database</a></dd>' in text
    assert 'href="/code/docs/decisions/0001-files.md?line=2#L2"' in text
    assert "Considered Options" in text
    assert page.get("/decisions/0099").status == 404


def test_a_record_is_shown_as_a_document_with_its_title_once(page):
    text = page.get("/decisions/0003").text
    document = text.split('<article class="prose"')[1].split("</article>")[0]

    assert re.search(r"<h\d[^>]*>Context</h\d>", document)
    assert re.search(r"<li[^>]*>\s*A database", document)
    assert "Use a database" not in document
    assert "architecture://" not in text


@pytest.mark.parametrize("path", ["/decisions", "/decisions/0004"])
def test_a_hostile_title_does_nothing(page, path):
    text = page.get(path).text

    assert "<script>alert" not in text
    assert "<img src=x" not in text
    assert "\u202e" not in text


def test_a_thousand_decisions_are_listed_in_pages(tmp_path):
    project = Project(tmp_path)
    for number in range(1, 1001):
        day = f"{2000 + number // 50}-{1 + number % 12:02}-01"
        project.write(f"docs/decisions/{number:04}-d.md", decision(number, f"Decision {number}", day=day))

    with http_server(project.root, "--toolsets", "architecture") as url:
        page = Page(url)
        assert eventually(lambda: "of 1,000" in page.get("/decisions").text)
        first, last = page.get("/decisions").text, page.get("/decisions?page=20").text

    assert (len(titles(first)), len(titles(last))) == (50, 50)
    assert "951 to 1,000 of 1,000" in last
