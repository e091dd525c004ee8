"""Texts that nobody writes, made to keep a parser busy: deep nests, and quotes that never close."""

import random
from collections.abc import Iterator

# fmt: off
TOKENS = (
    "(", "{[", "x=>", "A<", "->", "a::", "<a>", "a<b,", "a.b()", "\"'`", "if a:\n ", "`${", "\\\n", "\0", "é😀",
    " ", "\t", "case a:", "a?b:", "!", "/*", "<!--", "@a", "#a\n", "a ", "*", "&a", "[[", "<?php ", "'''", "end\n",
    ";", "=", "|",
)
# fmt: on
CODE = {
    "python": "def total(lines):\n    return sum(line.price for line in lines if line.count > 0)\n\n\n",
    "typescript": "export function total(lines: Line[]): number {\n  return lines.reduce((a, b) => a + b.n, 0);\n}\n",
    "java": "class A {\n  int total(List<Line> lines) { return lines.stream().mapToInt(Line::price).sum(); }\n}\n\n",
}


def mixtures(size: int, seed: int, count: int) -> Iterator[str]:
    """A few tokens again and again, and tokens in no order."""
    chance = random.Random(seed)
    for _ in range(count):
        unit = "".join(chance.choices(TOKENS, k=chance.randint(2, 5)))
        yield unit * (size // len(unit))
        yield "".join(chance.choices(TOKENS, k=size // 3))[:size]
