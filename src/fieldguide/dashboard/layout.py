"""The frame of every page: the way to its main part, the sections, and whose project this is."""

from collections.abc import Sequence
from typing import NamedTuple

from fieldguide.dashboard.page_text import as_html
from fieldguide.dashboard.placing import placed

FRAME = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<link rel="icon" href="{icon}" type="image/svg+xml">
<link rel="stylesheet" href="{style}">
{scripts}
</head>
<body>
<a class="skip" href="#main">Skip to the page</a>
<header class="site">
<a class="brand" href="{place}/"><img src="{icon}" alt="" width="28" height="28"><span>Fieldguide</span></a>
<p class="project" title="The project that is served"><bdi>{project}</bdi></p>
<nav aria-label="Sections"><ul>{sections}</ul></nav>
<p class="version">version {version}</p>{who}
</header>
<main id="main" tabindex="-1">
{main}
</main>
</body>
</html>
"""


class Section(NamedTuple):
    """A part of the site that the navigation names."""

    title: str
    path: str


class Frame(NamedTuple):
    """What is the same on every page: `place` is what its addresses begin with, `who` is HTML about who looks."""

    project: str
    version: str
    style: str
    icon: str
    script: str
    place: str = ""
    who: str = ""


def whole_page(frame: Frame, sections: Sequence[Section], *, title: str, main: str, at: str, scripts: str = "") -> str:
    """The HTML of a page: `main` is HTML already, `title` is text, `at` is the path of its section."""
    links = "".join(_link(section, frame.place, is_here=section.path == at) for section in sections)
    return FRAME.format(
        title=as_html(f"{title} · {frame.project} · Fieldguide"),
        icon=frame.icon,
        style=frame.style,
        scripts=f'<script src="{frame.script}" defer></script>{scripts}',
        project=as_html(frame.project),
        version=as_html(frame.version),
        sections=links,
        main=placed(main, frame.place),
        place=frame.place,
        who=frame.who,
    )


def _link(section: Section, place: str, *, is_here: bool) -> str:
    here = ' aria-current="page"' if is_here else ""
    return f'<li><a href="{place}{section.path}"{here}>{as_html(section.title)}</a></li>'
