"""Rust's modules and uses to the files of a project."""

import pytest

from tests.unit.context.import_trees import grow, internal, resolve

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
def test_modules_and_uses_lead_to_the_file_that_holds_them(tmp_path, path, source, found):
    assert internal(tmp_path, CRATE | {path: source}, path) == found


def test_paths_and_inline_modules_move_a_module(tmp_path):
    files = {
        "Cargo.toml": '[package]\nname = "x"\n[lib]\npath = "rust/root.rs"\n',
        "rust/root.rs": '#[path = "sys/linux.rs"]\nmod sys;\nmod inner { mod deep; #[path = "odd.rs"] mod o; }\n',
        "rust/sys/linux.rs": "",
        "rust/inner/deep.rs": "",
        "rust/inner/odd.rs": "",
    }

    assert internal(tmp_path, files, "rust/root.rs") == ["rust/sys/linux.rs", "rust/inner/deep.rs", "rust/inner/odd.rs"]


def test_crates_of_a_workspace_know_each_other_also_under_another_name(tmp_path):
    grow(
        tmp_path,
        {
            "Cargo.toml": '[workspace]\nmembers = ["crates/*"]\n',
            "crates/app/Cargo.toml": '[package]\nname = "app"\nedition.workspace = true\n'
            '[dependencies]\nlogging = { package = "acme-log", path = "../log" }\nserde = "1"\n',
            "crates/app/src/main.rs": "use acme_text::words::Word;\nuse logging::Level;\nuse serde::Serialize;\n",
            "crates/log/Cargo.toml": '[package]\nname = "acme-log"\n',
            "crates/log/src/lib.rs": "",
            "crates/text/Cargo.toml": '[package]\nname = "acme-text"\n',
            "crates/text/src/lib.rs": "",
            "crates/text/src/words.rs": "",
        },
    )

    found = resolve(tmp_path, "crates/app/src/main.rs")

    assert found == (["crates/text/src/words.rs", "crates/log/src/lib.rs"], ["serde::Serialize"])


def test_the_first_edition_means_plain_names_from_the_root(tmp_path):
    files = {"src/lib.rs": "", "src/a/mod.rs": "use b::C;\n", "src/b.rs": ""}

    old = internal(tmp_path / "old", files | {"Cargo.toml": '[package]\nname = "x"\n'}, "src/a/mod.rs")
    new = internal(
        tmp_path / "new", files | {"Cargo.toml": '[package]\nname = "x"\nedition = "2021"\n'}, "src/a/mod.rs"
    )

    assert (old, new) == (["src/b.rs"], [])
