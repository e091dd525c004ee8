"""The pages that show the packages agree with `pyproject.toml` and with the tree."""

import re
import tomllib

from tests.docs.markdown import ROOT, blocks_of

ARCHITECTURE = "docs/explain/architecture.md"


def written_order() -> list[str]:
    """The levels that import-linter checks, highest first, without `__main__`, which holds nothing."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    [layers] = [each["layers"] for each in contracts if each["type"] == "layers"]
    return [level for level in layers if level != "__main__"]


def shown_order(page: str) -> list[str]:
    """The levels in the first text block of a page: a line each, and two spaces before what it says about them."""
    path = ROOT / page
    block = next(each for each in blocks_of(path, path.read_text("utf-8")) if each.language == "text")
    return [line.split("  ")[0] for line in block.text.splitlines()]


def test_agents_md_shows_the_packages_in_the_order_that_is_checked():
    assert shown_order("AGENTS.md") == written_order()


def test_every_module_that_the_architecture_page_names_exists():
    named = re.findall(r"`([\w/]+\.py)`", (ROOT / ARCHITECTURE).read_text("utf-8"))
    missing = [name for name in named if not (ROOT / "src/fieldguide" / name).exists() and not (ROOT / name).exists()]

    assert named
    assert missing == []
