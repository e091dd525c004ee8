"""Patterns of ast-grep are parsed where they can occur, in every language; one that can match nothing is refused."""

import pytest

from fieldguide.toolsets.architecture.rules.pattern import SyntaxCheck, check_code, read_pattern
from fieldguide.toolsets.architecture.rules.syntax_patterns import FRAMES, MAIN_LANGUAGES
from tests.proves import proves
from tests.unit.architecture.rules.documents import declared

# Code with every kind of thing; a pattern below names the lines of it that it must find, and no others.
CODE = {
    "go": """\
package shop

import "database/sql"

type Store struct {
	db   *sql.DB
	name string
}

var limit = 10

func (s *Store) Load(id int) error {
	row := s.db.QueryRow("select 1", id)
	s.name = row.String()
	count := len(s.name)
	if count > limit {
		panic("too long")
	}
	defer s.db.Close()
	return nil
}
""",
    "python": """\
import os
from shop.errors import Broken

class Store(Base):
    limit: int = 10

    @property
    def name(self):
        return self.db.name

    def load(self, key):
        row = self.db.query("select 1", key)
        self.row = row
        try:
            print(row)
        except Broken:
            pass
""",
    "typescript": """\
import { Base } from "./base";

class Store extends Base {
  private limit: number = 10;
  @Inject() db: Database;

  async load(id: string): Promise<Row> {
    const row = await this.db.query("select 1", id);
    this.limit = row.count as any;
    try {
      console.log(row);
    } catch (e) {
    }
    let total = 0;
    return row;
  }
}
interface Shape { area(): number; }
""",
    "javascript": """\
const db = require("db");

class Store extends Base {
  limit = 10;

  async load(id) {
    const row = await this.db.query("select 1", id);
    this.limit = row.count;
    if (row == null) {
      console.log(row);
    }
    var total = 0;
    return total;
  }
}
export default Store;
""",
    "java": """\
package shop;

import java.util.List;

class Store extends Base {
    private String name;
    @Autowired private Database db;
    @Override
    public Row load(int id) throws Broken {
        Row row = this.db.query("select 1", id);
        this.name = row.name;
        String text = "x";
        try {
            System.out.println(row);
        } catch (Exception e) {
        }
        return new Row(text);
    }
}
""",
    "csharp": """\
using System.Threading;

[Serializable]
class Store : Base
{
    private int limit;
    public string Name { get; set; }

    public Row Load(int id)
    {
        var row = this.db.Query("select 1", id);
        this.Name = row.Name;
        Thread.Sleep(10);
        try {
            work();
        } catch { }
        return new Row(row);
    }
}
""",
    "kotlin": """\
package shop

import shop.Base

class Store : Base() {
    lateinit var db: Database

    fun load(id: Int): Row {
        val row = db.query("select 1", id)
        this.name = row.name
        println(row!!)
        return row
    }
}
""",
    "rust": """\
use std::fs;

pub struct Store {
    pub name: String,
}

impl Store {
    pub fn load(&mut self, id: u32) -> Row {
        let row = self.db.query("select 1", id).unwrap();
        self.name = row.name;
        println!("{}", row);
        unsafe { work(); }
        row
    }
}
""",
    "ruby": """\
require "json"

class Store < Base
  attr_reader :name

  def load(id)
    row = @db.query("select 1", id)
    self.name = row.name
    puts row
    begin
      row.save!
    rescue => e
    end
  end
end
""",
    "php": """\
<?php
use Shop\\Base;

class Store extends Base {
    private $name;

    private function load($id) {
        $row = $this->db->query("select 1", $id);
        $this->name = $row->name;
        var_dump($row);
        DB::raw("x");
        try {
            work();
        } catch (Exception $e) { }
        return new Row($row);
    }
}
""",
    "dart": """\
import 'base.dart';

class Store extends Base {
  var name = "x";

  Row load(int id) {
    var row = db.query("select 1", id);
    name = row.name;
    print(row);
    return row;
  }
}
""",
    "solidity": """\
contract Store {
    uint limit = 10;

    function load(uint id) public {
        address who = tx.origin;
        limit = id;
        target.call(id);
    }
}
""",
    "hcl": """\
resource "aws_bucket" "store" {
  name = "x"
  size = length(var.names)
}
""",
}
CODE["tsx"] = CODE["typescript"]
CASES = {
    "go": {"$OBJ.QueryRow($$$ARGS)": [13], "$OBJ.Close()": [19], "len($X)": [15], "panic($$$)": [17],
        "$X.$Y.Close": [19], "$X := $Y": [13, 15], "$X.name = $Y": [14], "var $X = $Y": [10], "$F string": [7],
        "func ($R $T) $NAME($$$) error { $$$ }": [12], "type $T struct { $$$ }": [5], "defer $X": [19],
        "if $C { $$$ }": [16], 'import "database/sql"': [3]},
    "python": {"$X.query($$$)": [12], "print($X)": [15], "$X.name": [9], "self.$X = $Y": [13], "row = $X": [12],
        "$X: int = $Y": [5], "def load($$$): $$$": [11], "class $C(Base): $$$": [4], "@property": [7],
        "except Broken: $$$": [16], "import os": [1], "from $X import Broken": [2]},
    "typescript": {"$X.query($$$)": [8], "console.log($X)": [11], "$X.count": [9], "this.limit = $X": [9],
     "let $X = $Y": [14], "const $X = $Y": [8], "private $X: $T = $V;": [4], "@Inject() $X: $T": [5],
     "async $F($$$): Promise<Row> { $$$ }": [7], "catch ($E) { }": [12], "$X as any": [9], "interface $I { $$$ }": [18],
     "area(): number": [18]},
    "javascript": {"$X.query($$$)": [7], "require($X)": [1], "$X == null": [9], "this.limit = $X": [8],
        "var $X = $Y": [12], "$X.count": [8], "async $F($$$) { $$$ }": [6], "export default $X": [16]},
    "java": {"$X.query($$$)": [10], "System.out.println($$$)": [14], "$X.name": [11], "this.name = $X": [11],
        "String $X;": [12], "private String $X;": [6], "String $X = $Y;": [12], "@Autowired private $T $X;": [7],
        "@Override": [8], "catch ($T $E) { }": [15], "new Row($$$)": [17], "class $C extends Base { $$$ }": [5],
        "import java.util.List;": [3]},
    "csharp": {"$X.Query($$$)": [11], "Thread.Sleep($X)": [13], "$X.Name": [12], "this.Name = $X": [12],
        "var $X = $Y;": [11], "private int $X;": [6], "public $T $X { get; set; }": [7], "catch { }": [16],
        "new Row($X)": [17], "[Serializable]": [3], "using System.Threading;": [1]},
    "kotlin": {"$X.query($$$)": [9], "println($X)": [11], "$X!!": [11], "this.name = $X": [10], "val $X = $Y": [9],
        "lateinit var $X: $T": [6], "$X.name": [10]},
    "rust": {"$X.query($$$)": [9], "$X.unwrap()": [9], "println!($$$)": [11], "self.name = $X": [10],
        "let $X = $Y;": [9], "pub $F: String": [4], "unsafe { $$$ }": [12], "use std::fs;": [1],
        "pub fn $F($$$) -> Row { $$$ }": [8]},
    "ruby": {"$X.query($$$)": [7], "puts $X": [9], "$X.save!": [11], "row = $X": [7], "self.name = $X": [8],
        "require $X": [1]},
    "php": {"$X->query($$$)": [8], "var_dump($X)": [10], "DB::raw($$$)": [11], "$A = $B": [8, 9], "$A->name": [9],
        "private function $F($$$) { $$$ }": [7], "catch (Exception $E) { }": [14], "new Row($X)": [15]},
    "dart": {"print($X)": [9], "$X.query($$$)": [7], "var $X = $Y;": [4, 7], "name = $X": [8]},
    "solidity": {"tx.origin": [5], "$X.call($$$)": [7], "limit = $X": [6]},
    "hcl": {"length($X)": [3], "name = $X": [2]},
}  # fmt: skip
CASES["tsx"] = CASES["typescript"]


@proves("S0-32", "S0-34")
@pytest.mark.parametrize("language", CASES)
def test_a_pattern_finds_what_it_says_in_every_language(language):
    for pattern, lines in CASES[language].items():
        written = f"|\n    {pattern}" if "'" in pattern else repr(pattern)
        read = declared(f"- id: shape\n  message: A shape.\n  languages: [{language}]\n  ast-grep: {written}")

        report = check_code(read, CODE[language], language)

        assert read.problems == (), pattern
        assert [finding.line for finding in report.findings] == lines, pattern
        assert report.checked == 1


def test_every_language_with_frames_is_tried():
    assert set(CASES) == set(CODE) == set(FRAMES)


@proves("S0-34", "D-34")
@pytest.mark.parametrize(
    ("rule", "code"),
    [
        ("ast-grep: {any: [{pattern: $X.Exec($$$)}, {pattern: $X.QueryRow($$$)}]}", "db.QueryRow(a, b)"),
        ("ast-grep: {pattern: $X.Exec($$$), inside: {pattern: 'if $C { $$$ }', stopBy: end}}", "if a { db.Exec(b) }"),
        ("ast-grep: {rule: {pattern: $X.Exec($A)}, constraints: {A: {regex: ^b$}}}", "db.Exec(b)"),
        ("ast-grep: {rule: {all: [{pattern: $X.Exec($A)}, {has: {pattern: b, stopBy: end}}]}}", "db.Exec(b)"),
        ("when: {ast-grep: $X.Begin($A)}\n  ast-grep: $X.Exec($A)", "db.Begin(a)\n\tdb.Exec(b)"),
        ("ast-grep: {rule: {matches: run}, utils: {run: {pattern: $X.Exec($$$)}}}", "db.Exec(b)"),
    ],
)
def test_patterns_within_a_rule_are_placed_too(rule, code):
    read = declared(f"- id: shape\n  message: A shape.\n  languages: [go]\n  {rule}")

    report = check_code(read, f"package a\n\nfunc f() {{\n\t{code}\n}}\n", "go")

    assert read.problems == ()
    assert len(report.findings) == 1


@proves("D-34", "S0-35")
@pytest.mark.parametrize(
    ("language", "rule"),
    [
        ("go", "ast-grep: 'new Foo($$$)'"),
        ("go", "ast-grep: 'class $C { $$$ }'"),
        ("python", "ast-grep: '$X->query($$$)'"),
        ("python", "ast-grep: 'let $X = $Y'"),
        ("java", "ast-grep: 'def $F($$$): $$$'"),
        ("php", "ast-grep: 'public $X;'"),
        ("ruby", "ast-grep: 'class $C < Base; end'"),
        ("python", "ast-grep: {rule: {all: [{kind: call}, {kind: string}]}}"),
        ("python", "ast-grep: {rule: {kind: call, all: [{all: [{kind: string}]}]}}"),
        ("python", 'forbid-call: "print ("'),
        ("python", 'forbid-import: "os path"'),
    ],
)
def test_a_rule_that_can_match_nothing_is_refused_by_name(language, rule):
    read = declared(f"- id: never\n  message: Never.\n  languages: [{language}]\n  {rule}")

    report = check_code(read, CODE[language], language)

    assert (report.checked, report.findings) == (0, ())
    [said] = [each for each in report.not_checked if "`never`" in each]
    assert "can match nothing" in said or not rule.startswith("ast-grep: '")


@proves("D-34")
def test_a_rule_is_not_checked_in_the_one_of_its_languages_where_it_can_match_nothing():
    read = declared("- id: made\n  message: Made.\n  languages: [java, go]\n  ast-grep: new Row($$$)")

    in_java, in_go = (check_code(read, CODE[language], language) for language in ("java", "go"))

    assert ([finding.line for finding in in_java.findings], in_java.checked) == ([17], 1)
    assert (in_go.checked, in_go.not_checked) == (
        0, ("1 rule was not checked: nothing that can be looked for in go (`made`).",)
    )  # fmt: skip


EXAMPLE = """---
rules:
  - id: no-print
    message: No output.
    languages: [python]
    forbid-call: [print]
    examples: {bad: "log(x)"}
  - id: no-eval
    message: No eval.
    languages: [python]
    ast-grep: eval($X)
    examples: {bad: ["evaluate(x)", "eval(x)"]}
  - id: no-exec
    message: No exec.
    languages: [python]
    forbid-call: [exec]
---
# Output

```python bad rule=no-exec
execute(x)
```
"""


@proves("D-34", "S0-34")
def test_a_rule_that_misses_its_own_example_is_refused_by_name():
    report = check_code(read_pattern("output", EXAMPLE), "print(1)\neval(2)\nexec(3)\n", "python")

    assert [finding.rule for finding in report.findings] == ["no-eval"]
    assert report.checked == 1
    assert report.not_checked == (
        "Rule `no-print` was left out: its own bad example in line 7 is not caught by `no-print`. (line 3)",
        "Rule `no-exec` was left out: its own bad example in line 21 is not caught by `no-exec`. (line 13)",
    )


def test_a_pattern_that_is_too_long_to_be_tried_is_taken_as_it_is():
    long = "f(" + ", ".join(f"x{number}" for number in range(15_000)) + ")"
    read = declared(f"- id: long\n  message: Long.\n  languages: [python]\n  ast-grep: {long[:40_000]}x)")

    assert read.problems == ()


def test_rules_without_languages_are_tried_in_the_main_ones():
    read = declared("- id: made\n  message: Made.\n  ast-grep: new Row($$$)")

    [rule] = read.rules
    assert isinstance(rule.check, SyntaxCheck)
    assert {"java", "csharp", "javascript", "typescript", "php"} <= set(rule.check.by_language) < set(MAIN_LANGUAGES)
