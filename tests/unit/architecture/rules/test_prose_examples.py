"""Good and bad examples: they decide on bans, and what only a bad one has is a rule."""

import pytest

from tests.proves import proves
from tests.unit.architecture.rules.documents import lines_of, places_of, prose

ISNAN = """\
# Style

- Use `Number.isNaN` instead of global `isNaN`.

  ```javascript
  // bad
  isNaN('1.2.3'); // false

  // good
  let a = 1;
  Number.isNaN('1.2.3');
  ```

- Never use `arguments`, opt to use rest syntax `...` instead.

  ```javascript
  // bad
  function concatenateAll() {
    const args = Array.prototype.slice.call(arguments);
    return args.join('');
  }

  // good
  function concatenateAll(...args) {
    return args.join('');
  }
  ```

- Avoid using unary increments (`++`, `--`).

  ```javascript
  // bad
  num++;

  // good
  num += 1;
  ```
"""
CLIENTS = """\
# Talking to services

## Clients

Bad:

```python
import requests
answer = requests.get(url)
```

Good:

```python
answer = self.client.get(url)
```
"""
LABELS = [
    ("// bad", "// good"),
    ("// bad: slow", "// good, use this."),
    ("// Not recommended", "// also good"),
    ("// ❌ do not", "// ✅ better"),
]


def pair(bad, good, *, label="**{}**"):
    """A document with one pair of examples in Python."""
    return prose(
        f"# Code\n\n## Rule\n\n{label.format('Bad')}\n\n```python\n{bad}\n```\n\n"
        f"{label.format('Good')}\n\n```python\n{good}\n```\n"
    )


@proves("S0-34")
def test_bans_with_examples_find_what_the_examples_show():
    pattern = prose(ISNAN)
    code = "let a;\nisNaN(a);\nNumber.isNaN(a);\nnode.arguments;\nf(arguments);\na++;\na += 1;\n"

    assert lines_of(pattern, code, "javascript") == [2, 5, 6]


def test_a_ban_that_a_good_example_of_its_section_breaks_is_advice():
    text = "# J\n\n## Loops\n\nNever use `for`.\n\n```javascript\n// good\nfor (const a of b) f(a);\n```\n"

    assert prose(text).rules == ()
    assert [each.text for each in prose(text).advice] == ["Never use `for`."]


def test_a_ban_that_no_bad_example_of_its_section_breaks_is_advice():
    text = "# J\n\n## Loops\n\nNever use `while`.\n\n```javascript\n// bad\nfor (const a of b) f(a);\n```\n"

    assert prose(text).rules == ()


@proves("S0-34", "S0-35")
def test_what_only_the_bad_example_calls_from_an_import_is_a_rule():
    pattern = prose(CLIENTS)

    assert lines_of(pattern, "import requests as r\nx = r.get(url)\n", "python") == [2]
    assert lines_of(pattern, "x = client.get(url)\n", "python") == []


def test_a_call_that_the_section_names_and_only_the_bad_example_makes_is_a_rule():
    examples = "Bad:\n\n```python\nprint(a)\n```\n\nGood:\n\n```python\nlogger.info(a)\n```\n"
    pattern = prose(f"# Logging\n\nDo not use `print` in library code.\n\n{examples}")

    assert lines_of(pattern, "def f():\n    print('run')\n", "python") == [2]


@pytest.mark.parametrize("label", ["**{}**", "{}:", "### {}", "{} example:"])
def test_a_label_stands_before_the_fence(label):
    pattern = pair("import requests\nrequests.get(url)", "client.get(url)", label=label)

    assert lines_of(pattern, "import requests\nx = 1\nrequests.get(a)\n", "python") == [3]


@pytest.mark.parametrize(("bad", "good"), LABELS)
def test_comments_divide_a_fence(bad, good):
    fence = f"  ```js\n  {bad}\n  slice(a);\n\n  {good}\n  Array.from(a);\n  ```\n"
    text = f"# J\n\n- Use `Array.from`, not `slice()`.\n\n{fence}"

    assert [lines_of(prose(text), code, "javascript") for code in ("slice(b);\n", "Array.from(b);\n")] == [[1], []]


def test_examples_that_say_too_little_or_that_nobody_judges_give_no_rule():
    assert prose("# A\n\n## Use\n\n```python\nimport os\nos.system('ls')\n```\n").rules == ()
    assert pair("x = y", "x = z").rules == ()
    assert pair("x = compute(y)", "x = calculate(y)").rules == ()


def test_a_rule_of_a_pair_is_a_warning_that_names_its_section_and_line():
    pattern = prose(CLIENTS)

    assert places_of(pattern, "import requests\nrequests.get(url)\n", "python") == [("clients", 2)]
    assert [(rule.severity, rule.message) for rule in pattern.rules] == [
        ("warning", "Clients: the document shows this as a bad example (line 8).")
    ]
