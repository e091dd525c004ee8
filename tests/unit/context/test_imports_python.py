"""Python's imports to the files of a project."""

import pytest

from tests.unit.context.import_trees import grow, internal, resolve

PACKAGE = {
    "shop/__init__.py": "from shop.cart import Cart\n",
    "shop/cart.py": "",
    "shop/prices/__init__.py": "RATE = 1\n",
    "shop/prices/tax.py": "",
    "shop/prices/_fast.pyi": "",
}


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
def test_packages_modules_and_relative_names(tmp_path, path, source, found):
    assert internal(tmp_path, PACKAGE | {path: source}, path) == found


def test_names_lead_into_src_layouts_and_into_folders_that_only_the_listing_knows(tmp_path):
    grow(
        tmp_path,
        {
            "src/shop/__init__.py": "",
            "src/shop/cart.py": "",
            "services/mail/python/postman/__init__.py": "",
            "services/mail/python/postman/send.py": "",
            "tests/test_cart.py": "import shop.cart\nfrom postman.send import x\n",
        },
    )

    found = resolve(tmp_path, "tests/test_cart.py")

    assert found.internal == ["src/shop/cart.py", "services/mail/python/postman/send.py"]


def test_a_namespace_package_needs_no_init(tmp_path):
    files = {
        "a/acme/mail/send.py": "",
        "b/acme/shop/cart.py": "from acme.mail import send\nfrom acme.mail.send import x\n",
    }

    assert internal(tmp_path, files, "b/acme/shop/cart.py") == ["a/acme/mail/send.py"]


def test_the_standard_library_and_packages_lead_outside_in_the_words_of_the_file(tmp_path):
    grow(
        tmp_path,
        {
            "app.py": "import os.path, numpy as np\nfrom requests.auth import X\nimport app\n",
            "vendor/json/__init__.py": "",
            "tool/_vendor/requests/auth.py": "",
            "tool/_vendor/__init__.py": "",
            "tool/__init__.py": "",
            "other.py": "import json\n",
            ".venv/lib/site-packages/numpy/__init__.py": "",
        },
    )

    assert resolve(tmp_path, "app.py") == ([], ["os.path", "numpy", "requests.auth"])
    assert resolve(tmp_path, "other.py") == ([], ["json"])


def test_a_script_sees_what_lies_beside_it_before_the_standard_library(tmp_path):
    files = {"tools/run.py": "import queue\n", "tools/queue.py": ""}

    assert internal(tmp_path, files, "tools/run.py") == ["tools/queue.py"]


def test_each_file_is_named_once_in_the_order_of_first_import(tmp_path):
    files = {"a.py": "", "b.py": "", "c.py": "import b\nimport a\nfrom b import x\nimport os\nimport os\n"}
    grow(tmp_path, files)

    assert resolve(tmp_path, "c.py") == (["b.py", "a.py"], ["os"])
