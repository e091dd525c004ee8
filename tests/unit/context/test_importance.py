"""Which code is indexed first."""

from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.search.backlog import SourceFile, sort_newest_first
from fieldguide.toolsets.context.upkeep import order_by_imports


def names(entries):
    return [entry.name for entry in entries]


def entries(*paths):
    return [SourceFile(path, "", lambda: None) for path in paths]


def test_what_is_imported_most_comes_first(project):
    project.write("app/core/money.py", "x = 1\n")
    project.write("app/core/__init__.py", "")
    project.write("app/lonely.py", "x = 1\n")
    for number in range(5):
        project.write(f"app/user{number}.py", "from app.core import money\nfrom app.core.money import x\n")

    found = order_by_imports(ConfinedFolder(str(project.root)), entries("app/lonely.py", "app/core/money.py"))

    assert names(found) == ["app/core/money.py", "app/lonely.py"]


def test_imports_of_other_languages_count_too(project):
    project.write("web/app.ts", 'import { a } from "./lib/store";\nconst b = require("../lib/store");\n')
    project.write("main.go", 'package main\n\nimport (\n\t"example.org/shop/cart"\n)\n')
    project.write("src/a.rs", "use crate::tree::leaf;\n")
    wanted = entries("zz.go", "zz.rs", "zz.ts", "shop/cart/sum.go", "src/tree/leaf.rs", "web/lib/store.ts")

    found = order_by_imports(ConfinedFolder(str(project.root)), wanted)

    assert set(names(found)[:2]) == {"src/tree/leaf.rs", "web/lib/store.ts"}


def test_of_the_rest_what_was_changed_last_comes_first():
    old, new, newest = (
        SourceFile(name, stamp, lambda: None) for name, stamp in (("a", "1-1-1-1"), ("b", "9-1-1-1"), ("c", ""))
    )

    assert names(sort_newest_first([old, new, newest])) == ["c", "b", "a"]
