"""A list of hits names as many places as it can; where nothing fits the question, it says so beside the nearest."""

import pytest

from tests.document_wires import ask_by_command
from tests.projects import Project
from tests.proves import proves

PLANTS = ("fern", "moss", "oak", "birch", "rose", "tulip", "reed", "sedge", "thyme", "mint", "sage", "clover")
CARE = ("Watering", "Light", "Soil", "Pruning", "Winter")


def page(plant):
    sections = "".join(
        f"## {care}\n\nHow the {plant} gets its water: {care.lower()} decides how much watering it needs. " * 6 + "\n\n"
        for care in CARE
    )
    return f"# The {plant}\n\n{sections}"


@pytest.fixture(scope="module")
def ask(tmp_path_factory):
    """Twelve pages that all speak of water."""
    project = Project(tmp_path_factory.mktemp("plants"))
    for plant in PLANTS:
        project.write(f"docs/{plant}.md", page(plant))
    project.write("docs/ru.md", "# Полив\n\nКак часто поливать папоротник зимой: раз в неделю.\n")
    project.write("docs/ru-light.md", "# Свет\n\nПапоротник зимой стоит в тени, поливать его надо реже.\n")
    project.write("docs/ru-tools.md", "# Инструменты\n\nЛопата и грабли лежат в сарае.\n")
    return ask_by_command(project)


@proves("S2-54", "S2-57")
def test_a_page_gives_two_hits_at_most_and_tells_where_else_it_fits(ask):
    hits = ask("documents_search", query="how much water does the fern need").value

    pages = [hit["documentId"] for hit in hits]
    assert len(hits) == 10
    assert max(map(pages.count, pages)) <= 2
    assert pages[0] == "fern.md"
    also = hits[0]["also"]
    assert also
    assert all(set(each) == {"startLine", "endLine"} for each in also)
    assert not {each["startLine"] for each in also}.intersection(hit["startLine"] for hit in hits[:2])


@proves("S2-41", "D-41")
def test_a_batch_says_of_each_query_whether_something_fits(ask):
    told = ask("documents_search_batch", queries=[{"query": "watering the fern"}, {"query": "zebra quantum recipe"}])

    fits, does_not = told.value["results"]
    assert "fit" not in fits
    assert not any("unsure" in hit for hit in fits["results"])
    assert does_not["fit"] == "nothing fits well"
    assert [hit["unsure"] for hit in does_not["results"]] == [True, True, True]


@proves("S2-50")
def test_what_is_related_to_text_that_the_model_cannot_read_is_found_by_its_words(ask):
    collection = ask("documents_search", query="Полив").value[0]["collection"]

    related = ask("documents_find_related", collection=collection, document="ru.md", limit=1).value["related"]
    by_chunk = ask(
        "documents_find_related", collection=collection, document="ru.md", chunk="лопата и грабли в сарае", limit=1
    ).value["related"]

    assert [each["document"] for each in related] == ["ru-light.md"]
    assert [each["document"] for each in by_chunk] == ["ru-tools.md"]
