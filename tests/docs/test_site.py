"""The documentation as a site: every page has its place, every link leads somewhere, nothing comes from elsewhere."""

import os
import subprocess
import sys

from docs.site.fences import as_tables, plain_fences
from docs.site.navigation import decision_pages, sections
from docs.site.outside import PAGES, for_the_site
from docs.site.pages import complaints, loaded_from_elsewhere
from tests.docs.markdown import ROOT

DOCS = ROOT / "docs"


def text_of(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def test_every_page_stands_once_in_the_index():
    listed = [target for pages in sections(text_of("README.md")).values() for _, target in pages]
    listed += [target for page in decision_pages(text_of("decisions/README.md")) for target in page.values()]
    there = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}

    assert sorted(listed) == sorted(there - {"README.md", "decisions/README.md"})


def test_the_site_is_built_strictly_and_loads_nothing_from_elsewhere(tmp_path):
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)]
    built = subprocess.run(command, cwd=ROOT, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}, capture_output=True,
                           text=True, timeout=120, check=False)  # fmt: skip

    assert built.returncode == 0, built.stderr
    pages = list(tmp_path.rglob("*.html"))
    assert {"index.html", "SECURITY.html", "figures.html"} <= {page.name for page in pages}
    assert len(pages) >= len(list(DOCS.rglob("*.md"))) + len(PAGES)
    assert [page for page in pages if loaded_from_elsewhere(page.read_text(encoding="utf-8"))] == []


def test_links_out_of_the_folder_lead_to_pages_of_the_site_or_become_words():
    text = (
        "[a](../../SECURITY.md#x) [`b`](../../src/b.py) ![c](search-growth.svg) [d](wire.md) [e](https://e.example)\n"
    )
    fenced = "```text\n[in a block](../../src/b.py)\n```\n"
    picture = '<img src="docs/pictures/page.png">'

    assert for_the_site(text + fenced, "docs/explain/figures.md") == (
        "[a](../project/SECURITY.md#x) `b` ![c](search-growth.svg) [d](wire.md) [e](https://e.example)\n" + fenced
    )
    assert for_the_site(picture, "README.md") == '<img src="../pictures/page.png">'


def test_a_page_that_would_be_shown_otherwise_is_named():
    assert complaints("Words:\n- one\n- two\n", "<p>Words: - one - two</p>") == ["0 li where its Markdown means 2"]
    assert complaints("# A\n\n- one\n", '<h1 id="a">A</h1>\n<ul>\n<li>one</li></ul>') == []
    assert loaded_from_elsewhere('<script src="https://cdn.example/x.js"></script><a href="https://a.example">') == [
        "https://cdn.example/x.js"
    ]


def test_diagrams_are_tables_and_fences_name_a_language_alone():
    diagram = "```mermaid\nsequenceDiagram\n  participant a as one\n  participant b as two\n  a->>b: go\n```"

    assert as_tables(diagram).splitlines()[-1] == "| one | two | go |"
    assert plain_fences("```console empty\n$ x\n```") == "```console\n$ x\n```"
