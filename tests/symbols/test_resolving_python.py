"""What names mean in Python: each case is a small project, and one symbol whose certain uses are known."""

import pytest

SHOP = """
class Shop:
    def sell(self): ...
    def near(self) -> 'Shop': ...
    @property
    def rival(self) -> 'Shop': ...
"""
CASES = {
    "a name that `isinstance` makes sure of": (
        "from shop import Shop\ndef f(one, two):\n    if one and isinstance(one, Shop):\n        one.sell()\n"
        "    one.sell()\n    if not isinstance(two, Shop):\n        return\n    two.sell()\n"
        "    assert isinstance(one, (Shop, int))\n    one.sell()\n",
        [4, 8, 10],
    ),
    "a parameter with a type": ("from shop import Shop\ndef f(one: Shop):\n    one.sell()\n", [3]),
    "a type in quotes, or nothing": ("import shop\ndef f(one: 'shop.Shop | None'):\n    one.sell()\n", [3]),
    "an optional type": (
        "from typing import Optional\nfrom shop import Shop\ndef f(one: Optional[Shop]):\n    one.sell()\n",
        [4],
    ),
    "an object that is made here": ("import shop as s\none = s.Shop()\none.sell()\n", [3]),
    "a field that __init__ gives": (
        "from shop import Shop\nclass A:\n    def __init__(self, one: Shop):\n        self.one = one\n"
        "    def f(self):\n        self.one.sell()\n",
        [6],
    ),
    "what a method returns": ("from shop import Shop\nShop().near().near().sell()\n", [2]),
    "what a function returns without saying so": (
        "from shop import Shop\ndef make():\n    return Shop()\nmake().sell()\n",
        [4],
    ),
    "a property": ("from shop import Shop\nShop().rival.sell()\n", [2]),
    "a list of them": (
        "from shop import Shop\ndef f(all: list[Shop]):\n    for one in all:\n        one.sell()\n",
        [4],
    ),
    "a dictionary of them": (
        "from shop import Shop\ndef f(all: dict[str, Shop]):\n    all['a'].sell()\n    all.get('b').sell()\n"
        "    for one in all.values():\n        one.sell()\n",
        [3, 4, 6],
    ),
    "a comprehension": ("from shop import Shop\ndef f(all: list[Shop]):\n    return [x.sell() for x in all]\n", [3]),
    "a with statement": (
        "from shop import Shop\nclass Open:\n    def __enter__(self) -> Shop: ...\n"
        "def f():\n    with Open() as one:\n        one.sell()\n",
        [6],
    ),
    "a class that inherits": ("from shop import Shop\nclass Own(Shop):\n    def f(self):\n        self.sell()\n", [4]),
    "the class itself": (
        "from shop import Shop\nclass Own(Shop):\n    @classmethod\n    def f(cls):\n        one = cls()\n"
        "        one.sell()\n        super().sell(cls)\n",
        [6, 7],
    ),
    "a name that is given another value": (
        "from shop import Shop\nclass Own:\n    def sell(self): ...\ndef f():\n    one = Own()\n    one.sell()\n"
        "    one = Shop()\n    one.sell()\n",
        [8],
    ),
    "an import inside of a function": ("def f():\n    from shop import Shop\n    Shop().sell()\n", [3]),
    "an import under a condition": (
        "try:\n    from shop import Shop\nexcept ImportError:\n    Shop = None\nShop().sell()\n",
        [5],
    ),
    "everything of a module": ("from shop import *\nShop().sell()\n", [2]),
    "passed on by another module": (
        "from passing import Renamed, shop\nRenamed().sell()\nshop.Shop().sell()\n",
        [2, 3],
    ),
    "a lambda": ("from shop import Shop\none = Shop()\nf = lambda: one.sell()\n", [3]),
    "something else of that name": (
        "import os\nclass Other:\n    def sell(self): ...\nOther().sell()\nos.sell()\nsell()\n",
        [],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_use_is_certain_where_the_type_is_plain(small_project, case):
    text, lines = CASES[case]
    passing = "from shop import Shop as Renamed\nimport shop\n"

    asked = small_project({"shop.py": SHOP, "use.py": text, "passing.py": passing})

    found = [
        each.line for each in asked.references("Shop.sell", "shop.py") if each.is_certain and each.path == "use.py"
    ]
    assert found == lines


def test_fields_are_used_by_keyword_where_no_constructor_takes_them(small_project):
    asked = small_project(
        {
            "points.py": (
                "from dataclasses import dataclass\n@dataclass\nclass Point:\n    x: int\n"
                "class Own:\n    def __init__(self, x):\n        self.x = x\n"
                "Point(x=1)\nOwn(x=1)\n"
            )
        }
    )

    assert asked.certain("Point.x") == [("points.py", 8, "write")]
    assert asked.certain("Own.x") == []


def test_a_field_that_is_declared_above_is_one_with_those_that_heirs_give(small_project):
    asked = small_project(
        {
            "a.py": (
                "class Above:\n    name: str\n    def told(self):\n        return self.name\n"
                "class One(Above):\n    def __init__(self):\n        self.name = 'one'\n"
            )
        }
    )

    assert asked.certain("One.name") == [("a.py", 2, "define"), ("a.py", 4, "read")]


def test_roles_and_what_encloses_a_use_are_told(small_project):
    asked = small_project(
        {
            "shop.py": "LIMIT = 1\n__all__ = ['LIMIT']\n",
            "use.py": "import shop\nfrom shop import LIMIT\ndef f():\n    shop.LIMIT = 2\n    return LIMIT\n",
        }
    )

    told = [(each.path, each.line, each.role, each.within) for each in asked.references("LIMIT")]
    assert told == [
        ("shop.py", 2, "read", ""),
        ("use.py", 2, "import", ""),
        ("use.py", 4, "write", "f"),
        ("use.py", 5, "read", "f"),
    ]


def test_what_leads_elsewhere_is_no_candidate(small_project):
    asked = small_project(
        {
            "shop.py": "def open(): ...\nclass Cart:\n    def pop(self): ...\n",
            "use.py": "import io\nopen('x')\nio.open('x')\n[].pop()\ndef f(x):\n    x.pop()\n",
        }
    )

    assert asked.references("open") == []
    assert [(each.line, each.is_certain) for each in asked.references("Cart.pop")] == [(6, False)]
