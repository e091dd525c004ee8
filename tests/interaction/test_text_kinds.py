"""Text beside the code: configuration, workflows, templates, styles, translations, SQL and scripts."""

import json
from typing import Any

import pytest

from tests.document_wires import Ask, ask_over_stdio
from tests.hostile.live_values import github_token
from tests.indexed_projects import index_whole
from tests.processes import eventually
from tests.projects import Project
from tests.proves import proves

FLAGS = ("--toolsets", "context,guide")
SECRET = github_token()
INVOICES = '''\
"""Invoices of customers."""


class InvoiceRenderer:
    """Renders the invoice template of a customer in his language."""

    def render(self, customer, invoice):
        """The invoice as a page, with the translated greeting."""
        return self.template.fill(customer.language, invoice.total)


def overdue_invoices(invoices, today):
    """The invoices that were not paid within thirty days."""
    return [each for each in invoices if (today - each.sent).days > 30]
'''
RELEASE = """\
name: Release
on:
  push:
    tags: ["v*"]
jobs:
  build:
    runs-on: ubuntu-latest
    steps:
      - run: make wheel
  publish:
    needs: build
    runs-on: ubuntu-latest
    steps:
      - name: Upload the wheel to the registry
        run: twine upload dist/*
"""
TEMPLATE = """\
{% extends "base.html" %}
{% block content %}
  <h1 class="invoice-title">Invoice {{ invoice.number }}</h1>
  <p>Total: {{ invoice.total }}</p>
{% endblock %}
"""
FILES = {
    "src/billing/invoices.py": INVOICES,
    "src/billing/mail.py": "def send_invoice(mail, invoice):\n    mail.send(invoice.customer.address, invoice)\n",
    ".github/workflows/release.yml": RELEASE,
    "pyproject.toml": '[project]\nname = "billing"\n\n[tool.pytest.ini_options]\naddopts = "--strict-markers"\n',
    "web/templates/invoice.html": TEMPLATE,
    "web/static/invoice.css": ".invoice-title {\n  color: teal;\n}\n\n.invoice-total {\n  font-weight: bold;\n}\n",
    "locales/de.json": '{\n  "invoice.greeting": "Guten Tag",\n  "invoice.total": "Gesamtsumme"\n}\n',
    "locales/en.json": '{\n  "invoice.greeting": "Good day",\n  "invoice.total": "Total amount"\n}\n',
    "db/schema.sql": "CREATE TABLE customer (id INTEGER);\n\nCREATE TABLE invoice (\n  id INTEGER,\n  sent DATE\n);\n",
    "scripts/backup.sh": "#!/bin/sh\ndump_invoices() {\n  pg_dump billing > nightly.sql\n}\ndump_invoices\n",
    "Dockerfile": 'FROM python:3.13 AS base\nRUN pip install billing\nENTRYPOINT ["billing-server"]\n',
    "Makefile": "wheel:\n\tpython -m build\n\nclean:\n\trm -rf dist\n",
    "config/service.yaml": f"service:\n  registry: quartzline\n  token: {SECRET}\n",
    "package-lock.json": '{\n  "name": "billing",\n  "zanzibarpackage": "1.0.0"\n}\n',
    "web/static/all.min.css": ".zanzibarclass{color:red}\n",
    "web/static/packed.css": ".zanzibarpacked{color:red}" + ".a{b:c}" * 2_000 + "\n",
    "data/prices.json": "[\n" + '  "zanzibarprice",\n' * 20_000 + '  "end"\n]\n',
    "vendor/theme/theme.css": ".zanzibarvendor { color: red; }\n",
    "web/__snapshots__/page.html": "<p>zanzibarsnapshot</p>\n",
}  # fmt: skip
ASKED = {
    "which workflow uploads the wheel to the registry": ("ci", ".github/workflows/release.yml"),
    "pytest options in pyproject.toml": ("config", "pyproject.toml"),
    "html template of an invoice": ("template", "web/templates/invoice.html"),
    "css class of the invoice title": ("style", "web/static/invoice.css"),
    "German translation of the greeting Guten Tag": ("translation", "locales/de.json"),
    "SQL schema of the invoice table": ("sql", "db/schema.sql"),
    "shell script that dumps invoices every night": ("shell", "scripts/backup.sh"),
    "Dockerfile entrypoint": ("build", "Dockerfile"),
    "make target that builds the wheel": ("build", "Makefile"),
    "which config names the registry quartzline": ("config", "config/service.yaml"),
}
ABOUT_CODE = (
    "how is the invoice template rendered in the language of a customer",
    "which invoices are overdue after thirty days",
    "send an invoice to the address of a customer",
)


def write_billing(project: Project) -> Project:
    for path, text in FILES.items():
        project.write(path, text)
    return project


@pytest.fixture
def billing(project):
    return write_billing(project)


@pytest.fixture
def ask(billing):
    """Asked over stdio, in each database, with everything indexed."""
    with ask_over_stdio(billing, *FLAGS) as asked:
        asking = "pytest options in pyproject.toml"
        assert eventually(lambda: "indexing" not in asked("guide_search", query=asking).structured, every=1.5)
        yield asked


@pytest.fixture(scope="module")
def ask_once(tmp_path_factory):
    """The same from one database, for what does not depend on it and changes nothing."""
    project = write_billing(Project(tmp_path_factory.mktemp("billing")))
    index_whole(project.root)
    with ask_over_stdio(project, *FLAGS) as asked:
        yield asked


def paths(ask: Ask, query: str, **more: object) -> list[str]:
    return [item["path"] for item in ask("guide_search", query=query, **more).structured["items"]]


def results(ask: Ask, query: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(ask("context_search", query=query).texts[0])["results"]
    return found


@proves("S3-16")
def test_text_of_each_kind_is_found_first_by_who_asks_for_it(ask):
    for query, (kind, path) in ASKED.items():
        best = ask("guide_search", query=query).structured["items"][0]
        found = results(ask, query)[0]

        assert (best["kind"], best["path"]) == (kind, path), query
        assert (found["kind"], found["path"]) == (kind, path), query
        assert (found["type"], found["source"]) == ("code", "code")


@proves("S3-14")
def test_text_stays_behind_code_unless_it_is_asked_for(ask_once):
    for query in ABOUT_CODE:
        guided = ask_once("guide_search", query=query).structured["items"]
        found = results(ask_once, query)

        assert guided[0]["kind"] == "code", query
        assert "kind" not in found[0], query
        scores = [item["score"] for item in guided]
        assert scores == sorted(scores, reverse=True)


def test_kinds_keeps_the_list_to_text_of_a_kind(ask_once):
    told = ask_once("guide_search", query="invoice", kinds=["templates", "style"]).structured["items"]

    assert {item["kind"] for item in told} == {"template", "style"}
    assert paths(ask_once, "dump the invoices", kinds=["shell"]) == ["scripts/backup.sh"]


@proves("S3-13")
def test_lines_of_a_workflow_are_those_of_its_job_and_open_again(ask, billing):
    best = results(ask, "workflow job that uploads the wheel with twine")[0]
    lines = RELEASE.split("\n")[best["startLine"] - 1 : best["endLine"]]
    opened = ask("guide_open", citation=best["citation"])

    assert best["content"] == "\n".join(lines)
    assert any("twine upload" in line for line in lines)
    assert "twine upload" in opened.texts[0]
    billing.write(".github/workflows/release.yml", RELEASE.replace("twine upload", "uv publish"))
    assert "uv publish" in ask("guide_open", citation=best["citation"]).texts[0]
    assert eventually(lambda: "uv publish" in str(results(ask, "workflow job that publishes with uv")[0]["content"]))


def test_what_programs_write_is_left_out_and_secrets_are_masked(ask_once):
    for word in ("package", "class", "packed", "price", "vendor", "snapshot"):
        told = ask_once("guide_search", query=f"zanzibar{word}").texts[0]
        assert f"zanzibar{word}" not in told.replace(f'"zanzibar{word}"', "")
    told = ask_once("guide_search", query="config of the service with the registry quartzline").texts[0]

    assert "quartzline" in told
    assert SECRET not in told
    assert SECRET not in json.dumps(results(ask_once, "config of the service with the registry quartzline"))


def test_a_brief_names_the_text_that_a_task_speaks_of(ask_once):
    workflow = ask_once("guide_brief", task="Let the release workflow publish the wheel with uv").structured["items"]
    template = ask_once("guide_brief", task="Show the invoice date in the html template").structured["items"]

    assert ("ci", ".github/workflows/release.yml") in {(item["kind"], item["path"]) for item in workflow}
    assert ("template", "web/templates/invoice.html") in {(item["kind"], item["path"]) for item in template}


def test_a_project_of_scripts_has_them_as_its_code(project: Project):
    for number, name in enumerate(("fetch", "pack", "sign", "ship", "clean", "check")):
        project.write(f"lib/{name}.sh", f"{name}_parcel() {{\n  echo parcel {name} {number}\n}}\n")
    project.write("tools/stats.py", "def count_parcels(parcels):\n    return len(parcels)\n")
    index_whole(project.root)
    with ask_over_stdio(project, *FLAGS) as ask:
        found = ask("guide_search", query="sign a parcel").structured["items"][0]

    assert (found["kind"], found["path"]) == ("code", "lib/sign.sh")
