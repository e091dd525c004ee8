"""Pictures for people: decisions over time and a board of tasks, as HTML and SVG that need no script.

Pure functions from values to text: the page at `/` shows them, and so do clients that show resources. The styles are in
`style.css` beside them; nothing carries a style of its own, so that a strict policy lets it through.

`decisions` has what is drawn of a record, `days` reads its date, `lifelines` puts records on an axis, `drawing` draws
them, `years` draws how many there were in each year, and `ties` says the same in words. `board` draws tasks.
"""

from importlib.resources import files


def style() -> str:
    """The styles that the pictures want, for light and dark."""
    return files("fieldguide.picturing").joinpath("style.css").read_text(encoding="utf-8")
