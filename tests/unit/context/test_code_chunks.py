"""Code cut along its syntax, in five languages and in none."""

import pytest

from fieldguide.code.parsing import GRAMMARS
from fieldguide.search.chunking import MOST
from fieldguide.toolsets.context.code_chunking import chunk_code

PYTHON = '''\
"""What this module is for."""

import os
import sys


# A reason that stands above.
@decorated
def first(path):
    """Open a path."""
    return os.open(path)


LIMIT = 5


class Garden:
    """Plants by name."""

    def water(self):
        return sys.argv


def last():
    pass
'''
TYPESCRIPT = """\
import { a } from './a';
import { b } from './b';
import { c } from './c';

/** Waters the plants. */
export function water(amount: number): void {
  a(amount);
}

export interface Plant {
  name: string;
}

export const grow = (plant: Plant) => {
  b(plant);
  return c;
};

export class Garden {
  plants: Plant[] = [];
}
"""
GO = """\
package garden

import "fmt"

// Plant grows.
type Plant struct {
	Name string
}

// Water a plant.
func (p *Plant) Water(amount int) {
	fmt.Println(amount)
}

func New() *Plant {
	return &Plant{}
}
"""
RUST = """\
use std::fmt;

/// A plant.
#[derive(Debug)]
pub struct Plant {
    name: String,
}

impl Plant {
    /// Water it.
    pub fn water(&self) {}
}

fn main() {
    println!("grow");
}
"""
JAVA = """\
package garden;

import java.util.List;

/** Plants by name. */
public class Garden {
    private List<String> plants;

    public void water(int amount) {
        plants.clear();
    }
}

interface Watered {
    void water();
}
"""
SOURCES = {"python": PYTHON, "typescript": TYPESCRIPT, "go": GO, "rust": RUST, "java": JAVA}


def assert_whole(text, chunks):
    """Every line with a word is in exactly one chunk, in order, and a chunk holds its lines as they are."""
    lines = text.splitlines()
    told = 0
    for chunk in chunks:
        assert told < chunk.start_line <= chunk.end_line <= len(lines)
        assert not any(any(map(str.isalnum, line)) for line in lines[told : chunk.start_line - 1])
        assert chunk.text.splitlines() == lines[chunk.start_line - 1 : chunk.end_line]
        told = chunk.end_line
    assert not any(any(map(str.isalnum, line)) for line in lines[told:])


@pytest.mark.parametrize("language", SOURCES)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_every_line_is_in_one_chunk_and_in_order(language, end):
    text = SOURCES[language].replace("\n", end)

    assert_whole(text, chunk_code(text, language))


@pytest.mark.parametrize("language", SOURCES)
def test_every_line_of_long_definitions_is_in_one_chunk_and_in_order(language):
    text = SOURCES[language] + "\n" + "".join(SOURCES[language] for _ in range(30))

    chunks = chunk_code(text, language)

    assert_whole(text, chunks)
    assert max(len(chunk.text) for chunk in chunks) <= MOST


@pytest.mark.parametrize(("language", "found"), [
    ("python", [
        ((), '"""What this module is for."""'), (("first",), "# A reason that stands above."),
        (("LIMIT",), "LIMIT = 5"), (("Garden",), "class Garden:"), (("last",), "def last():"),
    ]),
    ("typescript", [
        ((), "import { a } from './a';"), (("water",), "/** Waters the plants. */"),
        (("Plant",), "export interface Plant {"), (("grow",), "export const grow = (plant: Plant) => {"),
        (("Garden",), "export class Garden {"),
    ]),
    ("go", [
        ((), "package garden"), (("Plant",), "// Plant grows."), (("Plant", "Water"), "// Water a plant."),
        (("New",), "func New() *Plant {"),
    ]),
    ("rust", [(("Plant",), "use std::fmt;"), (("Plant",), "impl Plant {"), (("main",), "fn main() {")]),
    ("java", [((), "package garden;"), (("Garden",), "/** Plants by name. */"), (("Watered",), "interface Watered {")]),
])  # fmt: skip
def test_definitions_have_their_names_decorators_and_comments(language, found):
    chunks = chunk_code(SOURCES[language], language)

    assert [(chunk.headings, chunk.text.splitlines()[0]) for chunk in chunks] == found


def test_a_class_that_is_too_long_is_cut_into_its_methods_below_its_name():
    methods = "".join(
        f'    def method_{number}(self):\n        """Does {number}."""\n        return "{"x" * 200}"\n\n'
        for number in range(20)
    )
    text = f'class Garden:\n    """Plants by name."""\n\n{methods}'

    chunks = chunk_code(text, "python")

    assert_whole(text, chunks)
    assert [chunk.headings for chunk in chunks[-3:]] == [("Garden", f"method_{number}") for number in (17, 18, 19)]
    assert all(chunk.headings[0] == "Garden" for chunk in chunks)


def test_a_function_that_is_too_long_is_cut_between_lines():
    text = "def long():\n" + "".join(f"    call_number_{number}()\n" for number in range(300))

    chunks = chunk_code(text, "python")

    assert_whole(text, chunks)
    assert {chunk.headings for chunk in chunks} == {("long",)}
    assert len(chunks) > 3


@pytest.mark.parametrize("language", [None, "ignore", "sql", "makefile", "c", "no such language"])
def test_without_a_grammar_code_is_cut_between_lines(language, capfd):
    text = "".join(f"plant number_{number} in garden;\n" for number in range(200))

    chunks = chunk_code(text, language)

    assert_whole(text, chunks)
    assert len(chunks) > 3
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("text", ["", "\n\n", "}}}}((((\n", "\ufeffa = 1\n", "x" * 100_000, "(" * 5_000, "a\0b\n"])
def test_no_text_hurts_any_grammar(text):
    for language in sorted(GRAMMARS):
        assert_whole(text, chunk_code(text, language))


@pytest.mark.parametrize(
    ("language", "opening", "case", "closing"),
    [
        ("typescript", "describe('a queue', () => {\n", "  it('sends {0}', async () => {{\n{1}  }})\n", "})\n"),
        ("javascript", "suite(`a queue`, function () {\n", "  test.each([1])('sends {0}', () => {{\n{1}}})\n", "})\n"),
        ("ruby", "RSpec.describe 'a queue' do\n", "  it 'sends {0}' do\n{1}  end\n", "end\n"),
        ("elixir", 'describe "a queue" do\n', '  test "sends {0}" do\n{1}  end\n', "end\n"),
    ],
)
def test_a_test_with_a_title_is_a_definition(language, opening, case, closing):
    body = "".join(f"    call_number_{number}(1)\n" for number in range(30))
    text = opening + "".join(case.format(number, body) for number in ("one", "two", "three")) + closing

    chunks = chunk_code(text, language)

    assert_whole(text, chunks)
    titles = [("a queue", f"sends {number}") for number in ("one", "two", "three")]
    assert [chunk.headings for chunk in chunks if len(chunk.headings) == 2] == titles


def test_code_outside_of_definitions_is_cut_where_a_statement_begins():
    option = '# the size\nparser.add_argument(\n    "--size",\n    help="' + "how large it is, " * 12 + '",\n)\n'
    chunks = chunk_code(option * 12, "python")

    assert len(chunks) > 2
    for chunk in chunks:
        assert chunk.text.startswith("# the size\n")
        assert chunk.text.endswith(")")


def test_a_text_without_a_place_to_cut_is_cut_all_the_same():
    chunks = chunk_code("\n".join([") + x"] * 2_000), "python")

    assert chunks[0].start_line == 1
    assert chunks[-1].end_line == 2_000
    assert all(len(chunk.text) < 4_000 for chunk in chunks)


def test_a_broken_definition_that_ends_below_the_last_line_is_cut_too():
    text = """\
function fetch() {
  if [[ $(which tool) ]] && [[ "$url" =~ ^https://example.com/.* ]]; then
    tool cp "${url//'https://example.com/'/gs://}" "${path}/${file}"
    echo "Couldn't find it." >&2
  # It looks like a/{b,c}/d"
}
  printf "  (found)"
fi
echo "  (to override, set A and/or B)"
"""

    chunks = chunk_code(text, "shell")

    assert "".join(chunk.text for chunk in chunks).startswith("function fetch() {")
    assert chunks[-1].end_line <= len(text.splitlines())
