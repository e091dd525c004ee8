"""Other people's pages in the same browser: they can neither change anything, nor show this page as theirs.

The other server is on the same machine. To a browser it is the same site as ours, so it does send our cookie there.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser.orchard import fill_orchard, write_orchard
from tests.browser.other_origin import other_origin
from tests.browser.sites import ServedSite, served_site
from tests.browser.visitors import Visitors

WRITING_VIEWS = ("/tasks", "/findings")
FORMS = """() => [...document.querySelectorAll("button")].filter(each => each.form?.method === "post").map(each => ({
  action: each.hasAttribute("formaction") ? each.formAction : each.form.action, fields: [...new FormData(each.form)],
}))"""
SUBMIT = """([action, fields]) => {
  const form = document.createElement("form");
  form.method = "post";
  form.action = action;
  for (const [name, value] of fields) {
    const input = document.createElement("input");
    input.name = name;
    input.value = value || "from elsewhere";
    form.append(input);
  }
  document.body.append(form);
  form.submit();
}"""
SEND = """async ([action, fields]) => {
  for (const type of ["application/x-www-form-urlencoded", "text/plain"]) {
    const body = new Blob([new URLSearchParams(fields).toString()], {type});
    await fetch(action, {method: "POST", mode: "no-cors", credentials: "include", body}).catch(() => {});
  }
}"""


@pytest.fixture(scope="module")
def attacked(tmp_path_factory) -> Iterator[ServedSite]:
    """A server of its own: nobody but this module changes anything there."""
    root = tmp_path_factory.mktemp("attacked")
    write_orchard(root)
    with served_site(root, "--user", "ann") as site:
        fill_orchard(site)
        yield site


@pytest.fixture(scope="module")
def elsewhere() -> Iterator[str]:
    """The origin of somebody else."""
    with other_origin() as origin:
        yield origin


def shown(page: Page, site: ServedSite) -> list[str]:
    """What the views say that can be changed."""
    texts = []
    for path in WRITING_VIEWS:
        page.goto(f"{site.origin}{path}")
        texts.append(page.locator("main").inner_text())
    return texts


def forms(page: Page, site: ServedSite) -> list[dict[str, Any]]:
    """A form of each kind that changes something, as a stranger could learn it from a server of their own."""
    found: dict[str, dict[str, Any]] = {}
    for path in WRITING_VIEWS:
        page.goto(f"{site.origin}{path}")
        found |= {f"{path} {form['action'].rpartition('/')[2]}": form for form in page.evaluate(FORMS)}
    return list(found.values())


def test_a_form_of_another_page_changes_nothing(attacked, elsewhere, visitors: Visitors):
    page = visitors.let_in(attacked)
    before, known = shown(page, attacked), forms(page, attacked)

    for form in known:
        for fields in (form["fields"], [pair for pair in form["fields"] if pair[0] != "csrf"]):
            page.goto(elsewhere)
            page.evaluate(SEND, [form["action"], fields])
            with page.expect_navigation() as navigation:
                page.evaluate(SUBMIT, [form["action"], fields])
            assert navigation.value.status == 403

    assert len(known) >= 3
    assert shown(page, attacked) == before
    visitors.forgive_all()


def test_a_form_of_our_own_with_anothers_secret_changes_nothing(attacked, visitors: Visitors):
    page, other = visitors.let_in(attacked), visitors.let_in(attacked)
    before, theirs = shown(page, attacked), forms(other, attacked)
    page.goto(f"{attacked.origin}/tasks")

    for form in theirs:
        page.goto(f"{attacked.origin}/tasks")
        with page.expect_navigation() as navigation:
            page.evaluate(SUBMIT, [form["action"], form["fields"]])
        assert navigation.value.status == 403

    assert shown(page, attacked) == before
    visitors.forgive("status of 403")


def test_no_address_changes_anything_when_it_is_merely_opened(attacked, visitors: Visitors):
    page = visitors.let_in(attacked)
    before, known = shown(page, attacked), forms(page, attacked)

    for form in known:
        page.goto(f"{form['action']}?{'&'.join(f'{name}={value}' for name, value in form['fields'])}")

    assert shown(page, attacked) == before
    visitors.forgive_all()


def test_no_page_is_shown_in_a_frame_or_read_from_elsewhere(attacked, elsewhere, visitors: Visitors):
    page = visitors.let_in(attacked)
    page.goto(elsewhere)

    page.evaluate(
        "async at => { const frame = document.createElement('iframe'); frame.src = at; frame.name = 'framed';"
        " document.body.append(frame); await new Promise(done => frame.onload = done) }",
        f"{attacked.origin}/tasks",
    )
    read = page.evaluate(
        "at => fetch(at, {credentials: 'include'}).then(() => 'read', () => 'refused')", attacked.origin
    )

    framed = page.frame(name="framed")
    assert framed is not None
    assert "Tasks" not in framed.content()
    assert read == "refused"
    visitors.forgive_all()
