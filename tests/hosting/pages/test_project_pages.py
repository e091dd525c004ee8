"""The pages of the projects of a service: one's own, below their place, and nothing of anybody else's."""

import re

import pytest

from tests.hosting.pages.people import look, post, signed_in

VIEWS = ("", "search?q=ferns", "code/docs/ferns.md", "documents", "decisions", "patterns", "tasks", "findings")
ADDRESS = re.compile(r' (?:href|src|action|formaction|data-from)="(/[^"]*)"')
OF_THE_SERVICE = {"/", "/signout"}


def test_the_list_has_ones_own_projects_and_no_others(service):
    ann, bob, eve = (look(service, "/", signed_in(service, user)) for user in ("ann", "bob", "carol"))

    assert re.findall(r'href="/p/(\w+)/"', ann.text) == ["shop", "yard"]
    assert re.findall(r'href="/p/(\w+)/"', bob.text) == ["shop"]
    assert "No project is yours yet" in eve.text
    assert all("vault" not in each.text for each in (ann, bob, eve))


@pytest.mark.parametrize("view", [*VIEWS, "connect"])
def test_every_address_of_a_view_is_below_its_place(service, view):
    cookie = signed_in(service, "ann")
    shown = look(service, f"/p/shop/{view}", cookie)

    addresses = ADDRESS.findall(shown.text)
    outside = {each for each in addresses if not each.startswith(("/p/shop/", "/static/"))}
    assert shown.status == 200
    assert outside == OF_THE_SERVICE
    assert shown.headers["content-security-policy"].startswith("default-src 'none'; script-src 'self';")
    assert all(look(service, each).status == 200 for each in addresses if each.startswith("/static/"))


def test_a_view_shows_its_own_project(service):
    cookie = signed_in(service, "ann")

    for name in ("shop", "yard"):
        assert f"Ferns of {name}" in look(service, f"/p/{name}/code/docs/ferns.md", cookie).text
        assert 'href="/p/shop/code/docs/moss.md"'.replace("shop", name) in look(
            service, f"/p/{name}/code/docs/ferns.md", cookie
        ).text.replace("%2F", "/")
    assert look(service, "/p/SHOP", cookie).headers["location"] == "/p/shop/"


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "DELETE"])
@pytest.mark.parametrize("path", ["", "/", "/code/docs/ferns.md", "/tasks", "/nonsense", "/../shop/"])
def test_a_project_that_is_not_yours_is_like_none(service, method, path):
    cookie = signed_in(service, "ann")
    theirs, none = (look(service, f"/p/{name}{path}", cookie, method) for name in ("vault", "nothing"))

    assert theirs.status == 404
    assert theirs.text == none.text
    assert {**theirs.headers, "date": ""} == {**none.headers, "date": ""}


def test_who_is_not_signed_in_sees_the_same_for_every_address(service):
    answers = [look(service, path) for path in ("/", "/p/shop/", "/p/vault/", "/p/nothing/x", "/p")]

    assert {answer.status for answer in answers} == {401}
    assert len({answer.text for answer in answers}) == 1


def test_nothing_can_be_changed_by_a_page(service):
    cookie = signed_in(service, "ann")
    board, findings = (look(service, f"/p/shop/{view}", cookie).text for view in ("tasks", "findings"))

    assert 'method="post"' not in board.replace('method="post" action="/signout"', "")
    assert 'method="post"' not in findings.replace('method="post" action="/signout"', "")
    for path in ("tasks", "tasks/1", "tasks/1/delete", "tasks/1/completed", "findings/1/kept"):
        assert post(service, f"/p/shop/{path}", {"title": "x"}, cookie).status in (404, 405)
    assert "read-only" in board


def test_a_toolset_that_is_not_readable_has_no_page(service):
    cookie = signed_in(service, "bob")
    home = look(service, "/p/shop/", cookie)

    assert home.status == 200
    assert look(service, "/p/shop/documents", cookie).status == 200
    for view in ("tasks", "decisions", "patterns"):
        assert f'href="/p/shop/{view}"' not in home.text
        hidden, absent = look(service, f"/p/shop/{view}", cookie), look(service, "/p/shop/no-such-view", cookie)
        assert (hidden.status, hidden.text) == (absent.status, absent.text)
    assert '<ul class="figures"></ul>' in home.text


def test_a_service_shows_nobody_what_others_asked(service):
    cookie = signed_in(service, "ann")

    assert look(service, "/p/shop/now", cookie).status == 404
    assert "/now" not in look(service, "/p/shop/", cookie).text
