"""What the page takes and sends: forms of our own page alone, and HTML that somebody vouches for."""

import asyncio

import pytest
from starlette.requests import Request

from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.pages.components import Html
from fieldguide.pages.site import PageFacts, PageSite, ServedPage
from fieldguide.text.errors import AccessDenied, Cancelled, InvalidArguments, NotFound

pytestmark = pytest.mark.anyio

FORM = {"content-type": "application/x-www-form-urlencoded"}


@pytest.fixture
def site(tmp_path):
    served = ServedPage(url="http://127.0.0.1:1/mcp", project="p", folder=ConfinedFolder(str(tmp_path)), tools=())
    facts = PageFacts(health=dict, visitor=lambda cookies: cookies[0] if cookies else b"")
    return PageSite(served, facts, executor=None)  # type: ignore[arg-type]


def request(body=b"", **headers):
    given = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]

    async def receive():
        return {"type": "http.request", "body": body, "more_body": False}

    return Request({"type": "http", "method": "POST", "path": "/x", "query_string": b"", "headers": given}, receive)


def token(site, **headers):
    return site.csrf(request(**headers)).partition('value="')[2].partition('"')[0]


async def test_a_form_of_our_own_page_is_read(site):
    body = f"csrf={token(site, cookie='a=1')}&title=B%C3%A4r+%3Cb%3E&empty=".encode()

    fields = await site.checked_form(request(body, cookie="a=1", sec_fetch_site="same-origin", **FORM))

    assert fields == {"title": "Bär <b>", "empty": ""}


@pytest.mark.parametrize(
    "changed",
    [
        {"csrf": ""},
        {"csrf": "0" * 64},
        {"csrf": "ü"},
        {"cookie": "a=2"},
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"},
        {"sec_fetch_site": "none"},
        {"content_type": "text/plain"},
        {"content_type": "multipart/form-data; boundary=x"},
    ],
)
async def test_a_form_of_anybody_else_is_refused(site, changed):
    usual = {"csrf": token(site, cookie="a=1"), "cookie": "a=1", "content_type": FORM["content-type"]}
    given = usual | changed
    body = f"csrf={given.pop('csrf')}&title=x".encode()

    with pytest.raises(AccessDenied):
        await site.checked_form(request(body, **given))


async def test_a_token_is_of_one_server_and_forms_have_a_size(site, tmp_path):
    other = PageSite(site.served, site.facts, executor=None)  # type: ignore[arg-type]
    many = "&".join(f"a{number}=1" for number in range(500)).encode()

    assert token(site) != token(other)
    for body in (many, b"csrf=\xff", b"x=" + b"y" * (3 << 20)):
        with pytest.raises((InvalidArguments, AccessDenied)):
            await site.checked_form(request(body, **FORM))


def test_a_refusal_is_a_page_or_a_fragment(site):
    error = NotFound("No <such> thing", details="Try \u202ethat")

    page, fragment = site.refused(request(), error), site.refused(request(x_fragment="1"), error)

    assert (page.status_code, fragment.status_code) == (404, 404)
    assert b"<title>" in page.body
    assert b"<title>" not in fragment.body
    for answer in (page, fragment):
        assert b"No &lt;such&gt; thing" in answer.body
        assert b"Try \\u202ethat" in answer.body


async def test_a_question_that_its_asker_dropped_ends_early(site, monkeypatch):
    began = asyncio.Event()
    ended = []

    async def call(tool, arguments):
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(tool)

    async def receive():
        await began.wait()
        return {"type": "http.disconnect"}

    monkeypatch.setattr(site, "call", call)
    left = Request({"type": "http", "method": "GET", "path": "/x", "query_string": b"", "headers": []}, receive)

    with pytest.raises(Cancelled):
        await site.call_while_awaited(left, "guide_search", {})
    await asyncio.sleep(0)

    assert ended == ["guide_search"]


async def test_a_text_is_not_sent_as_a_page_unless_it_is_html(site):
    said = "<script>alert(1)</script>"

    with pytest.raises(AttributeError):
        site.page("Title", said)
    with pytest.raises(AttributeError):
        site.fragment(said)

    assert b"<p>Fine</p>" in site.page("Title", Html("<p>Fine</p>")).body
    assert site.fragment(Html("<p>Fine</p>")).body == b"<p>Fine</p>"
