"""`guide_governs`: what applies to a path before it is edited, with the lines that say so."""

import os
import shutil
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from fieldguide.spine.tool import compact_json
from fieldguide.text.citation import hash_lines, read_citation
from fieldguide.text.tokens import count_exact_tokens
from fieldguide.text.windows import ByteLines
from tests.document_wires import Ask, Told, ask_over_stdio
from tests.git_projects import GitProject
from tests.processes import eventually
from tests.projects import Project

ALL = ("--toolsets", "architecture,context,documents,guide,tasks")
SPEAKING = {"docs/prices.md", "docs/adr/0001-money-is-whole.md"}
NOT_INDEXED = "The code is not indexed yet: which tests import it is not known."
NO_HISTORY = "There is no git history here that can be read."
CODE = {
    "shop/__init__.py": "",
    "shop/prices.py": "def total_price(items):\n    return sum(items)\n",
    "shop/cart.py": "from shop.prices import total_price\n\n\nclass Cart:\n    pass\n",
    "shop/mail.py": "def send_mail(to):\n    return to\n",
    "tests/test_prices.py": "import sys\n\nfrom shop.prices import total_price\n",
    "tests/test_shop.py": 'PATCHED = (\n    "shop.prices",\n)\n',
    "tests/test_mail.py": "from shop import mail\n",
    "docs/prices.md": "# Prices\n\nEverything about money is in `shop/prices.py`.\n",
    "docs/adr/0001-money-is-whole.md": "# 1. Money is whole\n\n## Status\n\nAccepted\n\n## Decision\n\n"
    "`total_price` counts cents, never fractions.\n",
    "CODEOWNERS": "* @everybody\n/shop/ @shop-team # all of it\n/shop/mail.py\n",
    ".cursor/rules/money.mdc": "---\ndescription: money\nglobs: shop/*.py, billing/**\n---\n\nNo floats.\n",
    "shop/AGENTS.md": "# The shop\n\nAsk before you change prices.\n",
}


def fill(project: Project) -> None:
    for path, text in CODE.items():
        project.write(path, text)


def shop_in(root: Path) -> GitProject:
    made = GitProject(root)
    fill(made)
    made.commit_all("Open the shop")
    for number in range(3):
        made.write("shop/prices.py", f"{CODE['shop/prices.py']}# {number}\n")
        made.write("web/price.js", f"// {number}\n")
        made.commit_all(f"Change prices {number}", author="Pat Price")
    made.commit("Change mail", "shop/mail.py")
    return made


@pytest.fixture
def repository(project) -> GitProject:
    """The shop, for one test alone."""
    return shop_in(project.root)


@pytest.fixture
def served(repository):
    """The shop with its history, in the database that is wanted."""
    with serving(repository) as ask:
        yield ask


@pytest.fixture(scope="module")
def shop(tmp_path_factory) -> GitProject:
    """The shop, for all tests that only ask."""
    return shop_in(tmp_path_factory.mktemp("shop"))


@pytest.fixture(scope="module")
def ask(shop) -> Iterator[Ask]:
    with serving(shop) as asking:
        yield asking


def serving(project: Project, *flags: str) -> AbstractContextManager[Ask]:
    return ask_over_stdio(project, *ALL, *flags)


def governs(ask: Ask, path: str, **more: object) -> Told:
    return ask("guide_governs", path=path, **more)


def whole(ask: Ask, path: str, *wanted: str) -> dict[str, dict[str, Any]]:
    """The items by their paths, once those that are wanted are told: the index is made beside the first calls."""
    found: dict[str, dict[str, Any]] = {}

    def is_there() -> bool:
        told = governs(ask, path, budget=50_000).structured
        found.clear()
        for item in told["items"]:
            found.setdefault(item["path"], item)
        is_said = all(found[path]["why"].startswith("speaks of") for path in wanted if path in SPEAKING & found.keys())
        return NOT_INDEXED not in told.get("notes", ()) and set(wanted) <= found.keys() and is_said

    assert eventually(is_there), sorted(found)
    return found


def place(item: dict[str, Any]) -> tuple[int, int]:
    return item["start"], item["end"]


def test_tests_that_import_a_file_come_first_with_the_line_that_does(served):
    found = whole(served, "shop/prices.py", "tests/test_prices.py", "tests/test_shop.py", "shop/cart.py")

    assert (found["tests/test_prices.py"]["kind"], place(found["tests/test_prices.py"])) == ("test", (3, 3))
    assert found["tests/test_prices.py"]["why"].startswith("imports it")
    assert (place(found["tests/test_shop.py"]), found["tests/test_shop.py"]["why"].split(";")[0]) == (
        (2, 2),
        "names it in quotes",
    )
    assert found["shop/cart.py"]["why"].startswith("imports it")
    assert found["web/price.js"]["why"] == "changed with it in 3 of its 4 commits"
    assert "imports it" not in found.get("tests/test_mail.py", {"why": ""})["why"]
    files = [path for path in found if found[path]["kind"] in ("code", "test")]
    assert files[:2] == ["tests/test_prices.py", "tests/test_shop.py"]
    assert found.keys() & {"shop/prices.py"} == set()


def test_tests_take_at_most_four_of_the_first_ten_places_and_the_others_are_counted(repository):
    tests = {f"tests/test_more_{number:02}.py" for number in range(40)}
    for path in tests:
        repository.write(path, "from shop.prices import total_price\n")
    others = [f"shop/part_{number}.py" for number in range(8)]
    for path in others:
        repository.write(path, "from shop.prices import total_price\n")
    repository.commit_all("Test and use the prices everywhere")
    with serving(repository) as ask:
        found = whole(ask, "shop/prices.py", *tests, *others)
        usual = governs(ask, "shop/prices.py", budget=1_000)

    ten = list(found)[:10]
    assert [found[path]["kind"] for path in ten].count("test") == 4
    assert "shop/cart.py" in ten
    listed = {item["path"] for item in usual.structured["items"]} & {*tests, "tests/test_prices.py"}
    [note] = [each for each in usual.structured["notes"] if "import it" in each]
    assert note == f"{41 - len(listed)} more tests import it: a larger `budget` lists more."
    assert note in usual.texts[0]


THROUGH = {
    "python": {
        "shop/__init__.py": "from shop.money import Purse\n",
        "shop/money.py": "class Purse:\n    pass\n",
        "tests/test_purse.py": "import os\n\nfrom shop import Purse\n",
    },
    "python attribute": {
        "shop/__init__.py": "from .money import *\n",
        "shop/money.py": "class Purse:\n    pass\n",
        "tests/test_purse.py": "import os\n\nimport shop\n\nshop.Purse()\n",
    },
    "two faces": {
        "shop/__init__.py": "from .money import Purse\n",
        "shop/money/__init__.py": "from .purses import Purse\n",
        "shop/money/purses.py": "class Purse:\n    pass\n",
        "tests/test_purse.py": "import os\n\nfrom shop import Purse\n",
    },
    "typescript": {
        "web/index.ts": "export { default as Purse } from './purse'\nexport * from './money'\n",
        "web/money.ts": "export function pay() {}\n",
        "web/purse.ts": "export default class Purse {}\n",
        "tests/purse.test.ts": "import os from 'os'\n\nimport { pay } from '../web'\n",
    },
    "rust": {
        "Cargo.toml": '[package]\nname = "shop"\n',
        "src/lib.rs": "mod money;\n\npub use money::Purse;\n",
        "src/money.rs": "pub struct Purse;\n",
        "tests/purse.rs": "\n\nuse shop::Purse;\n",
    },
}


@pytest.mark.parametrize("files", THROUGH.values(), ids=THROUGH)
def test_a_test_that_imports_through_the_face_of_a_package_is_told_with_its_line(project, files):
    for path, text in {**files, "tests/test_other.py": "from shop import Nothing\n"}.items():
        project.write(path, text)
    face, test = list(files)[0 if "Cargo.toml" not in files else 1], list(files)[-1]
    target = next(path for path in files if path.rpartition("/")[2].startswith(("money.", "purses.")))
    with serving(project) as ask:
        found = whole(ask, target, test)

    assert (found[test]["why"], place(found[test])) == (f"imports it through {face}", (3, 3))
    assert "through" not in found.get("tests/test_other.py", {"why": ""})["why"]


def test_of_a_short_history_nothing_is_said_to_change_often(repository):
    for number in range(12):
        repository.write("deploy/release.py", f"VERSION = {number}\n")
        repository.commit_all(f"Release {number}")
    with serving(repository) as ask:
        found = whole(ask, "shop/mail.py", "tests/test_mail.py")

    assert "deploy/release.py" not in found
    assert not [item for item in found.values() if "changes often" in item["why"]]


@pytest.mark.parametrize("form", ["./shop/prices.py", "absolute"])
def test_a_path_may_be_written_in_several_ways(shop, ask, form):
    given = str(shop.root / "shop/prices.py") if form == "absolute" else form
    plain = whole(ask, "shop/prices.py", "tests/test_prices.py")

    assert whole(ask, given, "tests/test_prices.py") == plain


@pytest.mark.parametrize("form", ["shop/prices.py#L1-L2@12345678", "shop/prices.py:2"])
def test_of_some_lines_of_a_file_those_who_call_what_they_define_are_told_too(ask, form):
    plain = whole(ask, "shop/prices.py", "tests/test_prices.py")
    some = whole(ask, form, "tests/test_prices.py")

    assert plain.keys() <= some.keys()
    assert some["tests/test_prices.py"]["why"].startswith("tests `total_price`")
    assert plain["tests/test_prices.py"]["why"].startswith("imports it")


def test_a_diff_and_a_folder_mean_their_files(ask):
    diff = "diff --git a/shop/mail.py b/shop/mail.py\n--- a/shop/mail.py\n+++ b/shop/mail.py\n@@ -1 +1 @@\n-a\n+b\n"
    by_diff = whole(ask, diff, "tests/test_mail.py")
    by_folder = whole(ask, "shop", "tests/test_mail.py", "tests/test_prices.py", "web/price.js")

    assert place(by_diff["tests/test_mail.py"]) == (1, 1)
    assert "shop/mail.py" not in by_diff
    assert by_folder["CODEOWNERS"]["why"] == "owned by @shop-team"


@pytest.mark.parametrize("path", ["../outside.py", "/etc/passwd", "a\nb"])
def test_what_is_not_in_the_project_is_refused(ask, path):
    told = governs(ask, path)

    assert told.is_error
    assert "error" in told.texts[0]


def test_a_file_that_is_about_to_be_made_is_told_of_by_its_folder(ask):
    found = whole(ask, "shop/vouchers.py", "shop/prices.py")

    assert found[".cursor/rules/money.mdc"]["kind"] == "pattern"
    assert found["CODEOWNERS"]["why"] == "owned by @shop-team"


def test_rules_decisions_and_documents_are_told_by_the_lines_that_name_it(served):
    found = whole(served, "shop/prices.py", *SPEAKING)

    rule, folder = found[".cursor/rules/money.mdc"], found["shop/AGENTS.md"]
    assert (rule["kind"], place(rule), rule["why"]) == ("pattern", (3, 3), "its glob `shop/*.py` means shop/prices.py")
    assert (folder["kind"], folder["why"]) == ("pattern", "holds for everything in shop/")
    decision, document = found["docs/adr/0001-money-is-whole.md"], found["docs/prices.md"]
    assert (decision["kind"], decision["start"], decision["why"]) == ("decision", 9, "speaks of `total_price`")
    assert (document["kind"], document["start"], document["why"]) == ("document", 3, "speaks of `shop/prices.py`")
    assert list(found)[:2] == [".cursor/rules/money.mdc", "shop/AGENTS.md"]
    mail = governs(served, "shop/mail.py", budget=50_000).structured["items"]
    assert not [item for item in mail if item["why"].startswith("speaks of")]


def test_the_last_line_of_codeowners_that_matches_counts(ask):
    prices = governs(ask, "shop/prices.py").structured
    mail = governs(ask, "shop/mail.py").structured
    docs = governs(ask, "docs/prices.md").structured

    owned = {item["path"]: item for item in prices["items"]}["CODEOWNERS"]
    assert (place(owned), owned["why"], prices["owners"]) == ((2, 2), "owned by @shop-team", ["@shop-team"])
    assert docs["owners"] == ["@everybody"]
    assert not [item for item in mail["items"] if item["why"].startswith("owned by")]


@pytest.mark.parametrize("folder", ["", ".github/", "docs/"])
def test_codeowners_is_read_in_its_three_places(project, folder):
    project.write("a.py", "A = 1\n")
    project.write(f"{folder}CODEOWNERS", "*.py @pythonistas\n")
    with serving(project) as ask:
        assert governs(ask, "a.py").structured["owners"] == ["@pythonistas"]


def test_without_codeowners_those_who_changed_it_most_own_it(repository):
    (repository.root / "CODEOWNERS").unlink()
    with serving(repository) as ask:
        told = governs(ask, "shop/prices.py")

    assert told.structured["owners"] == ["Pat Price", "Ann Author"]
    assert "Owners: Pat Price, Ann Author" in told.texts[0]


def test_findings_and_the_bound_users_open_tasks_that_name_it_are_told(repository):
    with serving(repository, "--user", "ann") as ask:
        ask("guide_record", type="issue", content="Rounding is off", evidence={"files": ["shop/prices.py#L1-L2"]})
        ask("guide_record", type="rule", content="Mails go out at night")
        ask("guide_record", type="issue", content="lib/workshop/prices.py.bak is left over")
        ask("add_task", user_id="ann", title="Speed up subtotal_price_of_all")
        ask("add_task", user_id="ann", title="Speed up total_price", description="It is slow")
        ask("add_task", user_id="ann", title="Water the plants")
        items = governs(ask, "shop/prices.py", budget=50_000).structured["items"]
        opened = [ask("guide_open", citation=item["citation"]) for item in items]

    assert [told.texts[0] for told in opened if told.is_error] == []
    notes = {item["kind"]: item for item in items if "://" in item["path"]}
    assert len([item for item in items if "://" in item["path"]]) == len(notes) == 2
    assert notes["finding"]["why"] == "its evidence is shop/prices.py"
    assert (notes["task"]["why"], place(notes["task"])) == ("speaks of `total_price`", (1, 2))
    with serving(repository, "--user", "bob") as ask:
        items = governs(ask, "shop/prices.py", budget=50_000).structured["items"]
    assert "task" not in [item["kind"] for item in items]


@pytest.mark.parametrize("budget", [200, 400, 1_000, 50_000])
def test_every_answer_keeps_its_budget_and_cites_lines_that_are_there(shop, ask, budget):
    whole(ask, "shop/prices.py", "tests/test_prices.py", *SPEAKING)
    told = governs(ask, "shop/prices.py", budget=budget)
    again = governs(ask, "shop/prices.py", budget=budget)

    assert (again.texts, again.structured) == (told.texts, told.structured)
    assert count_exact_tokens(told.texts[0]) <= budget
    assert count_exact_tokens(compact_json(told.structured)) <= budget
    assert told.structured["items"]
    for item in told.structured["items"]:
        citation = read_citation(item["citation"])
        assert citation is not None
        assert item["citation"] in told.texts[0]
        assert {"path", "start", "end", "kind", "why"} <= item.keys()
        assert citation.hash == hash_lines(
            ByteLines((shop.root / item["path"]).read_bytes()).between(item["start"], item["end"])
        )


def test_what_a_repository_says_at_length_leaves_room_for_the_rest(project):
    fill(project)
    project.write("CODEOWNERS", f"* {' '.join(f'@{chr(0x4E00 + number) * 90}' for number in range(40))}\n")
    project.write(f".cursor/rules/{'x' * 200}.mdc", f"---\nglobs: {'shop/{a,b}/**,' * 50}shop/*.py\n---\n")
    with serving(project) as ask:
        whole(ask, "shop/prices.py", "tests/test_prices.py")
        told = governs(ask, "shop/prices.py", budget=200)

    assert count_exact_tokens(told.texts[0]) <= 200
    assert count_exact_tokens(compact_json(told.structured)) <= 200
    assert "tests/test_prices.py" in [item["path"] for item in told.structured["items"]]


def test_history_is_that_of_the_commit_that_is_checked_out(repository):
    repository.git("switch", "--quiet", "--create", "other")
    repository.commit("Only here", "shop/mail.py", "web/letters.js")
    with serving(repository) as ask:
        assert whole(ask, "shop/mail.py", "web/letters.js")["web/letters.js"]["why"].startswith("changed with it in 1")

        repository.git("switch", "--quiet", "main")
        repository.write("web/letters.js", "// there, but never committed\n")
        told = governs(ask, "shop/mail.py", budget=50_000).structured["items"]
        assert not [item for item in told if item["path"] == "web/letters.js" and "changed with it" in item["why"]]

        (repository.root / "web/letters.js").unlink()
        repository.git("switch", "--quiet", "--detach", "other")
        assert whole(ask, "shop/mail.py", "web/letters.js")["web/letters.js"]["why"].startswith("changed with it in 1")


@pytest.mark.parametrize("how", ["none", "link", "pointer"])
def test_without_a_git_of_its_own_a_project_has_no_history_and_everything_else(project, tmp_path, how):
    other = tmp_path / "other"
    other.mkdir()
    stranger = GitProject(other)
    stranger.commit("Not yours", "shop/prices.py", "shop/mail.py")
    fill(project)
    if how == "link":
        os.symlink(other / ".git", project.root / ".git")
    elif how == "pointer":
        project.write(".git", f"gitdir: {other / '.git'}\n")

    with serving(project) as ask:
        found = whole(ask, "shop/prices.py", "tests/test_prices.py", "docs/prices.md")
        told = governs(ask, "shop/prices.py")

    assert told.structured["notes"] == [NO_HISTORY]
    assert NO_HISTORY in told.texts[0]
    assert "changed with it" not in found["tests/test_prices.py"]["why"]
    assert not [path for path in found if "changed with it" in found[path]["why"]]


def test_who_imports_whom_is_kept_up_as_files_change(repository):
    with serving(repository) as ask:
        whole(ask, "shop/mail.py", "tests/test_mail.py")

        repository.write("tests/test_letters.py", "from shop.mail import send_mail\n")
        letters = whole(ask, "shop/mail.py", "tests/test_letters.py")["tests/test_letters.py"]
        assert letters["why"].startswith("imports it")

        (repository.root / "tests/test_mail.py").unlink()
        shutil.move(repository.root / "tests/test_letters.py", repository.root / "tests/test_post.py")

        def is_followed() -> bool:
            items = governs(ask, "shop/mail.py", budget=50_000).structured["items"]
            tests = {item["path"] for item in items if item["why"].startswith("imports it")}
            return tests == {"tests/test_post.py"}

        assert eventually(is_followed)


def test_a_test_in_the_same_package_of_go_and_one_that_imports_it_are_told(project):
    project.write("go.mod", "module example.com/shop\n")
    project.write("prices/prices.go", "package prices\n\nfunc Total() int { return 1 }\n")
    project.write("prices/prices_test.go", 'package prices\n\nimport "testing"\n')
    project.write("e2e/e2e_test.go", 'package e2e\n\nimport (\n\t"testing"\n\n\t"example.com/shop/prices"\n)\n')
    with serving(project) as ask:
        found = whole(ask, "prices/prices.go", "prices/prices_test.go", "e2e/e2e_test.go")

    assert (place(found["e2e/e2e_test.go"]), found["e2e/e2e_test.go"]["why"]) == ((6, 6), "imports it")
    assert found["prices/prices_test.go"]["kind"] == "test"
    assert found["prices/prices_test.go"]["why"] == "is in its package"


def test_a_name_that_is_nearly_right_is_told_the_right_one(ask):
    whole(ask, "shop/prices.py")
    told = governs(ask, "shop/price.py")

    [note] = [each for each in told.structured["notes"] if "not there" in each]
    assert note == "shop/price.py is not there yet. Did you mean 'shop/prices.py'?"
    assert note in told.texts[0]
