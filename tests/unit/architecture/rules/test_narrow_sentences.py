"""Sentences that mean less than their code spans do: one place, one kind of use, one part of a list."""

import pytest

from tests.unit.architecture.rules.documents import lines_of, prose

PARAMETERS = """\
class Search {
    private Optional<String> cached;
    Optional<Order> find(Optional<String> name, int page) {
        Optional<Order> first = orders.first();
        return first;
    }
}
"""
ANNOTATED = """\
@Service
@Transactional
public class OrderService {
    @Autowired
    private Clock clock;
    @Autowired
    OrderService(Clock clock) { }
}
"""
STRUCT = """\
package a
type Job struct {
	ctx    context.Context
	notify func(ctx context.Context)
}
func (j *Job) Run(ctx context.Context) error { return nil }
"""
ASYNC = """\
import time
async def poll():
    time.sleep(1)
    def later():
        time.sleep(2)
def wait():
    time.sleep(3)
"""
CASES = [
    ("Do not use `Optional` as a parameter.", "java", PARAMETERS, [3]),
    ("Avoid `Optional` parameters.", "java", PARAMETERS, [3]),
    ("Do not use `Optional` for fields or parameters.", "java", PARAMETERS, [2, 3]),
    ("Never use `Optional` as a return type.", "java", PARAMETERS, [3]),
    ("Don't store a `context.Context` in a struct; pass it as the first parameter.", "go", STRUCT, [3]),
    ("Do not annotate fields with `@Autowired`.", "java", ANNOTATED, [4]),
    ("Controllers must not be annotated with `@Transactional`.", "java", ANNOTATED, []),
    (
        "Controllers must not be annotated with `@Transactional`.",
        "java",
        ANNOTATED.replace("OrderService", "OrderController"),
        [2],
    ),
    ("No `time.sleep` inside `async def` functions.", "python", ASYNC, [3]),
    ("`subprocess` is never called with `shell=True`.", "python", "subprocess.run(a)\nrun(b, shell=True)\n", [2]),
    (
        "Never swallow `InterruptedException`.",
        "java",
        "class A { void f() {\ntry { g(); } catch (InterruptedException e) { stop(e); }\n"
        "try { g(); } catch (InterruptedException e) { }\ntry { g(); } catch (IOException e) { }\n} }\n",
        [3],
    ),
    (
        "Do not import from `lodash`; import the single function (`lodash/debounce`).",
        "typescript",
        'import debounce from "lodash/debounce";\nimport { map } from "lodash";\n',
        [2],
    ),
    (
        "Wrap errors with `%w` when adding context.",
        "go",
        'package a\nfunc f() error {\n\tif a { return err }\n\treturn fmt.Errorf("a: %v", err)\n}\n',
        [4],
    ),
    ("No empty `catch` blocks.", "typescript", "p.catch(report);\ntry { f(); } catch (e) {}\n", [2]),
    (
        "Catch blocks must not be empty.",
        "javascript",
        "try { f(); } catch (e) {}\ntry { f(); } catch (e) { g(); }\n",
        [1],
    ),
    (
        "Modules must not read `os.environ` or call `os.getenv`.",
        "python",
        "a = os.environ['A']\nb = os.getenv('B')\nc = os.path\n",
        [1, 2],
    ),
    (
        "Settings come from `app.settings`; modules must not read `os.environ`.",
        "python",
        "from app.settings import x\na = os.environ['A']\n",
        [2],
    ),
    (
        "Use named exports; default exports are forbidden.",
        "typescript",
        "export const a = 1;\nexport default a;\n",
        [2],
    ),
    ("Use SLF4J. `System.out.println` is forbidden.", "java", "class A { void f() { System.out.println(1); } }\n", [1]),
    ("`Vector` is slow and must not be used.", "java", "class A {\n  Vector<String> v;\n}\n", [2]),
    ("No `any`, no `as any`.", "typescript", "let a: any = 1;\nlet b = a as any;\n", [1, 2]),
    (
        "`console.log` and friends are banned.",
        "javascript",
        "console.warn(1);\nconsole.log(2);\nlog.warn(3);\n",
        [1, 2],
    ),
    ("Avoid `moment` and use `date-fns`.", "typescript", 'import m from "moment";\nimport d from "date-fns";\n', [1]),
    ("Don't use `// @ts-ignore`.", "typescript", "// @ts-ignore\nf();\n", [1]),
    ("Avoid class components.", "tsx", "class A extends React.Component {}\nclass B extends Error {}\n", [1]),
    ("Don't return `nil, nil`.", "go", "package a\nfunc f() (*A, error) {\n\treturn nil, nil\n}\n", [3]),
    ("Use `unknown` over `any`.", "typescript", "let a: any = 1;\nlet b: unknown = 2;\n", [1]),
    (
        "A constructor should have no more than 2 parameters.",
        "typescript",
        "class A {\n  constructor(a: A, b: B, c: C) {}\n  run(a: A, b: B, c: C) {}\n}\n",
        [2],
    ),
    (
        "Class names use CapWords, function names snake_case.",
        "python",
        "class a_b: ...\nclass Ab: ...\ndef Cd(): ...\ndef cd(): ...\n",
        [1, 3],
    ),
    (
        "Use PascalCase for classes and camelCase for functions.",
        "typescript",
        "class ab {}\nfunction cd() {}\nfunction EF() {}\n",
        [1, 3],
    ),
    ("Do not use `staticmethod`.", "python", "class A:\n    @staticmethod\n    def f(): ...\n", [2]),
    ("Never use `%` or `.format()` to build SQL.", "python", "a = 'b %s' % c\nd = 'SELECT a FROM b %s' % c\n", [2]),
    (
        "Never instantiate services with `new`.",
        "typescript",
        "class A {\n  l = new Logger();\n  m = new MailService();\n}\n",
        [3],
    ),
    ("Fields must be private.", "java", "class A {\n  public int a;\n  private int b;\n}\n", [2]),
]
ADVICE = [
    "`time.Sleep` must not be used for synchronization.",
    "Do not use `@Transactional` on private methods.",
    "Don't use `Promise.all` with unbounded input.",
    "Every public method in a service must be annotated with `@Transactional`.",
    "All repository interfaces must extend `Repository`.",
    "Handlers must not depend on other handlers.",
    "Return an empty list instead of `None`.",
    "Log with `logger.exception()` in `except` blocks.",
    "Do not instantiate beans with `new`.",
    "Avoid nested `if` statements.",
    "Avoid multiple `useEffect` calls.",
    "Use `isinstance()` instead of comparing types with `type()`.",
]


@pytest.mark.parametrize(("sentence", "language", "code", "lines"), CASES, ids=[each[0] for each in CASES])
def test_a_sentence_finds_no_more_than_it_says(sentence, language, code, lines):
    assert lines_of(prose(f"# Style\n\n{sentence}\n"), code, language) == lines


@pytest.mark.parametrize("sentence", ADVICE)
def test_what_code_does_not_show_is_advice(sentence):
    pattern = prose(f"# Style\n\n{sentence}\n")

    assert pattern.rules == ()
    assert [each.text for each in pattern.advice] == [sentence]


def test_overuse_of_a_thing_is_not_its_use():
    pattern = prose("# React\n\n## Common Pitfalls\n\n### Overusing `useMemo`\n\n### Not using `useCallback`\n")

    assert pattern.rules == ()
    assert [each.text for each in pattern.advice] == ["Overusing `useMemo`", "Not using `useCallback`"]


def test_every_box_of_a_checklist_is_a_rule_or_advice():
    pattern = prose(
        "# Review\n\n- [ ] No `print` statements\n- [x] Every call has a timeout\n- [ ] No wildcard imports\n"
    )

    assert lines_of(pattern, "from a import *\nprint(1)\n", "python") == [1, 2]
    assert [each.text for each in pattern.advice] == ["Every call has a timeout"]


def test_only_classes_with_the_very_word_must_extend_what_it_asks_for():
    pattern = prose("# Spring\n\nRepositories should extend `JpaRepository`.\n")
    code = "class OrderDao {}\nclass SqlRepository implements OrderRepository {}\n"

    assert lines_of(pattern, code, "java") == []
    assert lines_of(pattern, "class OrderRepository {}\n", "java") == [1]


def test_english_that_begins_like_sql_is_no_sql():
    pattern = prose("# SQL\n\nNever build SQL with f-strings or string concatenation. Never use `SELECT *`.\n")
    code = """
        log.info(f"Select one of {n} lines from {name}")
        log.info("Delete from the archive " + name)
        log.info("we use SELECT * no more")
        a = f"select id from t where b = {c}"
        b = "DELETE FROM t WHERE a = " + c
        c = "SELECT * FROM t"
    """

    assert lines_of(pattern, code, "python") == [5, 6, 7]


def test_a_placeholder_is_no_secret():
    pattern = prose("# Secrets\n\nNever hard-code secrets.\n")

    assert lines_of(pattern, 'a = {"secret": "***"}\npassword = "hunter2"\n', "python") == [2]


def test_components_are_written_like_classes_where_functions_are_in_camel_case():
    pattern = prose("# Names\n\nFunction names are camelCase.\n")
    code = "function Panel() {\n  return <div />;\n}\nfunction Load() {\n  return 1;\n}\n"

    assert lines_of(pattern, code, "tsx") == [4]


def test_type_hints_are_asked_of_public_functions():
    pattern = prose("# Python\n\n## Best practices\n\n- Type hints on all public functions\n")
    code = "def a():\n    def b(): ...\ndef _c(): ...\ndef d() -> int: ...\n"

    assert lines_of(pattern, code, "python") == [1]
