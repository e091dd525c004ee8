"""Definitions, references, callers, callees, overrides and tests of a small project."""

FILES = {
    "shop/__init__.py": "from .prices import total as sum_up, Price\n",
    "shop/prices.py": (
        "class Price:\n"
        "    def __init__(self, amount):\n"
        "        self.amount = amount\n"
        "    def net(self):\n"
        "        return self.amount\n"
        "\n"
        "class Sale(Price):\n"
        "    def net(self):\n"
        "        return super().net() / 2\n"
        "\n"
        "def total(prices: list[Price]) -> int:\n"
        "    return sum(each.net() for each in prices)\n"
    ),
    "shop/cart.py": (
        "from shop import Price, sum_up\n"
        "\n"
        "class Cart:\n"
        "    def __init__(self):\n"
        "        self.first = Price(1)\n"
        "    def pay(self):\n"
        "        return sum_up([self.first]) + self.first.net()\n"
    ),
    "tests/test_cart.py": "from shop.cart import Cart\n\ndef test_pay():\n    assert Cart().pay() == 2\n",
    "other.py": "def show(thing):\n    return thing.net()\n",
}


def test_definitions_are_found_by_plain_and_longer_names(symbol_project):
    asked = symbol_project(FILES)

    assert [(each.path, each.qualified) for each in asked.symbols.definitions("net")] == [
        ("shop/prices.py", "Price.net"),
        ("shop/prices.py", "Sale.net"),
    ]
    for name in ("Sale.net", "prices.Sale.net", "shop.prices.Sale.net", "Sale::net", "Sale#net"):
        assert asked.symbol(name).line == 8
    assert asked.symbols.definitions("Cart.net") == []
    assert asked.symbols.definitions("net", "shop/cart.py") == []
    assert asked.symbol("total").signature == "def total(prices: list[Price]) -> int"


def test_references_are_resolved_through_types_imports_and_other_names(symbol_project):
    asked = symbol_project(FILES)

    assert asked.certain("Price.net") == [
        ("shop/cart.py", 7, "call"),
        ("shop/prices.py", 9, "call"),
        ("shop/prices.py", 12, "call"),
    ]
    assert asked.certain("Sale.net") == []
    assert asked.certain("total") == [
        ("shop/__init__.py", 1, "import"),
        ("shop/cart.py", 1, "import"),
        ("shop/cart.py", 7, "call"),
    ]
    assert asked.certain("amount") == [("shop/prices.py", 5, "read")]


def test_what_cannot_be_resolved_is_a_candidate_with_a_reason(symbol_project):
    asked = symbol_project(FILES)

    (unsure,) = [each for each in asked.references("Sale.net") if not each.is_certain]

    assert (unsure.path, unsure.line) == ("other.py", 2)
    assert 0 < unsure.confidence < 0.5
    assert unsure.reason == "one of 2 definitions of it, 0 of 3 uses that can be resolved mean it"


def test_what_is_one_step_away(symbol_project):
    asked = symbol_project(FILES)
    symbols = asked.symbols

    assert [each.qualified for each in symbols.callees(asked.symbol("Cart.pay"))] == ["total", "Price.net"]
    assert symbols.overrides(asked.symbol("Price.net")) == ([], [asked.symbol("Sale.net")])
    assert symbols.overrides(asked.symbol("Sale.net")) == ([asked.symbol("Price.net")], [])
    assert symbols.overrides(asked.symbol("Price")) == ([], [asked.symbol("Sale")])
    assert [(each.path, each.line) for each in symbols.tests(asked.symbol("Cart.pay"))] == [("tests/test_cart.py", 4)]
    (through,) = symbols.tests(asked.symbol("total"))
    assert (through.path, through.reason) == ("tests/test_cart.py", "through Cart.pay")


def test_a_save_changes_what_is_told_of_that_file_alone(symbol_project):
    asked = symbol_project(FILES)

    asked.write("shop/cart.py", "from shop import sum_up\n\nsum_up([])\n")
    assert asked.bring_up("shop/cart.py") == 1

    assert asked.certain("Price.net") == [("shop/prices.py", 9, "call"), ("shop/prices.py", 12, "call")]
    assert ("shop/cart.py", 3, "call") in asked.certain("total")
    assert asked.symbols.definitions("Cart") == []
    assert asked.bring_up() == 0


def test_what_an_older_version_read_is_read_again(symbol_project):
    asked = symbol_project(
        {
            "shop/base.py": "class Base:\n    pass\n",
            "shop/cart.py": "from shop.base import Base\n\nclass Cart(Base):\n    pass\n",
        }
    )
    with asked.engine.database.writing() as transaction:
        transaction.execute("UPDATE symbol_name SET part = part & 3", {})
        transaction.execute("UPDATE symbol_file SET hash = '3' || substr(hash, 2)", {})

    asked.bring_up()

    assert [each.qualified for each in asked.symbols.overrides(asked.symbol("Base"))[1]] == ["Cart"]


def test_a_file_that_is_gone_is_forgotten(symbol_project):
    asked = symbol_project(FILES)

    asked.remove("shop/cart.py")
    asked.bring_up()

    assert asked.symbols.definitions("Cart") == []
    assert asked.certain("total") == [("shop/__init__.py", 1, "import")]


def test_a_name_that_was_imported_and_is_defined_now_is_found(symbol_project):
    asked = symbol_project({"a.py": "import pack\n", "b.py": "from a import pack\n"})
    assert asked.symbols.definitions("pack") == []

    asked.write("a.py", "def pack(): ...\n")
    asked.bring_up("a.py")

    assert asked.certain("pack") == [("b.py", 1, "import")]


def test_what_is_asked_at_one_moment_is_of_one_state_of_the_index(symbol_project):
    project = symbol_project(FILES)
    with project.symbols.at_one_moment():
        before = project.references("total", "shop/prices.py")
        project.write("late.py", "from shop.prices import total\n\ntotal([])\n")
        project.bring_up("late.py")
        within = project.references("total", "shop/prices.py")

    after = project.references("total", "shop/prices.py")

    assert within == before
    assert {each.path for each in after} - {each.path for each in before} == {"late.py"}


def test_of_very_many_files_those_that_import_a_symbol_and_the_nearest_are_looked_at(symbol_project, monkeypatch):
    monkeypatch.setattr("fieldguide.code.symbols.resolvers.usage.MOST_FILES", 2)
    asked = symbol_project(
        {
            "m/b/lib.py": "class Pump:\n    def fill_now(self):\n        return 1\n",
            "m/use.py": "def near(thing):\n    thing.fill_now()\n",
            "a/use.py": "def far(thing):\n    thing.fill_now()\n",
            "a/with.py": "from m.b.lib import Pump\n\n\ndef take():\n    Pump().fill_now()\n",
        }
    )

    assert sorted({each.path for each in asked.references("Pump.fill_now")}) == ["a/with.py", "m/use.py"]
