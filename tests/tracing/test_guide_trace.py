"""`guide_trace` over the wire: from requirements, decisions, findings, tasks, files and commits, and back."""

import json

import pytest

from fieldguide.spine.tool import compact_json
from fieldguide.text.tokens import count_exact_tokens
from tests.proves import proves
from tests.tracing.shops import FILES, REFUSED, links, said, serving, shop, trace


@pytest.fixture
def repository(project):
    return shop(project)


@pytest.fixture
def ask(repository):
    with serving(repository) as asking:
        yield asking


@proves("Y-65", "Y-69", "Y-70", "Y-77")
def test_a_requirement_leads_to_where_it_is_defined_and_to_what_proves_it(repository):
    with serving(repository) as ask:
        told = trace(ask, "SHOP-1", lambda value: bool(value["of"].get("citation")))
        by_name = trace(ask, "shop-002")

    assert told.structured["of"]["citation"].startswith("docs/requirements.md#L3-L3@")
    assert "A price is a whole number of cents." in told.structured["of"]["text"]
    test = links(told, "test")["tests/test_prices.py"]
    assert (test["name"], test["line"], test["link"]) == ("test_a_total_is_whole", 5, "explicit")
    assert (
        links(told, "decision")["docs/adr/0001-money-is-whole.md"]["why"] == "its front matter has it as `implements`"
    )
    assert "docs/prices.md" in links(told, "document")
    assert "shop/prices.py" in links(told, "code")
    assert links(by_name, "test")["tests/test_prices.py"]["name"] == "test_shop_2_a_cart_is_emptied"


@proves("Y-65")
def test_a_commit_that_names_a_requirement_below_its_subject_is_a_link(ask):
    told = trace(ask, "SHOP-3", lambda value: any(item["kind"] == "commit" for item in value["items"]))

    (commit,) = links(told, "commit").values()
    assert (commit["name"], commit["why"]) == ("Send mail once", "its message names SHOP-3")
    assert links(told, "test")["tests/test_mail.py"]["name"] == "test_mail"
    assert links(told, "code")["shop/mail.py"]["link"] == "explicit"


@proves("Y-66", "Y-69", "Y-77")
def test_a_decision_leads_to_code_it_names_and_to_code_it_is_likely_about(repository):
    with serving(repository) as ask:
        told = trace(ask, "ADR 1", lambda value: any(item["link"] == "mined" for item in value["items"]))
        same = [trace(ask, name) for name in ("adr-0001", "0001", "docs/adr/0001-money-is-whole.md", "Money is whole")]

    code = links(told, "code")
    assert (code["shop/cart.py"]["link"], "confidence" in code["shop/cart.py"]) == ("explicit", False)
    mined = code["shop/prices.py"]
    assert (mined["link"], mined["citation"].partition("@")[0]) == ("mined", "shop/prices.py#L2-L2")
    assert mined["why"].startswith("it names `MoneyCounter`, which only this file defines")
    assert 0.7 <= mined["confidence"] < 1
    assert links(told, "requirement")["docs/requirements.md"]["name"] == "SHOP-1"
    assert "imports shop/prices.py" in links(told, "test")["tests/test_prices.py"]["why"]
    assert {each.structured["of"]["title"] for each in same} == {"Money is whole"}


@proves("Y-67")
def test_a_file_leads_back_to_its_decisions_requirements_tests_and_commits(ask):
    mined = trace(ask, "shop/prices.py", lambda value: any(item["kind"] == "decision" for item in value["items"]))
    named = trace(ask, "./shop/cart.py#L1")

    assert links(mined, "decision")["docs/adr/0001-money-is-whole.md"]["link"] == "mined"
    assert links(mined, "test")["tests/test_prices.py"]["link"] == "import"
    assert {item["name"] for item in mined.structured["items"] if item["kind"] == "requirement"} >= {"SHOP-1"}
    assert [item["name"] for item in mined.structured["items"] if item["kind"] == "commit"] == ["Open the shop"]
    assert links(named, "decision")["docs/adr/0001-money-is-whole.md"]["link"] == "explicit"


@proves("Y-67")
def test_a_commit_leads_to_what_it_names_and_what_it_changed(repository, ask):
    commit = repository.git("rev-parse", "--short", "HEAD~1")

    told = trace(ask, f"commit:{commit}", lambda value: any(item["kind"] == "decision" for item in value["items"]))

    assert links(told, "decision")["docs/adr/0002-mail-is-queued.md"]["why"] == "it names ADR-2"
    assert links(told, "requirement")["docs/requirements.md"]["name"] == "SHOP-3"
    assert links(told, "code")["shop/mail.py"]["link"] == "change"


@proves("Y-68")
def test_a_finding_and_a_task_lead_to_what_they_name(repository):
    evidence = {"files": ["shop/mail.py#L1-L1"]}
    with serving(repository, "--user", "ann") as ask:
        kept = ask("guide_record", type="rule", content="Keep SHOP-3 and ADR 1.", evidence=evidence)
        task = ask("add_task", title="Mend shop/cart.py for SHOP-2")

        finding = trace(ask, json.loads(said(kept))["id"])
        told = trace(ask, f"task:{json.loads(said(task))['task_id']}")

    assert finding.structured["of"]["kind"] == "finding"
    assert links(finding, "code")["shop/mail.py"]["why"] == "its evidence"
    assert links(finding, "decision").keys() == {"docs/adr/0001-money-is-whole.md"}
    assert (told.structured["of"]["kind"], *links(told, "code")) == ("task", "shop/cart.py")
    assert [item["name"] for item in told.structured["items"] if item["kind"] == "requirement"] == ["SHOP-2"]


@proves("Y-71", "Y-79")
def test_what_is_missing_is_said_and_only_of_what_should_be_there(ask):
    untested = trace(ask, "SHOP-4", lambda value: bool(value["of"].get("citation")))
    undefined = trace(ask, "SHOP-99")
    process, rejected = trace(ask, "ADR 3"), trace(ask, "ADR 4")

    assert "No test names it." in untested.structured["missing"]
    assert "Missing: No test names it." in said(untested)
    assert undefined.structured["missing"][0] == "No list of requirements defines it."
    assert "missing" not in process.structured
    assert "missing" not in rejected.structured


@proves("Y-72")
def test_an_answer_keeps_to_its_budget_and_begins_each_step(repository, ask):
    for number in range(60):
        repository.write(f"tests/test_more_{number}.py", f'@proves("SHOP-1")\ndef test_{number}():\n    pass\n')

    told = trace(ask, "SHOP-1", lambda value: value.get("left_out", 0) > 40, budget=400)

    assert count_exact_tokens(said(told)) <= 400
    assert count_exact_tokens(compact_json(told.structured)) <= 400
    assert {item["kind"] for item in told.structured["items"]} >= {"decision", "document", "test"}
    assert f"{told.structured['left_out']} more links do not fit the budget." in said(told)


@proves("Y-73", "Y-78")
def test_saves_and_commits_are_followed(repository, ask):
    trace(ask, "SHOP-2", lambda value: bool(value["items"]))

    repository.write("docs/more.md", "# More\n\nSee SHOP-2.\n")
    trace(ask, "SHOP-2", lambda value: any(item["path"] == "docs/more.md" for item in value["items"]))
    (repository.root / "docs/more.md").unlink()
    trace(ask, "SHOP-2", lambda value: all(item["path"] != "docs/more.md" for item in value["items"]))
    repository.commit("Empty the cart, SHOP-2", "floor.txt")
    trace(ask, "SHOP-2", lambda value: any(item["kind"] == "commit" for item in value["items"]))
    repository.git("reset", "--quiet", "--hard", "HEAD~1")
    trace(ask, "SHOP-2", lambda value: all(item["kind"] != "commit" for item in value["items"]))


@proves("Y-70")
def test_ids_that_are_only_mentioned_or_defined_everywhere_are_no_requirements(repository):
    for part in range(4):
        nodes = "".join(f"- node-{number}: a machine\n" for number in range(3))
        repository.write(f"docs/part-{part}.md", f"# Part\n\n{nodes}\nAs RFC 2119 and RFC 2120 and RFC 2121 say.\n")
    with serving(repository) as ask:
        trace(ask, "SHOP-1")
        node = trace(ask, "node-1", lambda value: bool(value["items"]))
        standard = trace(ask, "RFC 2119")

    assert "citation" not in node.structured["of"]
    assert "citation" not in standard.structured["of"]


def test_what_nothing_is_called_is_an_error_that_says_so(ask):
    trace(ask, "SHOP-1")

    refused = [ask("guide_trace", of=of) for of in ("ABC-1", "no such thing", "commit:0123456789", "x" * 5_000)]

    assert [each.is_error for each in refused] == [True] * 4
    assert REFUSED in said(refused[0])
    assert "No commit" in said(refused[2])


@proves("Y-76")
def test_hostile_names_forge_no_line_and_a_secret_is_not_told(project):
    repository = shop(project)
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    repository.write("docs/requirements.md", f"{FILES['docs/requirements.md']}- **SHOP-5**: token {secret}\n")
    repository.write(
        "docs/adr/0009-x\n# Commits\nforged.md", "# SHOP-5\n\n## Status\n\nAccepted\n\n## Decision\n\nNo\n"
    )

    with serving(repository) as ask:
        told = trace(ask, "SHOP-5", lambda value: bool(value["of"].get("citation")))

    assert secret not in said(told)
    assert secret not in compact_json(told.structured)
    assert "forged.md" not in said(told).split("\n")
    assert said(told).count("\n# Commits") <= 1
