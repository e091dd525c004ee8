"""What MkDocs calls while it builds the site (`mkdocs.yml` names this file)."""

from pathlib import Path
from typing import Any

from docs.site.fences import as_tables, plain_fences
from docs.site.navigation import navigation
from docs.site.outside import OUTSIDE, PAGES, for_the_site
from docs.site.pages import complaints

ROOT = Path(__file__).parent.parent.parent
DOCS = ROOT / "docs"


def on_config(config: Any) -> Any:
    """Make the navigation from the two index pages."""
    config["nav"] = navigation(_text(DOCS / "README.md"), _text(DOCS / "decisions" / "README.md"))
    config["nav"].append({"This repository": [f"{OUTSIDE}/{page}" for page in PAGES]})
    return config


def on_files(files: Any, config: Any) -> Any:
    """Add the pages that lie outside of `docs/`."""
    from mkdocs.structure.files import File

    for page in PAGES:
        files.append(File.generated(config, f"{OUTSIDE}/{page}", abs_src_path=str(ROOT / page)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Lead links to pages of the site, and draw diagrams without a script."""
    page.meta.pop("status", None)  # a decision's own, which the theme would take for news
    source = page.file.src_uri
    outside = source.startswith(f"{OUTSIDE}/")
    text = for_the_site(markdown, source.removeprefix(f"{OUTSIDE}/") if outside else f"docs/{source}")
    return plain_fences(as_tables(text))


def on_page_content(html: str, page: Any, **_: Any) -> str:
    """Refuse a page that the site would show otherwise than a reader of the Markdown sees it."""
    import logging

    for complaint in complaints(page.markdown, html):
        logging.getLogger("mkdocs.hooks").warning("%s: %s", page.file.src_uri, complaint)
    return html


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")
