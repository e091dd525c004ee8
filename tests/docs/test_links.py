"""No link of the documentation leads nowhere."""

import re
from pathlib import Path

from tests.docs.markdown import ROOT, all_pages, anchors_of, links_of

ELSEWHERE = ("http://", "https://", "mailto:")


def broken_links(path: Path, text: str) -> list[str]:
    """The relative links of a page that lead to no file, or to no heading of it."""
    return [link for link in links_of(text) if not link.startswith(ELSEWHERE) and not leads_somewhere(path, link)]


def leads_somewhere(path: Path, link: str) -> bool:
    name, _, anchor = link.partition("#")
    target = path.parent / name if name else path
    if not target.exists() or not target.resolve().is_relative_to(ROOT):
        return False
    return not anchor or target.suffix != ".md" or anchor in anchors_of(target.read_text(encoding="utf-8"))


def test_every_relative_link_leads_to_a_file_and_a_heading():
    found = {path.relative_to(ROOT).as_posix(): broken_links(path, path.read_text("utf-8")) for path in all_pages()}

    assert {name: links for name, links in found.items() if links} == {}


def test_a_link_that_leads_nowhere_is_found():
    page = ROOT / "docs" / "README.md"
    text = """
[there](../README.md) [not there](nowhere.md) ![picture](gone.png) `[code](in-code.md)` [out](../../out.md)
[web](https://example.org/x) [no heading](../README.md#no-such-heading) [here](#a-heading)

```text
[in a block](in-block.md)
```

[reference]: also-nowhere.md

<picture><source srcset="no-dark.png"><img src="search-growth.svg"></picture>
"""

    broken = broken_links(page, text)

    assert broken == ["nowhere.md", "gone.png", "../../out.md", "../README.md#no-such-heading", "#a-heading",
                      "also-nowhere.md", "no-dark.png", "search-growth.svg"]  # fmt: skip


def test_the_pages_that_are_looked_at_are_ours():
    names = {path.relative_to(ROOT).as_posix() for path in all_pages()}

    assert {"README.md", "docs/README.md", "CONTRIBUTING.md", "docs/decisions/README.md"} <= names
    assert not [name for name in names if name.startswith(("directive/", ".venv")) or "node_modules" in name]


def test_every_test_that_the_threat_model_names_exists():
    names = re.findall(r"`([\w/]*test_\w+\.py)`", (ROOT / "SECURITY.md").read_text("utf-8"))
    paths = [ROOT / name if "/" in name else ROOT / "tests" / "hostile" / name for name in names]

    assert names
    assert [path.name for path in paths if not path.exists()] == []
