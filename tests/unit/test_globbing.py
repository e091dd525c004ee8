"""Globs of a manifest: which paths they take."""

import pytest

from fieldguide.text.globs import compile_globs
from tests.proves import proves


@proves("U2-8")
@pytest.mark.parametrize(
    ("glob", "taken", "left"),
    [
        ("*.md", ["a.md", ".md"], ["a/b.md", "a.mdx", "a.md/b"]),
        ("**/*.md", ["a.md", "a/b.md", "a/b/c.md"], ["a.txt", "a/b.mdx"]),
        ("docs/**", ["docs/a", "docs/a/b.md"], ["docs", "docs2/a", "a/docs/b"]),
        ("docs/**/x.md", ["docs/x.md", "docs/a/b/x.md"], ["x.md", "docs/ax.md"]),
        ("a?.md", ["ab.md", "aé.md"], ["a.md", "abc.md", "a/.md"]),
        ("[ab]*.md", ["a.md", "bcd.md"], ["c.md", "/a.md"]),
        ("[!ab].md", ["c.md"], ["a.md", "cc.md"]),
        ("[a-c].md", ["b.md"], ["d.md", "-.md"]),
        ("*.{md,mdx}", ["a.md", "a.mdx"], ["a.m", "a.{md,mdx}"]),
        ("{docs,guides}/*.md", ["docs/a.md", "guides/a.md"], ["a.md", "docs/b/a.md"]),
        ("./a.md", ["a.md"], ["b/a.md"]),
        ("a.md", ["a.md"], ["axmd", "A.md"]),
        ("a+(b)$^|.md", ["a+(b)$^|.md"], ["ab.md"]),
        ("[", ["["], ["a"]),
    ],
)
def test_a_glob_takes_what_it_says_and_leaves_the_rest(glob, taken, left):
    matches = compile_globs([glob])

    assert [path for path in taken if not matches(path)] == []
    assert [path for path in left if matches(path)] == []


@proves("U2-8")
def test_a_mark_takes_away_wherever_it_stands():
    matches = compile_globs(["!drafts/**", "**/*.md", "!**/secret.md"])

    paths = ["a.md", "b/c.md", "drafts/d.md", "secret.md", "b/secret.md"]
    assert [path for path in paths if matches(path)] == ["a.md", "b/c.md"]
    assert not compile_globs(["!a.md"])("b.md")
    assert not compile_globs([])("a.md")


def test_no_glob_takes_long():
    assert not compile_globs(["**/" * 30 + "x"])("a/" * 200 + "y")
    assert not compile_globs(["*a" * 30 + "b"])("a" * 3000)
