"""The project's model of itself: which module a file belongs to."""

import pytest

from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.text.errors import Unreadable
from fieldguide.toolsets.context.overview import ModulePlace, ProjectModel, read_model, read_model_or_empty
from tests.proves import proves

MODEL = ProjectModel(
    {
        "modules": {
            "auth": {"keyFiles": [{"path": "src/auth/service.py", "role": "core"}, {"path": "main.py", "role": 5}]},
            "inner": {"keyFiles": [{"path": "src/auth/inner/deep.py", "role": "test"}]},
            "odd": {"keyFiles": "nothing"},
            7: None,
        }
    }
)


@proves("S3-32", "U3-1")
@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("src/auth/service.py", ModulePlace("auth", "core")),
        ("src/auth/other.py", ModulePlace("auth", None)),
        ("src/auth/inner/other.py", ModulePlace("inner", None)),
        ("src/auth/inner/deep.py", ModulePlace("inner", "test")),
        ("src/authority/a.py", ModulePlace(None, None)),
        ("main.py", ModulePlace("auth", None)),
        ("other.py", ModulePlace(None, None)),
    ],
)
def test_a_file_belongs_to_the_module_that_names_it_or_the_nearest_folder_of_one(path, place):
    assert MODEL.place_of(path) == place


def test_modules_are_known_by_name_whatever_is_in_them():
    assert list(MODEL.modules) == ["auth", "inner", "odd", "7"]
    assert MODEL.modules["7"] == {}


def test_a_model_that_leaves_the_project_is_no_model(project, tmp_path):
    (tmp_path / "model.yaml").write_text("modules: {auth: {}}\n", encoding="utf-8")
    (project.root / ".context").mkdir()
    (project.root / ".context" / "project.yaml").symlink_to(tmp_path / "model.yaml")

    assert read_model_or_empty(ConfinedFolder(str(project.root))).modules == {}


def test_a_broken_model_is_told_to_whoever_asks_for_it(project):
    project.write(".context/project.yaml", "modules: [\n")

    with pytest.raises(Unreadable, match="is not valid YAML"):
        read_model(ConfinedFolder(str(project.root)))
