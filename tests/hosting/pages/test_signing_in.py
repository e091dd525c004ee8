"""Signing in at a service: a token for a cookie, which ends with it and opens pages alone."""

from base64 import urlsafe_b64decode, urlsafe_b64encode

import pytest

from fieldguide.team.pages import LIFE_SECONDS, MOST_FAILURES, WINDOW_SECONDS, PageCookies, SignInAttempts
from tests.hosting.pages.people import FORM, look, post, signed_in
from tests.raw_http import host_of, send

KEY = bytes(range(32))


def test_a_good_token_gets_a_cookie_that_no_script_reads_and_no_other_site_sends(service):
    asked = look(service, "/")
    given = post(service, "/signin", {"token": f" {service.token('ann')}\n"})
    name, _, flags = given.headers["set-cookie"].partition("=")

    assert asked.status == 401
    assert '<form class="card stack" method="post" action="/signin">' in asked.text
    assert (given.status, given.headers["location"]) == (303, "/")
    assert name == "fieldguide_page"
    assert flags.partition("; ")[2] == f"Max-Age={LIFE_SECONDS}; Path=/; HttpOnly; SameSite=Strict"
    assert service.token("ann") not in given.headers["set-cookie"] + given.text
    for headers in (asked.headers, given.headers):
        assert headers["content-security-policy"].startswith("default-src 'none'; script-src 'self';")
        assert headers["cache-control"] == "no-store"


def test_every_other_token_gets_the_same_page(service):
    good = service.token("ann")
    wrong = [good[:-1] + ("a" if good[-1] != "a" else "b"), "", "fgt_" + "a" * 40, "x" * 5_000]

    answers = [post(service, "/signin", {"token": token}) for token in wrong]

    assert {answer.status for answer in answers} == {401}
    assert len({answer.text for answer in answers}) == 1
    assert all("set-cookie" not in answer.headers for answer in answers)


def test_a_cookie_ends_when_its_token_is_revoked(service):
    cookie = signed_in(service, "eve")
    before = look(service, "/", cookie)
    service.run("team", "token", "revoke", service.token("eve").split("_")[1][:12])

    after, without = look(service, "/", cookie), look(service, "/")
    assert (before.status, after.status) == (200, 401)
    assert after.text == without.text


@pytest.mark.parametrize("at", [0, 11, 12, 40, -1])
def test_a_cookie_that_was_changed_opens_nothing(service, at):
    name, _, value = signed_in(service, "ann").partition("=")
    sealed = bytearray(urlsafe_b64decode(value + "=" * (-len(value) % 4)))
    sealed[at] ^= 1

    assert look(service, "/", f"{name}={urlsafe_b64encode(sealed).decode().rstrip('=')}").status == 401


def test_a_cookie_is_read_by_whoever_has_the_key_and_for_twelve_hours():
    now = [1_000_000.0]
    ours = PageCookies(KEY, is_secure=True, clock=lambda: now[0])
    cookie = ours.given("a token").partition(";")[0].encode()

    assert ours.given("x").endswith("; HttpOnly; SameSite=Strict; Secure")
    assert cookie.startswith(b"__Host-")
    assert PageCookies(KEY, is_secure=True, clock=lambda: now[0]).token([b"a=b; " + cookie]) == "a token"
    assert ours.token([cookie, cookie]) is None
    assert PageCookies(bytes(32), is_secure=True, clock=lambda: now[0]).token([cookie]) is None
    assert PageCookies(KEY, is_secure=False, clock=lambda: now[0]).token([cookie]) is None
    now[0] += LIFE_SECONDS
    assert ours.token([cookie]) is None


def test_mcp_never_takes_the_cookie_and_no_page_takes_a_token_in_a_header(service):
    cookie, token = signed_in(service, "ann"), service.token("ann")
    body = b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}'
    headers = {"Host": host_of(service.url), "Content-Type": "application/json", "Content-Length": str(len(body))}
    asked = [
        send(service.url, "POST", "/mcp/shop", [*headers.items(), *more], body) for more in ([("Cookie", cookie)], [])
    ]

    assert asked[0].status == 401
    assert {**asked[0].headers, "date": ""} == {**asked[1].headers, "date": ""}
    assert asked[0].text == asked[1].text
    assert look(service, "/p/shop/", Authorization=f"Bearer {token}").status == 401


def test_a_form_that_another_site_sends_is_refused(service):
    fields = {"token": service.token("ann")}

    for headers in (
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},
        {"Content_Type": "text/plain"},
    ):
        refused = post(service, "/signin", fields, **headers)
        assert (refused.status, "set-cookie" in refused.headers) == (403, False)
    origin = f"http://{host_of(service.url)}"
    assert post(service, "/signin", fields, Origin=origin, Sec_Fetch_Site="same-origin").status == 303
    assert FORM["Content-Type"].endswith("urlencoded")


def test_whoever_fails_too_often_waits_a_minute_and_nobody_else():
    now = [0.0]
    attempts = SignInAttempts(lambda: now[0])
    for _ in range(MOST_FAILURES):
        assert attempts.may_try("10.0.0.1")
        attempts.failed("10.0.0.1")

    assert not attempts.may_try("10.0.0.1")
    assert attempts.may_try("10.0.0.2")
    now[0] += WINDOW_SECONDS
    assert attempts.may_try("10.0.0.1")


def test_signing_out_takes_the_cookie(service):
    cookie = signed_in(service, "ann")
    left = post(service, "/signout", {}, cookie)

    assert (left.status, left.headers["location"]) == (303, "/")
    assert left.headers["set-cookie"].startswith("fieldguide_page=; Max-Age=0;")
    assert post(service, "/signout", {}, cookie, Sec_Fetch_Site="cross-site").status == 403
