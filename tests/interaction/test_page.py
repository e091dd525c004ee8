"""The page for people, as a browser without script sees it: one server, every view."""

import json
from html.parser import HTMLParser

import pytest

from tests.processes import eventually
from tests.projects import Project
from tests.raw_http import INITIALIZE, ask, get
from tests.servers import AUTHORIZATION, http_server

BEARER = {"Authorization": AUTHORIZATION["authorization"]}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
PAGES = (
    "/", "/search", "/search?q=otters+swimming", "/code/docs/otters.md", "/code/src/river.py?line=2",
    "/code/nope.md", "/documents", "/documents/docs", "/documents/project/-/README.md", "/documents/nope",
    "/now", "/now?show=calls", "/connect",
)  # fmt: skip


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    project = Project(tmp_path_factory.mktemp("zoo <b>"))
    project.write("README.md", "# The zoo\n\nSee [the otters](docs/otters.md#L3).\n")
    project.write(
        "docs/otters.md",
        "# Otters\n\nOtters are swimming in the river.\nThey are fed at noon.\n\n<script>alert(1)</script>\n\n"
        '[bad](javascript:alert(1)) <img src=x onerror="alert(1)">\n\n## Food\n\nFish.\n',
    )
    project.write("src/river.py", "import os\n\n\ndef swim(otter):\n    return f'{otter} is swimming'\n")
    project.write("long.txt", "".join(f"line {number}\n" for number in range(1, 4501)) + "x" * 5000 + "\n")
    project.write(".env", "KEY=1\n")
    with http_server(project.root, "--user", "ann") as url:
        assert eventually(lambda: "up to date" in page(url, "/").text)
        yield url


def page(server, path, **headers):
    return get(server, path, **BEARER, **headers)


class Tags(HTMLParser):
    """Every element of a page with its attributes."""

    def __init__(self, html):
        super().__init__()
        self.found = []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))


@pytest.mark.parametrize("path", PAGES)
def test_no_page_has_anything_inline_and_each_has_the_policy(server, path):
    answer = page(server, path)
    tags = Tags(answer.text).found

    assert answer.headers["content-security-policy"] == POLICY
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "no-store"
    assert not [tag for tag, _ in tags if tag in ("style", "iframe", "object", "base", "embed")]
    assert all(given.get("src", "").startswith("/static/") for tag, given in tags if tag == "script")
    assert not [name for _, given in tags for name in given if name.startswith("on") or name == "style"]
    assert not [given for _, given in tags if (given.get("href") or "").lower().startswith("javascript:")]


def test_style_and_script_are_kept_under_the_hash_of_their_content(server):
    tags = Tags(page(server, "/").text).found
    files = [given["src"] for tag, given in tags if tag == "script"]
    files += [given["href"] for tag, given in tags if tag == "link"]

    for path in files:
        answer = page(server, path)
        assert answer.status == 200
        assert "immutable" in answer.headers["cache-control"]
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["content-type"].partition(";")[0] in ("text/css", "text/javascript", "image/svg+xml")
    assert page(server, "/static/style.css").status == 404
    assert page(server, "/static/..%2f..%2fsite.py").status == 404
    assert get(server, files[0]).status == 401


def test_the_first_page_is_of_use_with_nothing_configured(server):
    text = page(server, "/").text

    assert '<input type="search"' in text
    assert "<b>2</b> <span>documents</span>" in text
    assert "fieldguide install" in text
    assert "zoo &lt;b&gt;" in text
    assert "<html" not in page(server, "/", X_Fragment="1").text


def test_search_marks_words_and_leads_to_the_lines(server):
    whole = page(server, "/search?q=otters+swimming")
    only = page(server, "/search?q=otters+swimming&kind=code")
    fragment = page(server, "/search?q=otters+swimming", X_Fragment="1").text

    assert '<form class="stack" action="/search" method="get" role="search"' in whole.text
    assert "<mark>Otters</mark>" in whole.text
    assert 'href="/code/docs/otters.md?line=' in whole.text
    assert "docs/otters.md" not in only.text
    assert "src/river.py" in only.text
    assert (fragment.count("<html"), fragment.count('class="hit"')) == (0, whole.text.count('class="hit"'))


def test_a_question_can_not_be_more_than_text(server):
    asked = page(server, "/search?q=%3Cscript%3E%22%27%E2%80%AE&kind=%3Cb%3E")

    assert asked.status == 200
    assert "&lt;script&gt;" in asked.text
    assert "<script>" not in asked.text
    assert "\u202e" not in asked.text


def test_the_source_shows_the_cited_lines_rendered_or_plain(server):
    rendered = page(server, "/code/docs/otters.md?line=4").text
    plain = page(server, "/code/docs/otters.md?line=4&view=plain").text
    code = page(server, "/code/src/river.py?line=4-5").text

    assert '<p id="L3" class="cited"><a id="L4"></a>Otters are swimming' in rendered
    assert "alert(1)" not in rendered.replace("javascript:alert(1)", "")
    assert '<span class="line cited" id="L4" data-n="4">They are fed at noon.' in plain
    assert code.count('class="line cited"') == 2
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in plain


@pytest.mark.parametrize("path", [".env", "../outside", "nope.md", "/etc/passwd", "src/river.py%00.md"])
def test_what_a_call_refuses_the_page_refuses_in_the_same_words(server, path):
    session = ask(server, INITIALIZE).headers["mcp-session-id"]
    params = {"name": "guide_open", "arguments": {"citation": path.replace("%00", "\0")}}
    call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params}
    told = ask(server, call, Mcp_Session_Id=session)

    shown = page(server, f"/code/{path}")

    assert shown.status in (403, 404)
    message = json.loads(told.message["result"]["content"][0]["text"])["error"]
    assert f"<p>{message}</p>" in shown.text


def test_a_page_is_found_without_its_ending_and_a_folder_by_its_first_page(server):
    assert "Otters are swimming" in page(server, "/code/docs/otters").text
    assert "The zoo" in page(server, "/code/.").text


def test_a_large_file_is_shown_in_pages_and_a_long_line_by_its_beginning(server):
    first = page(server, "/code/long.txt").text
    cited = page(server, "/code/long.txt?line=4500").text

    assert (first.count('class="line"'), "1 to 1,000 of 4,501" in first) == (1000, True)
    assert 'id="L4500" data-n="4500">line 4500' in cited
    assert "3,000 more characters" in cited


def test_a_project_without_documents_says_so(tmp_path):
    with http_server(Project(tmp_path).root) as server:
        shown = page(server, "/documents")
    assert (shown.status, "No documents yet" in shown.text) == (200, True)


def test_documents_are_listed_and_shown_with_their_outline(server):
    assert 'href="/documents/docs"' in page(server, "/documents").text

    listed = page(server, "/documents/docs").text
    shown = page(server, "/documents/docs/-/otters.md")
    missing = page(server, "/documents/docs/-/nope.md")

    assert 'href="/documents/docs/-/otters.md">Otters</a>' in listed
    assert '<li class="level2"><a href="#L10">Food</a></li>' in shown.text
    assert '<h2 id="L1">Otters</h2>' in shown.text
    assert '<a class="cite" href="/code/docs/otters.md">Open the source</a>' in shown.text
    assert missing.status == 404


def test_calls_are_told_by_tool_with_times_and_tokens(server):
    page(server, "/search?q=otters")
    page(server, "/code/nope.md")

    whole = page(server, "/now?show=calls").text
    fragment = page(server, "/now?show=calls", X_Fragment="1").text
    row = whole.partition("<code>guide_search</code>")[2].partition("</tr>")[0]
    cells = [each.partition("</td>")[0] for each in row.split('<td class="number">')[1:]]

    assert "working" in row
    assert len(cells) == 5
    assert int(cells[0]) >= 1
    assert int(cells[4].replace(",", "")) > 10
    assert "NotFound" in whole
    assert "tools not called yet" in whole
    assert fragment.startswith('<ul class="figures">')


def test_connecting_shows_one_command_first_then_http(server):
    text = page(server, "/connect").text

    assert text.index("fieldguide install</code>") < text.index("claude mcp add --transport http")
    assert "--client cursor" in text
    assert AUTHORIZATION["authorization"].split()[1] not in text
    assert "data-copy hidden" in text
