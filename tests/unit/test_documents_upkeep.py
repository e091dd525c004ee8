"""The upkeep of the collections while a project is served, as far as a client can't arrange it."""

import pytest

from fieldguide.app import build_app
from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.settings.config import read_settings
from fieldguide.toolsets.documents.service import Query
from tests.processes import eventually

pytestmark = pytest.mark.usefixtures("own_home")


@pytest.fixture
def app(project):
    given = {"project": str(project.root), "toolsets": ("documents",)}
    return build_app(read_settings(given, {}), write_journal=lambda lines: None)


def count(app):
    return sum(source.documents for source in app.engine().sources("documents"))


def test_after_a_change_only_what_changed_is_looked_at(app, project, monkeypatch):
    for number in range(20):
        project.write(f"docs/part-{number}/page.md", f"# {number}\n")
    listed: list[str] = []
    entries = ConfinedFolder.entries

    def counted(self, *enters):
        listed.append(self.root)
        return entries(self, *enters)

    monkeypatch.setattr(ConfinedFolder, "entries", counted)
    with app.upkeep():
        assert eventually(lambda: count(app) == 20)
        listed.clear()

        project.write("docs/part-3/page.md", "# Changed\n")
        assert eventually(lambda: titles(app).get("part-3/page.md") == "Changed")
        for_edits = listed.copy()
        project.write("docs/part-3/more.md", "# More\n")
        (project.root / "docs" / "part-4" / "page.md").unlink()
        assert eventually(lambda: "part-3/more.md" in titles(app) and "part-4/page.md" not in titles(app))
        project.write("docs/new/deep/page.md", "# New\n")
        (project.root / "docs" / "part-5").rename(project.root / "docs" / "moved")
        assert eventually(
            lambda: {"new/deep/page.md", "moved/page.md"} <= titles(app).keys() and "part-5/page.md" not in titles(app)
        )

    assert for_edits == []  # what comes up or goes away is looked for in the whole project
    assert count(app) == 21


def titles(app):
    """The title of each document, by its name."""
    engine = app.engine()
    with engine.database.reading() as transaction:
        store = engine.store(transaction)
        pages = [store.page(source.id, limit=100, offset=0) for source in store.sources("documents")]
    return {document.name: document.title for page in pages for document in page}


def test_a_watched_project_keeps_its_service_until_something_changes(app, project):
    upkeep = app.toolsets[0].upkeep.made()
    project.write("docs/a.md", "# A\n")
    upkeep.follow(None)
    assert upkeep.service() is not upkeep.service()
    upkeep.watching(is_whole=True)
    assert upkeep.service() is upkeep.service()
    project.write("context.json", '{"collections": {"own": {"url": "docs"}}}')
    named = upkeep.service()
    upkeep.follow(None)

    assert [each["collection"] for each in named.listCollections()] == ["own"]
    assert upkeep.service() is not named


def test_a_hit_is_cited_from_the_index_as_it_is_from_its_file(app, project, monkeypatch):
    project.write("docs/a.md", "# Moss\n\nMoss likes shade.\n")
    (project.root / "docs" / "b.md").write_bytes(b"# Ferns\r\n\r\nA fern in a p\xe4rk likes shade.\r\n")
    upkeep = app.toolsets[0].upkeep.made()
    upkeep.follow(None)
    question = [Query("shade", None, 5)]
    with monkeypatch.context() as without_files:
        without_files.setattr("fieldguide.toolsets.documents.service.open_cited_files", None)
        cited = upkeep.service().search(question)
    with app.engine().database.writing() as transaction:  # as a server of the version before does, with other content
        transaction.execute("UPDATE search_document SET hash = 'other'", {})

    assert upkeep.service().search(question) == cited
    assert sorted(each["citation"].partition("#")[0] for each in cited[0]) == ["docs/a.md", "docs/b.md"]
