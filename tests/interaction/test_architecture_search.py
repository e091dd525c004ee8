"""`search-architecture`: documents that fit a query, best first, and how many fit in all."""

import pytest

from tests.architecture_projects import (
    ADR,
    GUIDELINES,
    PATTERNS,
    call,
    error_of,
    served,
    write_architecture,
)
from tests.processes import eventually
from tests.projects import Project
from tests.proves import proves

TOOL = "search-architecture"
FILLER = "Nothing is said here that anybody looks for, and it goes on for a while. "


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """The seven documents, and 33 that speak of zebras, some more than others."""
    project = Project(tmp_path_factory.mktemp("searched"))
    write_architecture(project)
    for number in range(25):
        project.write(f"{GUIDELINES}/stripes/g{number:02d}.md", f"# Rule {number}\n\nA zebra has stripe {number}.\n")
    for number in range(8):
        project.write(f"{PATTERNS}/p{number}.md", f"# Way {number}\n\n{FILLER * 3}\n\nOne zebra, far down.\n")
    project.write(f"{ADR}/0100-倉庫.md", "# 倉庫を使う\n\n注文は倉庫に保存する。\n")
    return project


@pytest.fixture(scope="module")
def client(project):
    with served(project) as client:
        yield client


def search(client, query, **more):
    return call(client, TOOL, query=query, **more)


@proves("S0-42", "S0-43")
def test_a_document_is_found_with_its_place_and_how_well_it_fits(client):
    found = search(client, "PostgreSQL orders")

    assert set(found) == {"results", "total_matches"}
    best = found["results"][0]
    assert list(best) == ["uri", "title", "resource_type", "relevance_score", "excerpt", "lines", "citation"]
    assert best["uri"] == "architecture://adr/001-use-postgresql"
    assert (best["title"], best["resource_type"]) == ("1. Use PostgreSQL for orders", "adr")
    assert isinstance(best["relevance_score"], float)
    assert isinstance(best["excerpt"], str)
    assert isinstance(found["total_matches"], int)


@proves("D-4", "S0-39", "S0-41", "S0-42", "S0-44", "S0-46", "U0-17", "S0-80")
def test_all_that_match_are_counted_and_only_the_best_are_given(client):
    for most in (1, 5, 10, 20):
        found = search(client, "zebra", max_results=most)
        assert (found["total_matches"], len(found["results"])) == (33, most)

    assert search(client, "zebra") == search(client, "zebra", max_results=10, resource_type="all")
    assert error_of(client, TOOL, query="zebra", max_results=21)["code"] == -32602
    assert search(client, "zebra stripe 7")["results"][0]["uri"] == "architecture://guidelines/stripes/g07"


@proves("S0-44", "S0-80")
@pytest.mark.parametrize(
    "query", ["zebra", "zebra stripe 7", "which database keeps the orders", "repository", "naming"]
)
def test_results_come_in_descending_relevance(client, query):
    found = search(client, query, max_results=20)

    scores = [result["relevance_score"] for result in found["results"]]
    assert scores == sorted(scores, reverse=True)
    assert all(0.0 <= score <= 1.0 for score in scores)
    assert len({result["uri"] for result in found["results"]}) == len(scores)
    assert found["total_matches"] >= len(scores) > 0


@proves("S0-45", "S0-80")
@pytest.mark.parametrize(("kind", "total"), [("guidelines", 25), ("patterns", 8), ("adr", 0), ("all", 33)])
def test_a_kind_leaves_out_all_others(client, kind, total):
    found = search(client, "zebra", resource_type=kind, max_results=20)

    assert found["total_matches"] == total
    assert len([result for result in found["results"] if not result.get("unsure")]) == min(total, 20)
    assert {result["resource_type"] for result in found["results"]} <= {kind} | (
        {"guidelines", "patterns"} if kind == "all" else set()
    )


@proves("S0-44")
@pytest.mark.parametrize("query", ["ZEBRA", "zebras", "Zebra?", '"zebra"', "the zebra"])
def test_words_are_found_whatever_their_case_form_and_marks(client, query):
    assert search(client, query)["total_matches"] == 33


@proves("D-41", "S0-80")
def test_where_nothing_fits_the_nearest_three_are_marked(client):
    told = search(client, "xylophonist quux")

    assert told["total_matches"] == 0
    assert told["fit"] == "nothing fits well"
    assert told["hint"] == "Nothing fits well: these are the nearest, marked as unsure. Try other words."
    assert [result["unsure"] for result in told["results"]] == [True, True, True]


def test_words_of_any_script_are_found(client):
    found = search(client, "倉庫")

    assert [result["uri"] for result in found["results"]] == ["architecture://adr/0100-%E5%80%89%E5%BA%AB"]
    assert found["results"][0]["title"] == "倉庫を使う"
    assert "倉庫" in found["results"][0]["excerpt"]


@proves("U0-16")
def test_an_excerpt_is_cut_around_the_first_hit(tmp_path):
    project = Project(tmp_path)
    project.write(f"{PATTERNS}/long.md", f"# Long\n\n{FILLER * 3}Here the quokka sits. {FILLER * 4}\n")
    project.write(f"{PATTERNS}/short.md", "# Short\n\nA quokka.\n")
    project.write(f"{PATTERNS}/start.md", f"# Start\n\nQuokka first. {FILLER * 5}\n")
    project.write(f"{PATTERNS}/end.md", f"# End\n\n{FILLER * 5}At last a quokka\n")
    with served(project) as client:
        found = {result["uri"].rpartition("/")[2]: result["excerpt"] for result in search(client, "quokka")["results"]}

    before, _, after = found["long"].partition("quokka")
    assert before.startswith("...")
    assert 20 <= len(before.removeprefix("...")) <= 50
    assert after.endswith("...")
    assert 120 <= len(after.removesuffix("...")) <= 150
    assert found["short"].endswith("A quokka.")
    assert "..." not in found["short"]
    assert found["end"].startswith("...")
    assert found["end"].endswith("At last a quokka")
    assert found["start"].endswith("...")


def test_an_excerpt_has_no_line_breaks_and_nothing_hidden(tmp_path):
    project = Project(tmp_path)
    project.write(f"{PATTERNS}/hidden.md", "# Hidden\n\nThe\nquo\u200bkka\r\n\r\n\r\nand   a quokka\tsit.\n")
    with served(project) as client:
        [result] = search(client, "quokka")["results"]

    assert result["excerpt"].endswith("The quokka and a quokka sit.")


DECISION = """# 7. Use Kafka for events

## Status

Proposed

## Context

Orders must reach billing. Polling the database is slow.

## Decision

We will publish every event of an order to Kafka.
Consumers keep their own offsets.

## Consequences

- Retention is seven days; replays beyond that need the archive.
"""


def test_an_excerpt_is_the_sentence_that_answers_with_its_lines(tmp_path):
    project = Project(tmp_path)
    project.write(f"{ADR}/0007-use-kafka.md", DECISION)
    with served(project) as client:
        for query, line, said in (
            ("kafka events", 13, "We will publish every event of an order to Kafka."),
            ("how long is the retention", 18, "Retention is seven days"),
            ("why not poll the database with kafka", 9, "Polling the database is slow."),
            ("status of kafka", 13, "We will publish every event of an order to Kafka."),
        ):
            [result] = search(client, query)["results"]
            assert said in result["excerpt"]
            assert result["lines"] == [line, line]
            assert f"#L{line}@" in result["citation"] or f"#L{line}-L{line}@" in result["citation"]
            assert "##" not in result["excerpt"]


def test_a_document_changed_a_moment_ago_is_found_by_its_new_words(tmp_path):
    project = Project(tmp_path)
    project.write(f"{PATTERNS}/one.md", "# One\n\nAbout walruses.\n")
    with served(project) as client:
        assert search(client, "walruses")["total_matches"] == 1
        project.write(f"{PATTERNS}/one.md", "# One\n\nAbout narwhals.\n")
        assert eventually(lambda: search(client, "narwhals")["total_matches"] == 1, every=1.5)
        gone = search(client, "walruses")["total_matches"]
        (project.root / PATTERNS / "one.md").unlink()

        assert eventually(lambda: search(client, "narwhals")["total_matches"] == 0, every=1.5)

    assert gone == 0


def test_a_project_without_documents_has_nothing_to_find(tmp_path):
    with served(Project(tmp_path)) as client:
        told = search(client, "anything")

    assert told.pop("hint").startswith("This project has no guidelines, patterns or decisions where they are looked")
    assert told == {"results": [], "total_matches": 0}


def test_the_documents_of_other_toolsets_are_not_found(tmp_path):
    project = Project(tmp_path)
    project.write("docs/zebra.md", "# Zebra\n\nA zebra of the documents.\n")
    project.write(f"{PATTERNS}/zebra.md", "# Zebra\n\nA zebra of the patterns.\n")
    with served(project, "--toolsets", "architecture,documents") as client:
        client.request("tools/call", name="documents_list_collections")
        found = search(client, "zebra")

    assert [result["uri"] for result in found["results"]] == ["architecture://patterns/zebra"]
