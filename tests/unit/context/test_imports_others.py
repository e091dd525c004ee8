"""The imports of Java, Kotlin, C, C++, C#, Ruby and PHP to the files of a project."""

import pytest

from tests.unit.context.import_trees import grow, internal, resolve

JAVA = {
    "app/src/main/java/com/acme/Shop.java": "package com.acme;\n",
    "app/src/main/java/com/acme/cart/Cart.java": "package com.acme.cart;\nclass Cart { static class Item {} }\n",
    "app/src/main/java/com/acme/cart/Total.java": "package com.acme.cart;\n",
    "lib/src/main/kotlin/money.kt": "package com.acme.money\n\nfun String.toMoney() = 1\nclass Euro\n",
    "lib/src/main/kotlin/com/acme/Bank.kt": "package com.acme\nclass Bank\n",
}


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


def test_kotlin_finds_functions_in_files_of_any_name(tmp_path):
    path = "app/src/main/kotlin/Main.kt"
    grow(tmp_path, JAVA | {path: "import com.acme.money.toMoney\nimport com.acme.money.absent\nimport com.acme.Shop\n"})

    assert resolve(tmp_path, path) == (
        ["lib/src/main/kotlin/money.kt", "app/src/main/java/com/acme/Shop.java"],
        ["com.acme.money.absent"],
    )


def test_includes_are_looked_for_beside_the_file_then_in_include_folders_then_anywhere(tmp_path):
    grow(
        tmp_path,
        {
            "src/net/main.cpp": '#include "local.h"\n#include "../top.h"\n#include <acme/api.h>\n'
            '#include "far/away.hpp"\n#include <string.h>\n#include <vector>\n#include "absent.h"\n#include <uv.h>\n',
            "src/net/local.h": "",
            "local.h": "",
            "src/top.h": "",
            "include/acme/api.h": "",
            "third/deep/far/away.hpp": "",
            "compat/string.h": "",
            "third/uv/src/uv.h": "",
        },
    )

    assert resolve(tmp_path, "src/net/main.cpp") == (
        ["src/net/local.h", "src/top.h", "include/acme/api.h", "third/deep/far/away.hpp", "third/uv/src/uv.h"],
        ["string.h", "vector", "absent.h"],
    )


def test_usings_lead_to_the_files_that_declare_the_namespace(tmp_path):
    grow(
        tmp_path,
        {
            "App/Main.cs": "using System;\nusing Acme.Cart;\nusing static Acme.Tools.Text;\n"
            "using M = Acme.Inner.Money;\n",
            "Cart/A.cs": "namespace Acme.Cart;\nclass A {}\n",
            "Cart/B.cs": "namespace Acme.Cart\n{\n    class B {}\n}\n",
            "Tools/Text.cs": "namespace Acme.Tools { public static class Text {} }\n",
            "Tools/Other.cs": "namespace Acme.Tools { class Other {} }\n",
            "Inner.cs": "namespace Acme\n{\n    namespace Inner\n    {\n        record Money(int x);\n    }\n}\n",
        },
    )

    assert resolve(tmp_path, "App/Main.cs") == (["Cart/A.cs", "Cart/B.cs", "Tools/Text.cs", "Inner.cs"], ["System"])


def test_ruby_requires_lead_beside_the_file_and_below_lib(tmp_path):
    grow(
        tmp_path,
        {
            "lib/shop.rb": "require 'json'\nrequire 'shop/cart'\nrequire_relative 'shop/tax'\nrequire 'mailer/send'\n",
            "lib/shop/cart.rb": "",
            "lib/shop/tax.rb": "",
            "gems/mailer/lib/mailer/send.rb": "",
            "spec/shop_spec.rb": "require 'spec_helper'\nrequire 'shop'\n",
            "spec/spec_helper.rb": "",
        },
    )

    assert resolve(tmp_path, "lib/shop.rb") == (
        ["lib/shop/cart.rb", "lib/shop/tax.rb", "gems/mailer/lib/mailer/send.rb"],
        ["json"],
    )
    assert resolve(tmp_path, "spec/shop_spec.rb").internal == ["spec/spec_helper.rb", "lib/shop.rb"]


def test_php_uses_go_by_composer_and_requires_by_path(tmp_path):
    grow(
        tmp_path,
        {
            "composer.json": r'{"autoload": {"psr-4": {"Acme\\": ["src/", "more/"]}, "psr-0": {"Old_": "legacy"}},'
            r'"autoload-dev": {"psr-4": {"Acme\\Tests\\": "tests/"}}}',
            "src/Cart/Item.php": "",
            "more/Extra.php": "",
            "tests/Unit/A.php": "",
            "config/x.php": "",
            "public/index.php": "<?php\nuse Acme\\Cart\\{Item};\nuse Acme\\Extra, Acme\\Tests\\Unit\\A;\n"
            "use Symfony\\X;\nrequire __DIR__ . '/../config/x.php';\n",
        },
    )

    assert resolve(tmp_path, "public/index.php") == (
        ["src/Cart/Item.php", "more/Extra.php", "tests/Unit/A.php", "config/x.php"],
        ["Symfony\\X"],
    )


def test_php_without_composer_goes_by_the_place_of_the_file_itself(tmp_path):
    files = {
        "classes/Http/Kernel.php": "<?php\nnamespace Acme\\Http;\nuse Acme\\Data\\Row;\nclass Kernel {}\n",
        "classes/Data/Row.php": "",
    }

    assert internal(tmp_path, files, "classes/Http/Kernel.php") == ["classes/Data/Row.php"]
