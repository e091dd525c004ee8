"""Documents as HTML: what they say, and nothing that a browser would obey."""

from html.parser import HTMLParser

import pytest

from fieldguide.pages.markdown import MOST_CELLS, MOST_ROWS, DocumentLinks, render_document

ELEMENTS = {
    *("p", "h2", "h3", "h4", "h5", "h6", "pre", "code", "ul", "ol", "li", "blockquote", "em", "strong", "del", "a"),
    *("table", "thead", "tbody", "tr", "th", "td", "br", "hr", "sup", "div", "span", "details", "summary"),
}
ATTRIBUTES = {"id", "class", "href", "rel", "start", "scope", "tabindex", "role", "aria-label", "colspan"}
CLASSES = {"cited", "scroll", "image", "task", "footnote", "alert", "note", "tip", "important", "warning", "caution"}
NASTY = [
    "<script>alert(1)</script>", "<SCRIPT SRC=//evil.example/x.js></SCRIPT>", "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)><script>alert(1)</script></svg>", "<svg><a xlink:href='javascript:alert(1)'>x</a></svg>",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
    "<div style='position:fixed;inset:0'>over all</div>", "<style>*{display:none}</style>",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "<form action=/tasks><input name=csrf><button>Go</button></form>",
    "<base href=//evil.example/><meta http-equiv=refresh content='0;url=//evil.example'>",
    "<a href='javascript:alert(1)'>x</a>", "<p id=main class=skip>clash</p>",
    "<!-- --><!--> <script>alert(1)</script> -->", "<![CDATA[<script>alert(1)</script>]]>",
    "<?php echo 1 ?><!DOCTYPE html [<!ENTITY x '<script>'>]>",
    "text <b onclick=alert(1)>bold</b> <script>alert(1)</script>", "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))", "[x](java\tscript:alert(1))", "[x](<java\nscript:alert(1)>)",
    "[x](&#106;avascript:alert(1))", "[x](&#x01;javascript:alert(1))", "[x](%6aavascript:alert(1))",
    "[x](vbscript:x) [y](data:text/html;base64,PHNjcmlwdD4=) [z](file:///etc/passwd) [w](blob:x)",
    "<javascript:alert(1)>", '[x](http://a" onmouseover="alert(1) "title\\" onclick=x")',
    "[x]: javascript:alert(1)\n\n[x]",
    '![x](javascript:alert(1)) ![y](data:image/svg+xml,<svg/onload=alert(1)>) !["><script>](x)',
    "![a [b](javascript:alert(1)) ![c](d)](e)", "# x {#main .skip onclick=alert(1)}",
    '```"><script>alert(1)</script>\n</code></pre><script>alert(1)</script>\n```', "`</code><script>alert(1)</script>`",
    "| <script> | x |\n|---|---|\n| <img src=x onerror=alert(1)> | [a](javascript:x) |",
    '[^"><script>]: note\n\n[^"><script>]', "- [x] <script>\n- [ ] </li></ul></main><script>",
    "---\ntitle: </pre><script>alert(1)</script>\n---\n", "> [!NOTE]\n> <script>alert(1)</script>",
    '> [!WARNING"><script>]\n> x', "a <br onclick=alert(1)> b <br/> c",
    "<details open ontoggle=alert(1)><summary>x</summary></details>", "\x00<scr\x00ipt>alert(1)</scr\x00ipt>",
    "<scr<script>ipt>alert(1)</scr</script>ipt>", "&lt;script&gt;alert(1)&lt;/script&gt;",
]  # fmt: skip


class Seen(HTMLParser):
    """The elements and attributes that a browser would find, and the text."""

    def __init__(self, html):
        super().__init__(convert_charrefs=True)
        self.elements, self.attributes, self.text = [], [], ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append(tag)
        self.text += " " if tag in ("p", "br", "code") else ""
        self.attributes += [(tag, name, value) for name, value in attrs]

    def handle_data(self, data):
        self.text += data

    def values(self, name):
        return [value for _, each, value in self.attributes if each == name]


def seen(text, name="docs/page.md", **given):
    return Seen(render_document(name, text, **given))


def assert_harmless(found):
    assert set(found.elements) <= ELEMENTS
    assert {name for _, name, _ in found.attributes} <= ATTRIBUTES
    assert {word for value in found.values("class") for word in value.split()} <= CLASSES | {"notice", "quiet"}
    assert all(value.removeprefix("L").isdigit() and value.startswith("L") for value in found.values("id"))
    assert all(value.startswith(("http://", "https://", "mailto:", "/code/", "#L")) for value in found.values("href"))


@pytest.mark.parametrize("name", ["page.md", "page.mdx", "page.rst", "page.adoc", "page.html", "page.ipynb"])
def test_a_nasty_document_is_only_text(name):
    for text in NASTY:
        assert_harmless(seen(text, name))
        assert_harmless(seen(f"# Title\n\n- item\n\n  {text}\n\n> {text}\n", name))


def test_raw_html_is_what_it_says_and_images_are_their_descriptions():
    found = seen(
        "<div><p>Said &amp; done</p><script>hidden()</script></div>\n\n![A *fine* picture](x.png) and<br>more\n"
    )

    assert found.text.split() == ["Said", "&", "done", "A", "fine", "picture", "and", "more"]
    assert "img" not in found.elements
    assert "br" in found.elements


@pytest.mark.parametrize(
    ("written", "leads"),
    [
        ("https://example.org/a?b=c&d", "https://example.org/a?b=c&amp;d"),
        ("mailto:a@example.org", "mailto:a@example.org"),
        ("other.md", "/code/docs/other.md"),
        ("../src/a.py#L3-L9", "/code/src/a.py?line=3-9#L3"),
        ("/README.md#usage", "/code/README.md"),
        ("#a-heading", "#L7"),
        ("#nowhere", None),
        ("../../../etc/passwd", None),
        ("//evil.example/x", None),
        ("\\\\evil.example\\x", None),
        ("javascript:alert(1)", None),
        ("\x01javascript:alert(1)", None),
        ("java\nscript:alert(1)", None),
        ("data:text/html,x", None),
        ("x" * 3000, None),
        ("", None),
    ],
)
def test_a_link_leads_to_the_web_or_into_the_project(written, leads):
    attributes = DocumentLinks("docs/guide.md", {"a-heading": 7}).attributes(written)

    assert attributes.partition('href="')[2].partition('"')[0] == (leads or "")


def test_links_of_what_lies_in_no_project_lead_to_the_web_alone():
    found = seen("[a](other.md) [b](https://example.org)", is_of_project=False)

    assert found.values("href") == ["https://example.org"]
    assert found.values("rel") == ["noreferrer noopener nofollow"]


def test_depth_tables_and_length_are_bounded_and_it_is_said():
    deep = seen("> " * 5000 + "the end")
    rows = seen("|a|\n|-|\n" + "|x|\n" * (MOST_ROWS + 50))
    cells = seen("|" + "a|" * 200 + "\n|" + "-|" * 200 + "\n|" + "b|" * 200 + "\n")
    long = seen("*x* `y`\n\n" * 20_000)

    assert (deep.elements.count("blockquote") < 50, "the end" in deep.text) == (True, True)
    assert rows.elements.count("tr") < MOST_ROWS + 5
    assert "50 more are not shown" in rows.text
    assert cells.elements.count("td") + cells.elements.count("th") <= 2 * MOST_CELLS + 1
    assert "too long to be shown like this" in long.text


def test_what_a_browser_would_obey_is_shown():
    found = seen("Pay \u202egnp.exe\u202c now\u200b\n\n```\na\x1b[31mb\u2066\n```\n")

    assert not any(each in found.text for each in "\u202e\u202c\u200b\x1b\u2066")
    assert "\\u202egnp.exe\\u202c" in found.text


def test_cited_lines_are_marked_and_have_an_anchor_in_every_format():
    text = "# Title\n\nOne line\nand its second.\n\nAnother.\n"
    restructured = "Title\n=====\n\nOne line\nand its second.\n\nAnother.\n"

    html = render_document("a.md", text, cited=(4, 4))
    other = render_document("a.rst", restructured, cited=(5, 5))

    assert '<p id="L3" class="cited"><a id="L4"></a>One line' in html
    assert '<p id="L4" class="cited"><a id="L5"></a>One line' in other
    assert html.count("cited") == other.count("cited") == 1


def test_restructured_text_shows_its_code_and_its_notes():
    found = seen(
        ".. code-block:: python\n   :linenos:\n\n   import os\n\n.. note:: Mind ``this``.\n\n.. _target:\n", "a.rst"
    )

    assert found.text.split() == ["import", "os", "Note", "Mind", "this."]
    assert found.elements.count("pre") == 1
