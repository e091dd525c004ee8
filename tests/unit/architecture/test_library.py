"""The documents of a project and their addresses, where the front door can't arrange it."""

import pytest

from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.text.errors import InvalidArguments
from fieldguide.toolsets.architecture import library as library_module
from fieldguide.toolsets.architecture.calls import check_resource_path
from fieldguide.toolsets.architecture.library import DocumentLibrary
from tests.architecture_projects import GUIDELINES
from tests.proves import proves


@pytest.fixture(autouse=True)
def _impatient(monkeypatch):
    """Files count at once: how they settle has tests of its own."""
    monkeypatch.setattr(library_module, "SETTLED_SECONDS", 0.0)


@pytest.fixture
def library(project):
    return DocumentLibrary(ConfinedFolder(str(project.root)), {})


@proves("S0-71", "S0-72")
@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("../x", "Path must be within mcp/resources/ directory"),
        ("/etc/passwd", "Path must be within mcp/resources/ directory"),
        ("mcp/resources", "Path must be within mcp/resources/ directory"),
        ("mcp/resources/", "Path must be within mcp/resources/ directory"),
        ("mcp/resources2/x", "Path must be within mcp/resources/ directory"),
        ("mcp/resources/../../x", "Path must be within mcp/resources/ directory"),
        ("", "Path must be within mcp/resources/ directory"),
        ("mcp/resources/a/../b", "Path traversal not allowed"),
        ("mcp/resources/../resources/b", "Path traversal not allowed"),
        ("mcp/resources/patterns/..b", "Path traversal not allowed"),
    ],
)
def test_a_path_outside_the_resources_is_refused_by_its_prefix_first(path, message):
    with pytest.raises(InvalidArguments) as refused:
        check_resource_path(path)

    assert refused.value.message == message


@proves("S0-71")
@pytest.mark.parametrize("path", ["mcp/resources/patterns/x", "mcp//resources/./patterns/x.md", "./mcp/resources/x"])
def test_a_path_below_the_resources_is_taken_once_it_is_cleaned(path):
    check_resource_path(path)


def test_names_that_are_no_text_have_addresses_that_can_be_sent(project, library):
    folder = project.root / GUIDELINES
    folder.mkdir(parents=True)
    with open(bytes(folder) + b"/gr\xfc\xdfe.md", "wb") as file:
        file.write(b"# Latin\n")

    [document] = library.look().documents

    assert document.uri == "architecture://guidelines/gr%EF%BF%BD%EF%BF%BDe"
    assert document.path.encode()
    assert document.name.encode(errors="surrogateescape")
