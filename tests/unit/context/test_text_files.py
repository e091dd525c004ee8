"""Which text beside the code is indexed, and how it is cut."""

import pytest

from fieldguide.files.kinds import find_asked_text_kinds, find_text_kind, is_indexed_text
from fieldguide.toolsets.context.file_documents import (
    HEADS,
    MOST_CHUNKS_OF_KIND,
    MOST_VENDORED,
    choose_text,
    chunk_text,
)
from tests.proves import proves

KINDS = {
    "pyproject.toml": "config", "app/application.properties": "config", "tsconfig.base.json": "config",
    "data/countries.json": "data", ".github/workflows/test.yml": "ci", ".gitlab-ci.yml": "ci", "pom.xml": "build",
    "src/App.csproj": "build", "Makefile": "build", "docker/Dockerfile.alpine": "build",
    "app/templates/page.html": "template", "public/index.html": "markup", "views/list.ejs": "template",
    "nginx.conf.j2": "template", "Pages/Index.cshtml": "template", "ui/main.fxml": "markup", "web/site.scss": "style",
    "locale/de/LC_MESSAGES/django.po": "translation", "src/main/resources/messages_de.properties": "translation",
    "app/src/main/res/values-de/strings.xml": "translation", "locales/en/menu.ftl": "translation",
    "db/schema.sql": "sql", "bin/deploy.sh": "shell",
}  # fmt: skip
LEFT_OUT = (
    "package-lock.json", "pnpm-lock.yaml", "npm-shrinkwrap.json", "yarn.lock", "Cargo.lock", "poetry.lock", "go.sum",
    "dist/app.min.css", "app.js.map", "vendor/theme/a.css", "third_party/x/b.yaml", "web/__snapshots__/a.html",
    "tests/fixtures/answers.json", "tests/cassettes/call.yaml", "logo.svg", "api.generated.yaml", "docs/index.html",
)  # fmt: skip
NASTY = (
    "",
    "\n" * 500,
    "a: b",
    "".join(" " * depth + f"k{depth}:\n" for depth in range(300)),
    "<div>\n" * 1_000,
    "a {\n" * 1_000,
    "x: " + "word " * 4_000,
    "---\n" * 600,
    "jobs:\n" * 600,
    "# comment\n" * 1_000,
    "$$;\n" * 800,
    "key: value\r" * 2_000,
    "- - - -\n" * 2_000,
    "{{{{{% block\n" * 600,
    '"' * 30_000,
    "msgid \u2028 x\n" * 500,
)
WORKFLOW = "on: push\njobs:\n  lint:\n    runs-on: a\n  ship:\n    runs-on: b\n"
STYLES = "".join(f".rule-{number} {{\n  color: red;\n  margin: {number}px;\n}}\n\n" for number in range(200))
COLUMNS = "  x TEXT,\n" * 100
TABLES = "".join(f"CREATE TABLE t{number} (\n{COLUMNS}  y TEXT\n);\n\n" for number in range(3))


@proves("S3-16")
def test_a_path_tells_the_kind_of_a_text():
    assert {path: find_text_kind(path) for path in KINDS} == KINDS


@proves("S3-16")
def test_what_programs_write_is_not_indexed():
    assert [path for path in LEFT_OUT if is_indexed_text(path)] == []


@proves("S3-16", "S3-13")
@pytest.mark.parametrize("form", HEADS)
def test_chunks_are_the_lines_that_they_name_whatever_a_file_holds(form):
    for text in (*NASTY, WORKFLOW, STYLES, TABLES):
        lines = text.replace("\r", "\n").split("\n")
        chunks = chunk_text(text, form, 50)

        assert len(chunks) <= 50
        for chunk in chunks:
            there = "\n".join(lines[chunk.start_line - 1 : chunk.end_line])
            assert chunk.text.replace("\r", "\n") in there


@proves("S3-13")
def test_a_workflow_is_cut_by_job_and_sql_by_statement():
    jobs = chunk_text(WORKFLOW.replace("runs-on: b", "runs-on: b\n" + "    # why\n" * 200), "tree", 50)
    tables = chunk_text(TABLES, "statements", 50)

    assert {chunk.headings[:2] for chunk in jobs} == {("on",), ("jobs", "lint"), ("jobs", "ship")}
    assert {chunk.headings for chunk in tables} == {("t0",), ("t1",), ("t2",)}
    assert all(chunk.text.startswith(".rule-") for chunk in chunk_text(STYLES, "rules", 50))


@proves("S3-16")
def test_a_project_of_many_translations_costs_little():
    paths = [f"locales/l{number}/messages.json" for number in range(5_000)] + ["locales/en/messages.json", "a.py"]

    chosen = choose_text(paths)

    assert sum(chosen.most.values()) <= MOST_CHUNKS_OF_KIND
    assert "locales/en/messages.json" in chosen.most


@proves("S3-16")
def test_very_much_vendored_code_is_left_out():
    few = choose_text([f"vendor/v{number}.go" for number in range(MOST_VENDORED)])
    many = choose_text([f"vendor/v{number}.go" for number in range(MOST_VENDORED + 1)])

    assert few.takes_code("vendor/v0.go")
    assert not many.takes_code("vendor/v0.go")
    assert many.takes_code("cmd/main.go")


@proves("S3-14")
def test_a_kind_is_asked_for_as_the_subject_of_a_question_only():
    asked = ("css of the header", "which workflow publishes", "english translation of the title", "dockerfile")
    spoken_of = (
        "where are templates rendered",
        "load the translations of a language",
        "parse yaml",
        "sanitize html of x",
    )

    assert all(find_asked_text_kinds(each.split()) for each in asked)
    assert not any(find_asked_text_kinds(each.split()) for each in spoken_of)
    assert not find_asked_text_kinds([])
