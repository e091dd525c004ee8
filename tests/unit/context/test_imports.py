"""Imports to the files of a project, in every language that has a resolver."""

from typing import NamedTuple

import pytest

from tests.unit.context.import_trees import grow, internal, resolve

PACKAGE = {
    "shop/__init__.py": "from shop.cart import Cart\n",
    "shop/cart.py": "",
    "shop/prices/__init__.py": "RATE = 1\n",
    "shop/prices/tax.py": "",
    "shop/prices/_fast.pyi": "",
}
CRATE = {
    "Cargo.toml": '[package]\nname = "my-shop"\nedition = "2021"\n',
    "src/lib.rs": "pub mod cart;\nmod prices;\n",
    "src/cart.rs": "mod item;\n",
    "src/cart/item.rs": "",
    "src/prices/mod.rs": "pub mod tax;\n",
    "src/prices/tax.rs": "",
    "tests/buy.rs": "mod common;\nuse my_shop::cart::Cart;\n",
    "tests/common/mod.rs": "",
}
TSCONFIG = """{
  // aliases
  "extends": "./config/base",
  "compilerOptions": { "strict": true, /* "paths": {} */ },
}"""
BASE = """{"compilerOptions": {"baseUrl": "..", "paths": {
  "@/*": ["src/*"], "@ui/*": ["missing/*", "packages/ui/src/*"], "config": ["src/config/index.ts"]}}}"""
WORKSPACE = {
    "package.json": """{"name": "root", "workspaces": ["packages/*"],
        "imports": {"#log": "./src/log.js", "#d/*": "./src/d/*.js"}}""",
    "packages/core/package.json": """{"name": "@acme/core", "exports": {
        ".": {"types": "./dist/index.d.ts", "import": "./dist/index.js"},
        "./math": "./dist/math.js", "./x/*": {"default": "./dist/x/*.js"}}}""",
    "packages/core/src/index.ts": "",
    "packages/core/src/math.ts": "",
    "packages/core/src/x/y.ts": "import '@acme/core/math'",
    "packages/old/package.json": '{"name": "old", "main": "lib/main.js"}',
    "packages/old/lib/main.js": "",
    "packages/old/lib/part.js": "",
    "src/log.ts": "",
    "src/d/e.ts": "",
    "node_modules/left-pad/index.js": "",
}  # fmt: skip
JAVA = {
    "app/src/main/java/com/acme/Shop.java": "package com.acme;\n",
    "app/src/main/java/com/acme/cart/Cart.java": "package com.acme.cart;\nclass Cart { static class Item {} }\n",
    "app/src/main/java/com/acme/cart/Total.java": "package com.acme.cart;\n",
    "lib/src/main/kotlin/money.kt": "package com.acme.money\n\nfun String.toMoney() = 1\nclass Euro\n",
    "lib/src/main/kotlin/com/acme/Bank.kt": "package com.acme\nclass Bank\n",
}


class Tree(NamedTuple):
    """A project, the file of it that is asked about, and what that imports: files of the project, and other names."""

    files: dict[str, str]
    empty: str  # the paths of files whose content does not matter
    path: str
    internal: str
    external: str = ""

    def grow(self, root):
        grow(root, dict.fromkeys(self.empty.split(), "") | self.files)


TREES = {
    "python: src layouts, and folders that only the listing knows": Tree(
        {"tests/test_cart.py": "import shop.cart\nfrom postman.send import x\n"},
        "src/shop/__init__.py src/shop/cart.py services/mail/python/postman/__init__.py "
        "services/mail/python/postman/send.py",
        "tests/test_cart.py", "src/shop/cart.py services/mail/python/postman/send.py",
    ),
    "python: a namespace package needs no init": Tree(
        {"b/acme/shop/cart.py": "from acme.mail import send\nfrom acme.mail.send import x\n"}, "a/acme/mail/send.py",
        "b/acme/shop/cart.py", "a/acme/mail/send.py",
    ),
    "python: packages lead outside in the words of the file": Tree(
        {"app.py": "import os.path, numpy as np\nfrom requests.auth import X\nimport app\n"},
        "tool/_vendor/requests/auth.py tool/_vendor/__init__.py tool/__init__.py "
        ".venv/lib/site-packages/numpy/__init__.py",
        "app.py", "", "os.path numpy requests.auth",
    ),
    "python: the standard library comes before a folder of its name": Tree(
        {"other.py": "import json\n"}, "vendor/json/__init__.py", "other.py", "", "json"
    ),
    "python: a script sees what lies beside it before the standard library": Tree(
        {"tools/run.py": "import queue\n"}, "tools/queue.py", "tools/run.py", "tools/queue.py"
    ),
    "python: each file once, in the order of first import": Tree(
        {"c.py": "import b\nimport a\nfrom b import x\nimport os\nimport os\n"}, "a.py b.py",
        "c.py", "b.py a.py", "os",
    ),
    "go: a package is its folder without tests": Tree(
        {
            "go.mod": "// x\nmodule example.com/shop\n\ngo 1.22\n",
            "main.go": 'package main\nimport (\n"fmt"\n"example.com/shop/cart"\n"example.com/other"\n)\n',
        },
        "cart/cart.go cart/total.go cart/cart_test.go cart/README.md cart/inner/deep.go",
        "main.go", "cart/cart.go cart/total.go", "fmt example.com/other",
    ),
    "go: replaced, nested and joined modules": Tree(
        {
            "go.work": "go 1.22\nuse (\n./app\n./tools\n)\n",
            "app/go.mod": "module app\nreplace (\n\texample.com/log v1.0.0 => ../third/log // ours\n)\n",
            "app/main.go": 'package a\nimport "app/x"\nimport "example.com/log/sub"\nimport "tools/y"\nimport "os"\n',
            "tools/go.mod": "module tools\n",
            "tools/y/z/go.mod": 'module "tools/y/z"\n',
        },
        "app/x/x.go third/log/sub/s.go tools/y/y.go",
        "app/main.go", "app/x/x.go third/log/sub/s.go tools/y/y.go", "os",
    ),
    "go: a module that lies elsewhere": Tree(
        {
            "go.mod": "module a.b/c\n", "elsewhere/go.mod": "module a.b/c/d\n",
            "main.go": 'package main\nimport "a.b/c/d/e"\n',
        },
        "d/wrong.go elsewhere/e/right.go", "main.go", "elsewhere/e/right.go",
    ),
    "go: the longest module wins": Tree(
        {
            "go.mod": "module a.b/c\nreplace (\n\ta.b/c/d v1.0.0 => ./elsewhere\n)\n",
            "main.go": 'package main\nimport "a.b/c/d/e"\n',
        },
        "d/e/wrong.go elsewhere/e/right.go", "main.go", "elsewhere/e/right.go",
    ),
    "rust: paths and inline modules move a module": Tree(
        {
            "Cargo.toml": '[package]\nname = "x"\n[lib]\npath = "rust/root.rs"\n',
            "rust/root.rs": '#[path = "sys/linux.rs"]\nmod sys;\nmod inner { mod deep; #[path = "odd.rs"] mod o; }\n',
        },
        "rust/sys/linux.rs rust/inner/deep.rs rust/inner/odd.rs",
        "rust/root.rs", "rust/sys/linux.rs rust/inner/deep.rs rust/inner/odd.rs",
    ),
    "rust: crates of a workspace, also under another name": Tree(
        {
            "Cargo.toml": '[workspace]\nmembers = ["crates/*"]\n',
            "crates/app/Cargo.toml": '[package]\nname = "app"\nedition.workspace = true\n'
            '[dependencies]\nlogging = { package = "acme-log", path = "../log" }\nserde = "1"\n',
            "crates/app/src/main.rs": "use acme_text::words::Word;\nuse logging::Level;\nuse serde::Serialize;\n",
            "crates/log/Cargo.toml": '[package]\nname = "acme-log"\n',
            "crates/text/Cargo.toml": '[package]\nname = "acme-text"\n',
        },
        "crates/log/src/lib.rs crates/text/src/lib.rs crates/text/src/words.rs",
        "crates/app/src/main.rs", "crates/text/src/words.rs crates/log/src/lib.rs", "serde::Serialize",
    ),
    "rust: the first edition means plain names from the root": Tree(
        {"Cargo.toml": '[package]\nname = "x"\n', "src/a/mod.rs": "use b::C;\n"}, "src/lib.rs src/b.rs",
        "src/a/mod.rs", "src/b.rs",
    ),
    "rust: a later edition does not": Tree(
        {"Cargo.toml": '[package]\nname = "x"\nedition = "2021"\n', "src/a/mod.rs": "use b::C;\n"},
        "src/lib.rs src/b.rs", "src/a/mod.rs", "", "b::C",
    ),
    "javascript: a script prefers scripts": Tree({"a.js": "import './x.js'"}, "x.js x.ts", "a.js", "x.js"),
    "javascript: a TypeScript file prefers sources": Tree({"b.ts": "import './x.js'"}, "x.js x.ts", "b.ts", "x.ts"),
    "javascript: files for several platforms are all meant": Tree(
        {"a.js": "import x from './x'"}, "x.ios.js x.android.js", "a.js", "x.ios.js x.android.js"
    ),
    "javascript: aliases of a referenced config": Tree(
        {
            "tsconfig.json": '{"files": [], "references": [{"path": "./tsconfig.app.json"}]}',
            "tsconfig.app.json": '{"compilerOptions": {"paths": {"~/*": ["./app/*"]}}}',
            "app/a.ts": "import '~/b'",
        },
        "app/b.ts", "app/a.ts", "app/b.ts",
    ),
    "javascript: a package may import itself by its name": Tree(
        WORKSPACE, "", "packages/core/src/x/y.ts", "packages/core/src/math.ts"
    ),
    "kotlin: functions in files of any name": Tree(
        JAVA | {"app/src/main/kotlin/Main.kt":
                "import com.acme.money.toMoney\nimport com.acme.money.absent\nimport com.acme.Shop\n"},
        "", "app/src/main/kotlin/Main.kt", "lib/src/main/kotlin/money.kt app/src/main/java/com/acme/Shop.java",
        "com.acme.money.absent",
    ),
    "c: beside the file, then in include folders, then anywhere": Tree(
        {"src/net/main.cpp": '#include "local.h"\n#include "../top.h"\n#include <acme/api.h>\n'
         '#include "far/away.hpp"\n#include <string.h>\n#include <vector>\n#include "absent.h"\n#include <uv.h>\n'},
        "src/net/local.h local.h src/top.h include/acme/api.h third/deep/far/away.hpp compat/string.h "
        "third/uv/src/uv.h",
        "src/net/main.cpp",
        "src/net/local.h src/top.h include/acme/api.h third/deep/far/away.hpp third/uv/src/uv.h",
        "string.h vector absent.h",
    ),
    "csharp: usings lead to the files that declare the namespace": Tree(
        {
            "App/Main.cs": "using System;\nusing Acme.Cart;\nusing static Acme.Tools.Text;\n"
            "using M = Acme.Inner.Money;\n",
            "Cart/A.cs": "namespace Acme.Cart;\nclass A {}\n",
            "Cart/B.cs": "namespace Acme.Cart\n{\n    class B {}\n}\n",
            "Tools/Text.cs": "namespace Acme.Tools { public static class Text {} }\n",
            "Tools/Other.cs": "namespace Acme.Tools { class Other {} }\n",
            "Inner.cs": "namespace Acme\n{\n    namespace Inner\n    {\n        record Money(int x);\n    }\n}\n",
        },
        "", "App/Main.cs", "Cart/A.cs Cart/B.cs Tools/Text.cs Inner.cs", "System",
    ),
    "ruby: beside the file and below lib": Tree(
        {"lib/shop.rb":
         "require 'json'\nrequire 'shop/cart'\nrequire_relative 'shop/tax'\nrequire 'mailer/send'\n"},
        "lib/shop/cart.rb lib/shop/tax.rb gems/mailer/lib/mailer/send.rb",
        "lib/shop.rb", "lib/shop/cart.rb lib/shop/tax.rb gems/mailer/lib/mailer/send.rb", "json",
    ),
    "ruby: from the tests": Tree(
        {"spec/shop_spec.rb": "require 'spec_helper'\nrequire 'shop'\n"}, "lib/shop.rb spec/spec_helper.rb",
        "spec/shop_spec.rb", "spec/spec_helper.rb lib/shop.rb",
    ),
    "php: uses go by composer, requires by path": Tree(
        {
            "composer.json": r'{"autoload": {"psr-4": {"Acme\\": ["src/", "more/"]}, "psr-0": {"Old_": "legacy"}},'
            r'"autoload-dev": {"psr-4": {"Acme\\Tests\\": "tests/"}}}',
            "public/index.php": "<?php\nuse Acme\\Cart\\{Item};\nuse Acme\\Extra, Acme\\Tests\\Unit\\A;\n"
            "use Symfony\\X;\nrequire __DIR__ . '/../config/x.php';\n",
        },
        "src/Cart/Item.php more/Extra.php tests/Unit/A.php config/x.php",
        "public/index.php", "src/Cart/Item.php more/Extra.php tests/Unit/A.php config/x.php", "Symfony\\X",
    ),
    "php: without composer by the place of the file itself": Tree(
        {"classes/Http/Kernel.php": "<?php\nnamespace Acme\\Http;\nuse Acme\\Data\\Row;\nclass Kernel {}\n"},
        "classes/Data/Row.php", "classes/Http/Kernel.php", "classes/Data/Row.php",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TREES)
def test_an_import_leads_to_the_files_that_it_means_and_else_outside(tmp_path, name):
    tree = TREES[name]
    tree.grow(tmp_path)

    assert resolve(tmp_path, tree.path) == (tree.internal.split(), tree.external.split())


@pytest.mark.parametrize(
    ("path", "source", "found"),
    [
        ("shop/a.py", "import shop.cart", ["shop/cart.py"]),
        ("shop/a.py", "from shop import cart", ["shop/cart.py"]),
        ("shop/a.py", "from shop import cart, VERSION", ["shop/__init__.py", "shop/cart.py"]),
        ("shop/a.py", "from shop.prices import RATE", ["shop/prices/__init__.py"]),
        ("shop/a.py", "from shop.prices import tax, _fast", ["shop/prices/tax.py", "shop/prices/_fast.pyi"]),
        ("shop/a.py", "from . import cart", ["shop/cart.py"]),
        ("shop/a.py", "from .prices import *", ["shop/prices/__init__.py"]),
        ("shop/prices/a.py", "from ..cart import Cart", ["shop/cart.py"]),
        ("shop/prices/a.py", "from .. import VERSION", ["shop/__init__.py"]),
        ("shop/prices/__init__.py", "from .tax import x\nfrom . import tax", ["shop/prices/tax.py"]),
        ("shop/a.py", "def f():\n    if x:\n        import shop.prices.tax as t\n", ["shop/prices/tax.py"]),
        ("tests/test_a.py", "from shop.cart import Cart", ["shop/cart.py"]),
        ("shop/a.py", "from ...above import x", []),
        ("shop/a.py", "from .missing import x", []),
    ],
)
def test_python_packages_modules_and_relative_names(tmp_path, path, source, found):
    assert internal(tmp_path, PACKAGE | {path: source}, path) == found


@pytest.mark.parametrize(
    ("path", "source", "found"),
    [
        ("src/lib.rs", "pub mod cart;\nmod prices;", ["src/cart.rs", "src/prices/mod.rs"]),
        ("src/cart.rs", "mod item;", ["src/cart/item.rs"]),
        ("src/prices/mod.rs", "pub mod tax;", ["src/prices/tax.rs"]),
        ("src/main.rs", "use my_shop::prices::tax::Rate;", ["src/prices/tax.rs"]),
        ("src/main.rs", "use my_shop::Everything;", ["src/lib.rs"]),
        ("src/cart/item.rs", "use crate::prices::{tax, Price};", ["src/prices/tax.rs", "src/prices/mod.rs"]),
        ("src/cart/item.rs", "use super::Cart;", ["src/cart.rs"]),
        ("src/cart/item.rs", "use super::super::prices;", ["src/prices/mod.rs"]),
        ("src/cart/item.rs", "use crate::VERSION;", ["src/lib.rs"]),
        ("src/cart.rs", "use self::item::Item;", ["src/cart/item.rs"]),
        ("src/cart.rs", "use item::Item;", ["src/cart/item.rs"]),
        ("src/cart.rs", "mod tests { use super::*; use super::item::Item; }", ["src/cart/item.rs"]),
        ("src/prices/tax.rs", "use super::Price;", ["src/prices/mod.rs"]),
        ("tests/buy.rs", "mod common;\nuse my_shop::cart::Cart;", ["tests/common/mod.rs", "src/cart.rs"]),
        ("src/bin/tool/main.rs", "use my_shop::cart;", ["src/cart.rs"]),
        ("src/cart.rs", "use std::fmt; use serde::de;", []),
    ],
)
def test_rust_modules_and_uses_lead_to_the_file_that_holds_them(tmp_path, path, source, found):
    assert internal(tmp_path, CRATE | {path: source}, path) == found


@pytest.mark.parametrize(
    ("written", "file"),
    [
        ("./a", "src/a.ts"),
        ("./a.js", "src/a.ts"),
        ("./view", "src/view.tsx"),
        ("./view.jsx", "src/view.tsx"),
        ("./types", "src/types.d.ts"),
        ("./util", "src/util/index.ts"),
        ("./util/", "src/util/index.ts"),
        ("..", "index.ts"),
        (".", "src/index.ts"),
        ("../data.json", "data.json"),
        ("./icon.svg?raw", "src/icon.svg"),
        ("./m.mjs", "src/m.mts"),
        ("./a.config", "src/a.config.ts"),
        ("./Card.vue", "src/Card.vue"),
        ("./lib", "src/lib/entry.js"),
    ],
)
def test_a_relative_name_of_a_script_finds_its_file(tmp_path, written, file):
    grow(tmp_path, {"src/main.ts": f"import x from '{written}';\n", file: ""})
    if written == "./lib":
        grow(tmp_path, {"src/lib/package.json": '{"main": "./entry.js"}'})

    assert resolve(tmp_path, "src/main.ts") == ([file], [])


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("@/deep/a", ["src/deep/a.ts"]),
        ("@ui/Button", ["packages/ui/src/Button.tsx"]),
        ("config", ["src/config/index.ts"]),
        ("src/deep/a", ["src/deep/a.ts"]),
        ("@/nowhere", []),
        ("react", []),
    ],
)
def test_aliases_of_a_tsconfig_with_comments_that_extends_another(tmp_path, written, found):
    files = {
        "tsconfig.json": TSCONFIG, "config/base.json": BASE, "src/deep/a.ts": "", "src/config/index.ts": "",
        "packages/ui/src/Button.tsx": "", "src/main.ts": f"import x from '{written}'",
    }  # fmt: skip

    assert internal(tmp_path, files, "src/main.ts") == found


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("@acme/core", ["packages/core/src/index.ts"]),
        ("@acme/core/math", ["packages/core/src/math.ts"]),
        ("@acme/core/x/y", ["packages/core/src/x/y.ts"]),
        ("@acme/core/src/math", ["packages/core/src/math.ts"]),
        ("old", ["packages/old/lib/main.js"]),
        ("old/lib/part", ["packages/old/lib/part.js"]),
        ("#log", ["src/log.ts"]),
        ("#d/e", ["src/d/e.ts"]),
        ("left-pad", []),
        ("node:fs", []),
        ("@acme/absent", []),
    ],
)
def test_packages_of_a_workspace_by_name_exports_and_imports(tmp_path, written, found):
    assert internal(tmp_path, WORKSPACE | {"src/main.ts": f"import '{written}'"}, "src/main.ts") == found


@pytest.mark.parametrize(
    "config", ["{", "[]", '{"extends": "./tsconfig.json"}', '{"compilerOptions": {"paths": 7}}', ""]
)
def test_a_broken_or_circular_config_is_no_config(tmp_path, config):
    grow(tmp_path, {"tsconfig.json": config, "package.json": config, "a.ts": "import './b'; import 'c'", "b.ts": ""})

    assert resolve(tmp_path, "a.ts") == (["b.ts"], ["c"])


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import com.acme.cart.Cart;", ["app/src/main/java/com/acme/cart/Cart.java"]),
        ("import com.acme.cart.Cart.Item;", ["app/src/main/java/com/acme/cart/Cart.java"]),
        ("import static com.acme.cart.Cart.total;", ["app/src/main/java/com/acme/cart/Cart.java"]),
        ("import static com.acme.cart.Cart.*;", ["app/src/main/java/com/acme/cart/Cart.java"]),
        ("import com.acme.cart.*;", [f"app/src/main/java/com/acme/cart/{name}.java" for name in ("Cart", "Total")]),
        ("import com.acme.Bank;", ["lib/src/main/kotlin/com/acme/Bank.kt"]),
        ("import com.acme.money.Euro;", ["lib/src/main/kotlin/money.kt"]),
        ("import java.util.List;\nimport org.junit.*;", []),
    ],
)
def test_java_names_lead_to_classes_below_any_source_root(tmp_path, source, found):
    path = "app/src/test/java/com/acme/ShopTest.java"

    assert internal(tmp_path, JAVA | {path: f"package com.acme;\n{source}\nclass ShopTest {{}}\n"}, path) == found
