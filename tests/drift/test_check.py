"""What documents name that is gone: found by the project's own history, with the commit that did it."""

import pytest

from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.knowledge.links.drift import find_drift, select_alarms
from fieldguide.knowledge.links.project_names import DriftCache
from fieldguide.text.errors import Unreadable
from tests.drift.conftest import CODE, rewrite
from tests.proves import proves


def told(shop, **more):
    """The alarms by what they name."""
    return {each.name: each for each in select_alarms(find_drift(ConfinedFolder(str(shop.root)), **more))}


@proves("Y-55")
def test_a_function_that_was_renamed_is_told_with_its_commit_and_its_likely_new_name(shop):
    rewrite(shop, "shop/prices.py", "def total_price(items)", "def sum_of_prices(items)")
    commit = shop.commit_all("Call it what it is")

    found = told(shop)

    assert list(found) == ["total_price"]
    drift = found["total_price"]
    assert (drift.document, drift.line, drift.kind) == ("docs/guide.md", 3, "symbol")
    assert (drift.commit.id, drift.commit.subject, drift.successor) == (commit, "Call it what it is", "sum_of_prices")
    assert drift.source == "shop/prices.py"


@proves("Y-55")
@pytest.mark.parametrize(
    ("old", "name", "kind"),
    [
        ("RETRY_LIMIT = 3\n", "RETRY_LIMIT", "symbol"),
        ('    parser.add_argument("--dry-run")\n', "--dry-run", "option"),
        ("    def add_price(self, item, amount):\n        return item, amount\n", "PriceList.add_price", "symbol"),
    ],
)
def test_what_was_removed_is_told(shop, old, name, kind):
    rewrite(shop, "shop/prices.py", old, "    pass\n" if old.startswith("    def") else "")
    commit = shop.commit_all("Take it away")

    found = told(shop)

    assert {(each.name, each.kind, each.commit.id) for each in found.values()} == {(name, kind, commit)}


@proves("Y-56")
def test_a_path_that_was_moved_is_told_with_its_new_place(shop):
    shop.git("mv", "shop/mail.py", "shop/letters.py")
    shop.git("mv", "shop/prices.py", "prices.py")
    shop.commit_all("Move things")

    found = told(shop)

    assert {each.name: each.successor for each in found.values()} == {
        "../shop/mail.py": "shop/letters.py",
        "shop/prices.py": "prices.py",
    }


@proves("Y-57")
def test_what_the_project_never_had_is_no_alarm(shop):
    shop.write("docs/more.md", "# More\n\nUse `requests.get_adapter`, `--no-cache-dir` and `etc/pip_settings.conf`.\n")
    shop.commit_all("Write more")

    assert told(shop) == {}


@proves("Y-57")
def test_a_name_that_other_code_still_has_is_no_alarm(shop):
    shop.write("shop/sums.py", "from shop.prices import sum_of_prices as total_price\n")
    rewrite(shop, "shop/prices.py", "def total_price(items)", "def sum_of_prices(items)")
    shop.commit_all("Rename it, and keep its name")

    assert told(shop) == {}


@proves("Y-57")
def test_a_name_that_only_a_test_still_has_is_told_while_it_is_news(shop):
    shop.write("tests/test_prices.py", "from shop import prices\n\nassert prices.total_price([1]) == 1\n")
    rewrite(shop, "shop/prices.py", "def total_price(items)", "def sum_of_prices(items)")
    shop.commit_all("Rename, and forget the test")

    assert set(told(shop)) == {"total_price"}
    shop.write("shop/later.py", "LATER = 1\n")
    shop.commit_all("Go on", date="2027-03-04T05:06:07+00:00")
    assert told(shop) == {}


@proves("Y-57")
def test_what_was_written_after_the_removal_means_something_else(shop):
    rewrite(shop, "shop/prices.py", "def total_price(items)", "def sum_of_prices(items)")
    rewrite(shop, "docs/guide.md", "Call `total_price()`", "Call `sum_of_prices()`")
    shop.commit_all("Rename it everywhere")
    shop.write("docs/partner.md", "# The partner\n\nTheir API has `total_price`.\n")
    shop.commit_all("Tell of the partner")

    assert told(shop) == {}


@proves("Y-57")
def test_a_name_of_tests_and_examples_is_not_the_projects_own(shop):
    shop.write("tests/test_more.py", "def make_basket():\n    pass\n")
    shop.write("examples/shop.py", "def open_basket():\n    pass\n")
    shop.write("docs/more.md", "# More\n\nWrite `make_basket` and `open_basket` yourself.\n")
    shop.commit_all("Show how")
    (shop.root / "tests/test_more.py").unlink()
    (shop.root / "examples/shop.py").unlink()
    shop.commit_all("Show no more")

    assert told(shop) == {}


@proves("Y-58")
@pytest.mark.parametrize(("path", "text"), [
    ("CHANGELOG.md", "# Changes\n\n## 1.0\n\n- Added `total_price`.\n"),
    ("docs/notes.md", "# Notes\n\n## 2.0 (2026-03-04)\n\nUse `total_price`.\n\n## 1.0\n\nUse `total_price`.\n"),
    ("docs/migration.md", "# From 1 to 2\n\nCall `sum_of_prices` where you called `total_price`.\n"),
    ("docs/api.md", "# API\n\nCall `sum_of_prices`, which was\nrenamed: it was\n`total_price` before.\n"),
    ("docs/api.rst",
     "API\n===\n\n.. versionchanged:: 2.0\n\n   The function\n\n   ``total_price`` has another name.\n"),
    ("docs/adr/0001-sums.md", "# 1. Sums\n\n## Status\n\nSuperseded by 2\n\n## Decision\n\n`total_price` it is.\n"),
])  # fmt: skip
def test_what_tells_of_the_past_is_no_alarm(shop, path, text):
    (shop.root / "docs/guide.md").unlink()
    shop.write(path, text)
    shop.commit_all("Tell of it")
    rewrite(shop, "shop/prices.py", "def total_price(items)", "def sum_of_prices(items)")
    shop.commit_all("Rename it")

    assert told(shop) == {}


@proves("Y-59")
def test_since_tells_only_what_a_change_broke(shop):
    rewrite(shop, "shop/prices.py", "RETRY_LIMIT = 3\n", "")
    before = shop.commit_all("Never try again")
    rewrite(shop, "shop/prices.py", "def total_price(items)", "def sum_of_prices(items)")
    shop.commit_all("Rename it")

    assert set(told(shop)) == {"RETRY_LIMIT", "total_price"}
    assert set(told(shop, since=before)) == {"total_price"}
    assert told(shop, since="HEAD") == {}
    with pytest.raises(Unreadable):
        told(shop, since="no-such-commit")


@proves("Y-55")
def test_a_long_history_is_read_in_parts_and_what_is_read_is_kept(shop):
    rewrite(shop, "shop/prices.py", "total_price", "sum_of_prices")
    shop.commit_all("Say what is summed up")
    rewrite(shop, "shop/prices.py", "RETRY_LIMIT", "MOST_TRIES")
    shop.commit_all("Count tries")
    rewrite(shop, "shop/prices.py", "--dry-run", "--nothing")
    cache = DriftCache()

    parts = [told(shop, kept=cache, most_commits=1).keys()]
    shop.commit_all("Name the option by what it does")
    parts += [told(shop, kept=cache, most_commits=1).keys() for _ in range(2)]

    assert parts == [{"RETRY_LIMIT"}, {"RETRY_LIMIT", "--dry-run", "total_price"}, told(shop).keys()]
    assert told(shop, kept=cache, most_commits=0).keys() == told(shop).keys()


@proves("Y-60")
def test_what_is_kept_follows_head_documents_and_code(shop):
    kept = DriftCache()
    assert told(shop, kept=kept) == {}

    rewrite(shop, "shop/prices.py", "def total_price(items)", "def sum_of_prices(items)")
    renamed = shop.commit_all("Rename it")
    assert set(told(shop, kept=kept)) == {"total_price"}

    shop.write("shop/old.py", "from shop.prices import sum_of_prices as total_price\n")
    shop.commit_all("Keep the old name, too")
    assert told(shop, kept=kept) == {}

    shop.git("checkout", "--quiet", renamed)
    assert set(told(shop, kept=kept)) == {"total_price"}

    shop.git("checkout", "--quiet", f"{renamed}^")
    assert (shop.root / "shop/prices.py").read_text() == CODE
    assert told(shop, kept=kept) == {}

    shop.git("checkout", "--quiet", renamed)
    rewrite(shop, "docs/guide.md", "`total_price()`", "`sum_of_prices()`")
    assert told(shop, kept=kept) == {}


@proves("Y-61")
@pytest.mark.parametrize(
    "comment",
    [
        "<!-- fieldguide: ignore[gone] kept for those who search for it -->\nCall `total_price()`\n",
        "<!-- fieldguide: ignore[stale/gone-symbol] kept for those who search for it -->\n\nCall `total_price()`\n",
        "Call `total_price()` <!-- fieldguide: ignore[stale] kept for those who search for it -->\n",
    ],
)
def test_a_comment_with_a_reason_allows_a_name(shop, comment):
    shop.write("docs/guide.md", f"# Guide\n\n{comment}")
    shop.commit_all("Tell less")
    rewrite(shop, "shop/prices.py", "def total_price(items)", "def sum_of_prices(items)")
    shop.commit_all("Rename it")

    assert told(shop) == {}

    rewrite(shop, "docs/guide.md", " kept for those who search for it", "")
    assert set(told(shop)) == {"total_price"}


@proves("Y-62")
def test_a_man_page_and_restructured_text_are_read_too(shop):
    shop.write("docs/shop.rst", "Shop\n====\n\nSee :func:`shop.prices.total_price`.\n")
    shop.write("man/shop.1", ".TH SHOP 1\n.SH OPTIONS\n.TP\n.B \\-\\-dry\\-run\nDo nothing.\n")
    shop.commit_all("Tell more")
    rewrite(shop, "shop/prices.py", "def total_price(items)", "def sum_of_prices(items)")
    rewrite(shop, "shop/prices.py", '    parser.add_argument("--dry-run")\n', "")
    shop.commit_all("Change it")

    found = select_alarms(find_drift(ConfinedFolder(str(shop.root))))

    assert {(each.document, each.line, each.name) for each in found} == {
        ("docs/guide.md", 3, "total_price"),
        ("docs/guide.md", 5, "--dry-run"),
        ("docs/shop.rst", 4, "shop.prices.total_price"),
        ("man/shop.1", 4, "--dry-run"),
    }


@proves("Y-57")
def test_without_git_nothing_is_told(project):
    project.write("docs/guide.md", "Call `total_price()`.\n")

    assert find_drift(ConfinedFolder(str(project.root))) == []


@proves("Y-57")
@pytest.mark.parametrize(
    ("page", "old", "new", "name"),
    [
        ("`total_price` is deprecated.", "def total_price(items)", "def sum_of_prices(items)", "total_price"),
        ("It was renamed: see [the code](https://forge.example/us/shop/blob/main/shop/mail.py).", None, None, None),
        ("See [the code](https://forge.example/us/shop/blob/main/shop/mail.py).", None, None, "shop/mail.py"),
        ("It was renamed: see [the code](../shop/mail.py).", None, None, "../shop/mail.py"),
        ("```sh\npython shop/mail.py\n```", None, None, "shop/mail.py"),
        ("```ini\nRETRY_LIMIT = 5\n```", "RETRY_LIMIT = 3\n", "", "RETRY_LIMIT"),
        ("```py\nRETRY_LIMIT = 5\nretry(RETRY_LIMIT)\n```", "RETRY_LIMIT = 3\n", "", None),
    ],
)
def test_what_the_last_change_broke_is_told_wherever_a_page_relies_on_it(shop, page, old, new, name):
    shop.write("docs/guide.md", f"# Guide\n\n{page}\n")
    shop.commit_all("Tell of it")
    if old is None:
        shop.git("mv", "shop/mail.py", "shop/letters.py")
    else:
        rewrite(shop, "shop/prices.py", old, new)
    shop.commit_all("Change it")

    assert set(told(shop)) == ({name} if name else set())


@proves("Y-55")
def test_an_option_of_a_help_text_is_told(shop):
    shop.write("shop/help.js", "console.log(`\n  --max-items <number>  how many to buy\n`)\n")
    shop.write("docs/guide.md", "# Guide\n\nGive `--max-items`.\n")
    shop.commit_all("Help")
    rewrite(shop, "shop/help.js", "  --max-items <number>  how many to buy\n", "")
    shop.commit_all("Help less")

    assert set(told(shop)) == {"--max-items"}


@proves("Y-57")
@pytest.mark.parametrize(
    ("code", "later", "page"),
    [
        ('OPTIONS = ["--ext-mail"]\n', 'OPTIONS = [f"--ext-{name}" for name in NAMES]\n', "Give `--ext-mail`."),
        ("func Buy() {\n\ttotalAmount := 1\n}\n", "func Buy() {\n}\n", "The spec has a `totalAmount`."),
    ],
)
def test_an_option_made_of_parts_and_a_variable_of_a_function_are_no_alarm(shop, code, later, page):
    shop.write("shop/more.go", code)
    shop.write("docs/more.md", f"# More\n\n{page}\n")
    shop.commit_all("Do more")
    shop.write("shop/more.go", later)
    shop.commit_all("Do it in another way")

    assert told(shop) == {}


@proves("Y-57")
def test_two_words_with_a_slash_are_a_folder_only_while_it_is_news(shop):
    shop.write("x/upgrade/plan.py", "PLAN = 1\n")
    shop.write("docs/more.md", "# More\n\nThe module `x/upgrade` of the framework does it.\n")
    shop.commit_all("Plan")
    (shop.root / "x/upgrade/plan.py").unlink()
    shop.commit_all("Plan no more")

    assert set(told(shop)) == {"x/upgrade"}
    shop.write("shop/later.py", "LATER = 1\n")
    shop.commit_all("Go on", date="2027-03-04T05:06:07+00:00")
    assert told(shop) == {}
