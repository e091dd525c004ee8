"""Outlines: what a source file declares, in every language that we have a grammar for, and whatever the text does."""

import pytest

from fieldguide.code.names import MOST_ENTRIES, read_outline

PYTHON = '''\
"""Ünï 🦊."""
import os


@decorated
def water(fern: str,
          times: int = 1) -> None:
    def inner(): ...


class Garden(Place):
    size = 3

    async def grow(self): return 1
'''
TYPESCRIPT = """\
export interface Fern { water(times: number): void }
export const grow = (size: number) => { return size; };
export class Garden extends Place {
  constructor(private size: number) { super(); }
  async water(id: string): Promise<void> {
    function inner() {}
  }
}
"""
GO = """\
package garden

type Garden struct {
	size int
}

func (g *Garden) Water(times int) error {
	return nil
}
"""
RUST = "pub struct Garden { size: i32 }\nimpl Garden {\n    pub fn water(&self) -> i32 { 1 }\n}\n"
JAVA = 'class Garden extends Place {\n  Garden(int size) { }\n  public String water() { return ""; }\n}\n'
RUBY = "module Plants\n  class Garden < Place\n    def water(times)\n      1\n    end\n  end\nend\n"


@pytest.mark.parametrize(
    ("language", "text", "declared"),
    [
        ("python", PYTHON, ["L6-L8 def water(fern: str, times: int = 1) -> None", "L11-L14 class Garden(Place)",
                            "L14-L14   async def grow(self)"]),
        ("typescript", TYPESCRIPT, ["L1-L1 interface Fern", "L2-L2 const grow = (size: number) => { return size; };",
                                    "L3-L8 class Garden extends Place", "L4-L4   constructor(private size: number)",
                                    "L5-L7   async water(id: string): Promise<void>"]),
        ("javascript", "res.send = function send(body) {\n  const size = 1;\n};\n",
         ["L1-L3 res.send = function send(body)"]),
        ("go", GO, ["L3-L5 Garden struct { size int }", "L7-L9 func (g *Garden) Water(times int) error"]),
        ("rust", RUST, ["L1-L1 pub struct Garden", "L2-L4 impl Garden", "L3-L3   pub fn water(&self) -> i32"]),
        ("java", JAVA, ["L1-L4 class Garden extends Place", "L2-L2   Garden(int size)",
                        "L3-L3   public String water()"]),
        ("ruby", RUBY, ["L1-L7 module Plants", "L2-L6   class Garden < Place", "L3-L5     def water(times)"]),
        ("css", "a { b: c }\n.d {\n  e: f\n}\n/* no */\n", ["L1-L1 a { b: c }", "L2-L2 .d {"]),
        (None, "word at the margin\n  not this\n", ["L1-L1 word at the margin"]),
    ],
)  # fmt: skip
def test_what_a_file_declares_is_told_with_its_lines(language, text, declared):
    found = read_outline(text, language)

    assert [f"L{each.line}-L{each.end_line} {each.signature}" for each in found] == declared


@pytest.mark.parametrize(
    "text",
    ["(" * 50_000, "class A:\n" * 20_000, "def f(): pass\n" * 20_000, "x" * 300_000, "\0\ud7ff" * 1_000, "", "[" * 9],
)
def test_no_text_is_too_much(text):
    found = read_outline(text, "python")

    assert len(found) <= MOST_ENTRIES
    assert all(len(each.signature) <= 216 for each in found)
