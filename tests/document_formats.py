"""One small document in each format, all about the same: a title, two sections, code that looks like a heading."""

import json
from typing import Any, NamedTuple


class Sample(NamedTuple):
    """A document, the outline that it must have, and the first and last line of its section "Watering"."""

    name: str
    text: str
    title: str
    outline: list[tuple[int, str, int]]
    watering: tuple[int, int]


MDX = """import Ferns from './ferns'

# Ferns

<Tip>
## Watering
</Tip>

Every morning, with rainwater from the barrel.

```sh
# no heading
```

## Repotting

In spring.
"""
RST = """.. _ferns:

=====
Ferns
=====

A guide for :ref:`everybody <people>`.

Watering
========

Every morning, with rainwater from the barrel::

    No heading
    ==========

.. code-block:: python

   Neither
   -------

Repotting
=========

In spring.
"""
ASCIIDOC = """= Ferns
:toc:

A guide for everybody.

== Watering

Every morning, with rainwater from the barrel.

----
== No heading
----

Repotting
---------

In spring.
"""
PLAIN = """FERNS

A guide for everybody who keeps them.

WATERING

Every morning, with rainwater from the barrel.
Never at noon.

REPOTTING

In spring.
"""
HTML = """<!DOCTYPE html>
<html><head><title>Ferns</title>
<style>h2 { color: green }</style>
</head><body>
<nav><h2>Elsewhere</h2></nav>
<h1>Ferns</h1>
<p>A guide for everybody who keeps them at home, in the garden or in the office, whatever the season may be.</p>
<h2 id="watering">Watering</h2>
<p>Every morning, with rainwater &amp; care, from the barrel that stands behind the house and never from the tap.</p>
<pre># <b>no heading</b></pre>
<h2>Repotting</h2>
<p>In spring, when the roots begin to show and new leaves are still small enough to be left alone.</p>
</body></html>
"""


def notebook(*cells: tuple[str, str]) -> str:
    """A notebook with these cells, written as Jupyter writes it."""
    made: list[dict[str, Any]] = [
        {"cell_type": kind, "metadata": {}, "source": text.splitlines(keepends=True)}
        | ({"outputs": [{"data": {"image/png": "iVBORw0KGgo"}}], "execution_count": 1} if kind == "code" else {})
        for kind, text in cells
    ]
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1) + "\n"


NOTEBOOK = notebook(
    ("markdown", "# Ferns\n\nA guide."),
    ("markdown", "## Watering\n\nEvery morning, with rainwater from the barrel."),
    ("code", "# no heading\nwater(ferns)"),
    ("markdown", "## Repotting\n\nIn spring."),
)

SAMPLES = [
    Sample("ferns.mdx", MDX, "Ferns", [(1, "Ferns", 3), (2, "Watering", 6), (2, "Repotting", 15)], (6, 14)),
    Sample("ferns.rst", RST, "Ferns", [(1, "Ferns", 3), (2, "Watering", 9), (2, "Repotting", 22)], (9, 21)),
    Sample("rst/ferns.txt", RST, "Ferns", [(1, "Ferns", 3), (2, "Watering", 9), (2, "Repotting", 22)], (9, 21)),
    Sample("ferns.adoc", ASCIIDOC, "Ferns", [(1, "Ferns", 1), (2, "Watering", 6), (2, "Repotting", 14)], (6, 13)),
    Sample("ferns.txt", PLAIN, "FERNS", [(1, "FERNS", 1), (1, "WATERING", 5), (1, "REPOTTING", 10)], (5, 9)),
    Sample("ferns.html", HTML, "Ferns", [(1, "Ferns", 6), (2, "Watering", 8), (2, "Repotting", 11)], (8, 10)),
    Sample("ferns.ipynb", NOTEBOOK, "Ferns", [(1, "Ferns", 7), (2, "Watering", 16), (2, "Repotting", 41)], (16, 40)),
]
