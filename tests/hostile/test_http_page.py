"""The page for people: a link that opens once, a cookie that opens nothing else, and text that is only text."""

import json
import subprocess
from contextlib import contextmanager

import pytest

from fieldguide.text.display import escape_html
from fieldguide.wire.page_door import COOKIE_SECONDS, MOST_COOKIES, MOST_LINKS, PLACEHOLDER, PageDoor
from tests.raw_http import INITIALIZE, ask, get, host_of, send
from tests.servers import FIELDGUIDE, TOKEN, environment

PAGE = "http://127.0.0.1:8137/"


@contextmanager
def served(root):
    """A server on a port: its MCP address, the link that it greeted with, and a way to read what it says next."""
    process = subprocess.Popen(
        [FIELDGUIDE, "serve", "--project", str(root), "--http", "127.0.0.1:0", "--toolsets", "directive"],
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    )
    assert process.stderr is not None
    read_line = process.stderr.readline

    def line_with(word):
        for line in iter(read_line, ""):
            if word in line:
                return line.split()[-1]
        raise AssertionError(word)

    try:
        yield line_with("/mcp"), line_with("?link="), line_with
    finally:
        process.terminate()
        process.communicate(timeout=60)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with served(tmp_path_factory.mktemp("a & <b>")) as (url, _, _):
        yield url


@pytest.fixture
def page(server):
    """An address, and a link that nobody has opened."""
    headers = [("Host", host_of(server)), ("Authorization", f"Bearer {TOKEN}"), ("Content-Length", "0")]
    return server, send(server, "POST", "/link", headers).text.strip()


def path_of(link):
    return link[link.index("/?") :]


def cookie_of(answer):
    return answer.headers["set-cookie"].partition(";")[0]


def test_without_a_link_the_page_says_how_to_get_in_and_nothing_else(page):
    url, _ = page

    for path in ("/", "/?link=", "/?link=made-up", f"/?link={TOKEN}", f"/?token={TOKEN}"):
        closed = get(url, path)
        assert closed.status == 401
        assert "This page opens by a link" in closed.text
        assert closed.headers["cache-control"] == "no-store"
        assert "default-src 'none'" in closed.headers["content-security-policy"]
        assert "directive" not in closed.text
        assert "set-cookie" not in closed.headers


def test_a_link_opens_once_sets_a_strict_cookie_and_leaves_the_address_bar(page):
    url, link = page

    entered = get(url, path_of(link))
    again = get(url, path_of(link))
    inside = get(url, "/", Cookie=f"other=1; {cookie_of(entered)}")

    assert (entered.status, entered.headers["location"]) == (303, "/")
    assert entered.headers["cache-control"] == "no-store"
    name, _, attributes = entered.headers["set-cookie"].partition("; ")
    assert name.startswith(f"fieldguide_{host_of(url).rpartition(':')[2]}=")
    assert set(attributes.split("; ")) == {"Path=/", "HttpOnly", "SameSite=Strict"}
    assert again.status == 401
    assert inside.status == 200
    assert inside.headers["cache-control"] == "no-store"
    assert "Connect" in inside.text
    assert "a &amp; &lt;b&gt;" in inside.text


def test_a_look_without_taking_does_not_use_the_link_up(page):
    url, link = page

    looked = send(url, "HEAD", path_of(link), [("Host", host_of(url))])

    assert looked.status == 401
    assert get(url, path_of(link)).status == 303


def test_a_start_tells_a_link_and_the_next_one_when_it_was_used(tmp_path):
    with served(tmp_path) as (url, link, line_with):
        assert get(url, path_of(link)).status == 303
        following = line_with("The next one:")

        assert following != link
        assert get(url, path_of(following)).status == 303


def test_whoever_has_the_token_gets_a_link_by_asking(page):
    url, _ = page
    bearer = [("Host", host_of(url)), ("Authorization", f"Bearer {TOKEN}")]

    asked = send(url, "POST", "/link", [*bearer, ("Content-Length", "0")])

    assert asked.status == 200
    assert asked.text.startswith(url.removesuffix("mcp"))
    assert get(url, path_of(asked.text.strip())).status == 303
    assert send(url, "GET", "/link", bearer).status == 405


def test_the_cookie_opens_every_page_and_the_closed_door_is_the_same_for_all(page):
    url, link = page
    cookie = cookie_of(get(url, path_of(link)))

    for path in ("/now", "/connect"):
        assert get(url, path, Cookie=cookie).status == 200
        closed = get(url, path)
        assert (closed.status, "This page opens by a link" in closed.text) == (401, True)
    assert "<code>directive/file.get</code>" in get(url, "/now?show=calls", Cookie=cookie).text
    assert get(url, "/no-such-page", Cookie=cookie).status == 401


def test_the_cookie_opens_the_page_alone(page):
    url, link = page
    cookie = cookie_of(get(url, path_of(link)))

    assert ask(url, INITIALIZE, Authorization="", Cookie=cookie).status == 401
    assert ask(url, INITIALIZE, Authorization="", Cookie=cookie, Origin=f"http://{host_of(url)}").status == 401
    assert get(url, "/mcp", Cookie=cookie).status == 401
    assert send(url, "POST", "/link", [("Host", host_of(url)), ("Cookie", cookie)]).status == 401
    assert send(url, "POST", "/", [("Host", host_of(url)), ("Cookie", cookie)]).status == 401


def test_the_token_is_shown_to_the_first_look_alone(page):
    url, link = page
    cookie = cookie_of(get(url, path_of(link)))

    first, second = get(url, "/", Cookie=cookie), get(url, "/", Cookie=cookie)

    assert TOKEN in first.text
    assert f"claude mcp add --transport http fieldguide {url} --header" in first.text
    assert TOKEN not in second.text
    assert f"Bearer {PLACEHOLDER}" in second.text


@pytest.mark.parametrize("cookie", ["", "{name}=", "{name}=made-up", "{name}", "=", ";;;", "{name}={name}; {name}="])
def test_a_made_up_cookie_opens_nothing(page, cookie):
    url, _ = page

    assert get(url, "/", Cookie=cookie.format(name=f"fieldguide_{host_of(url).rpartition(':')[2]}")).status == 401


def test_a_folder_name_can_not_turn_or_command_the_page(tmp_path):
    root = tmp_path / "evil\u202egnp\x1b]52;c;x\x07\n<script>\u200b"
    root.mkdir()
    with served(root) as (url, link, _):
        cookie = cookie_of(get(url, path_of(link)))

        text = get(url, "/", Cookie=cookie).text

    assert "evil\\u202egnp\\u001b]52;c;x\\u0007\\u000a&lt;script&gt;\\u200b" in text
    assert not [each for each in text if each in "\u202e\x1b\x07\u200b"]


def test_a_folder_name_that_is_no_text_breaks_nothing(tmp_path):
    root = tmp_path / b"odd\xff".decode("utf-8", "surrogateescape")
    root.mkdir()
    with served(root) as (url, link, _):
        cookie = cookie_of(get(url, path_of(link)))

        shown = get(url, "/", Cookie=cookie)

    assert shown.status == 200
    assert "odd\\udcff" in shown.text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain <b> & 'quoted'", "plain &lt;b&gt; &amp; &#x27;quoted&#x27;"),
        ("Füchse 狐 🦊 ثعلب", "Füchse 狐 🦊 ثعلب"),
        ("\x00\x7f\x85\u061c\u2028\u2066\ufeff\U000e0041", r"\u0000\u007f\u0085\u061c\u2028\u2066\ufeff\ue0041"),
    ],
)
def test_what_a_browser_would_obey_or_hide_is_shown(text, shown):
    assert escape_html(text) == shown


def entered(door):
    return door.open(door.new_link().partition("=")[2])


def as_cookie(header):
    return [header.partition(";")[0].encode()]


def test_links_and_cookies_are_few_and_cookies_end():
    now = [0.0]
    door = PageDoor(page=PAGE, token=TOKEN, tell=lambda line: None, clock=lambda: now[0])
    oldest = door.new_link()
    for _ in range(MOST_LINKS):
        door.new_link()
    assert door.open(oldest.partition("=")[2]) is None
    cookies = [as_cookie(entered(door)) for _ in range(MOST_COOKIES + 1)]
    assert [bool(door.visitor(each)) for each in (cookies[0], cookies[1], cookies[-1])] == [False, True, True]

    now[0] = COOKIE_SECONDS

    assert not any(door.visitor(each) for each in cookies)
    assert door.token_to_show(cookies[-1]) == PLACEHOLDER


def test_what_the_instructions_carry_can_be_pasted_as_it_is(page):
    from fieldguide.pages.home import list_instructions

    url, _ = page
    texts = {each.client: each.text for each in list_instructions(url, TOKEN)}

    cursor = json.loads(texts["Cursor"])["mcpServers"]["fieldguide"]
    code = json.loads(texts["VS Code"])
    assert cursor == {"url": url, "headers": {"Authorization": f"Bearer {TOKEN}"}}
    assert code["servers"]["fieldguide"]["headers"] == {"Authorization": "Bearer ${input:fieldguide-token}"}
    assert code["inputs"][0]["password"] is True
    assert TOKEN not in texts["VS Code"]
    assert ask(url, INITIALIZE, **cursor["headers"]).status == 200
