"""`context://project/overview` of a project that nobody has described: the repository tells what it is."""

import pytest

from tests.git_projects import GitProject
from tests.servers import run

MANIFEST = '[project]\nname = "shop"\ndescription = "Sells apples."\n[tool.pytest.ini_options]\n[tool.mypy]\n'
BADGE = "[![build](https://example.com/badge.svg)](https://example.com)"
README = f"# Shop\n\n{BADGE}\n\nA **shop** that sells [apples](a.md) to foxes.\n"


@pytest.fixture
def shop(tmp_path):
    (tmp_path / "shop").mkdir()
    project = GitProject(tmp_path / "shop")
    project.write("README.md", README)
    project.write("pyproject.toml", MANIFEST)
    project.write("Makefile", "test:\n\tpytest\n\nbuild: test\n\nhidden := 1\n")
    project.write("src/shop/__main__.py", "from shop.orders import order\n")
    project.write("src/shop/orders/order.py", "from shop.storage import store\n")
    project.write("src/shop/orders/__init__.py", "from shop.storage import store\n")
    project.write("src/shop/storage/__init__.py", "store = 1\n")
    project.write("tests/test_order.py", "pass\n")
    project.write("docs/guide.md", "# Guide\n")
    project.write("docs/adr/0001-apples.md", "# Apples\n\n## Status\n\nAccepted\n\n## Decision\n\nApples.\n")
    project.write("docs/adr/0002-pears.md", "# Pears\n\n## Status\n\nRejected\n\n## Decision\n\nNo pears.\n")
    project.commit_all(
        "Fix double orders when two foxes pay at once\n\nThe lock was released too early because of a missing await.\n"
    )
    return project


def test_the_repository_tells_what_it_is(shop):
    shown = run("status", "--overview", "--project", shop.root).stdout

    assert shown.startswith("# shop\n\nA shop that sells apples to foxes.\n\n")
    for line in (
        "- Languages: python (4 files)",
        "- Entry points: `src/shop/__main__.py`",
        "- Tests: `tests`",
        "- Documents: `docs` (3), `.` (1), decisions in `docs/adr`",
        "- `make test` (Makefile)",
        "- `make build` (Makefile)",
        "- `pytest` (pyproject.toml)",
        "- `src/shop/orders` (2 files)",
    ):
        assert line in shown.splitlines()


def test_a_model_that_somebody_wrote_is_told_instead(shop):
    shop.write(".context/project.yaml", "project: {name: Orchard}\n")

    assert run("status", "--overview", "--project", shop.root).stdout == "# Orchard\n\n"


def test_hostile_manifests_are_passed_over(project):
    project.write("package.json", '{"scripts": ["a"], "name": 5, "description": {"a": 1}}')
    project.write("pyproject.toml", "[project\n")
    project.write("Cargo.toml", "name = 'x'\n")
    project.write("README.md", b"\xff\xfe\x00# \x1b[31m\n")

    assert run("status", "--overview", "--project", project.root).stdout.startswith(f"# {project.root.name}\n")
