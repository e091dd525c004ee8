"""People before the pages of a service: they sign in by the form, and keep their cookie."""

from urllib.parse import urlencode

from tests.hosting.services import Service
from tests.raw_http import Answer, host_of, send

FORM = {"Content-Type": "application/x-www-form-urlencoded"}


def look(service: Service, path: str, cookie: str = "", method: str = "GET", **headers: str) -> Answer:
    """A page, with a cookie or without."""
    given = {"Host": host_of(service.url), "Content-Length": "0", **({"Cookie": cookie} if cookie else {})}
    given |= {name.replace("_", "-"): value for name, value in headers.items()}
    return send(service.url, method, path, list(given.items()))


def post(service: Service, path: str, fields: dict[str, str], cookie: str = "", **headers: str) -> Answer:
    """A form, sent as a browser sends it."""
    body = urlencode(fields).encode()
    given = {"Host": host_of(service.url), **FORM, "Content-Length": str(len(body))}
    given |= {"Cookie": cookie} if cookie else {}
    given |= {name.replace("_", "-"): value for name, value in headers.items()}
    return send(service.url, "POST", path, list(given.items()), body)


def signed_in(service: Service, user: str, *flags: str) -> str:
    """The cookie of somebody who has signed in with a token of their own."""
    return cookie_of(post(service, "/signin", {"token": service.token(user, *flags)}))


def cookie_of(answer: Answer) -> str:
    assert answer.status == 303, answer.text
    return answer.headers["set-cookie"].partition(";")[0]
