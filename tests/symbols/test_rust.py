"""Definitions and uses in Rust: modules, types with their `impl` blocks, traits, fields and macros."""

FILES = {
    "Cargo.toml": '[workspace]\nmembers = ["shop", "till"]\n',
    "shop/Cargo.toml": '[package]\nname = "shop"\nedition = "2021"\n',
    "shop/src/lib.rs": (
        "#[macro_use]\n"
        "mod macros;\n"
        "mod prices;\n"
        "pub mod carts {\n"
        "    use super::prices::Price as Cost;\n"
        "    pub fn first() -> Cost {\n"
        "        Cost::new(1)\n"
        "    }\n"
        "}\n"
        "pub use prices::{net, Price, Priced};\n"
    ),
    "shop/src/macros.rs": "macro_rules! cfg_sale {\n    ($($item:item)*) => { $($item)* };\n}\n",
    "shop/src/prices.rs": (
        "/// What something costs.\n"
        "pub struct Price {\n"
        "    amount: u32,\n"
        "}\n"
        "\n"
        "impl Price {\n"
        "    pub fn new(amount: u32) -> Self {\n"
        "        Self { amount }\n"
        "    }\n"
        "    pub fn amount(&self) -> u32 {\n"
        "        self.amount\n"
        "    }\n"
        "}\n"
        "\n"
        "pub trait Priced {\n"
        "    fn tax(&self) -> u32;\n"
        "    fn gross(&self) -> u32 { self.tax() }\n"
        "}\n"
        "\n"
        "impl Priced for Price {\n"
        "    fn tax(&self) -> u32 { self.amount() }\n"
        "}\n"
        "\n"
        "pub fn net(all: &[Price]) -> u32 {\n"
        "    all.iter().map(|each| each.amount()).sum()\n"
        "}\n"
        "\n"
        "cfg_sale! {\n"
        "    pub enum Sale {\n"
        "        Half(Price),\n"
        "        None,\n"
        "    }\n"
        "}\n"
    ),
    "till/Cargo.toml": '[package]\nname = "till"\nedition = "2021"\n[dependencies]\nshop = { path = "../shop" }\n',
    "till/src/main.rs": (
        "use shop::carts;\n"
        "use shop::*;\n"
        "\n"
        "fn pay(thing: &dyn Priced) -> u32 {\n"
        "    thing.tax()\n"
        "}\n"
        "\n"
        "fn main() {\n"
        "    let price = carts::first();\n"
        "    assert_eq!(price.amount(), net(&[price]));\n"
        "    let made: Option<Price> = None;\n"
        "    if let Some(one) = made {\n"
        "        one.tax();\n"
        "    }\n"
        "    other.amount();\n"
        "}\n"
    ),
}


def test_types_are_followed_through_modules_other_names_stars_and_crates(symbol_project):
    asked = symbol_project(FILES)

    assert asked.certain("Price", "shop/src/prices.rs") == [
        ("shop/src/lib.rs", 5, "import"), ("shop/src/lib.rs", 10, "import"), ("shop/src/prices.rs", 6, "type"),
        ("shop/src/prices.rs", 7, "type"), ("shop/src/prices.rs", 8, "type"), ("shop/src/prices.rs", 20, "type"),
        ("shop/src/prices.rs", 24, "type"), ("shop/src/prices.rs", 30, "type"), ("till/src/main.rs", 11, "type"),
    ]  # fmt: skip
    assert asked.certain("net") == [("shop/src/lib.rs", 10, "import"), ("till/src/main.rs", 10, "call")]
    assert asked.symbol("Price").doc == "What something costs."


def test_methods_and_fields_of_one_name_are_told_apart_by_types(symbol_project):
    asked = symbol_project(FILES)
    field, method = asked.symbols.definitions("amount", "shop/src/prices.rs")

    fields = [(each.line, each.role) for each in asked.symbols.references(field) if each.is_certain]
    methods = [(each.path, each.line) for each in asked.symbols.references(method) if each.is_certain]

    assert fields == [(8, "write"), (11, "read")]
    assert methods == [("shop/src/prices.rs", 21), ("shop/src/prices.rs", 25), ("till/src/main.rs", 10)]
    assert [each.line for each in asked.symbols.references(method) if not each.is_certain] == [15]


def test_a_trait_and_the_types_that_have_it(symbol_project):
    asked = symbol_project(FILES)
    asked_for, given = asked.symbols.definitions("tax")

    assert [(each.path, each.line, each.role) for each in asked.symbols.references(asked_for)] == [
        ("shop/src/prices.rs", 17, "call"),
        ("shop/src/prices.rs", 21, "define"),
        ("till/src/main.rs", 5, "call"),
    ]
    assert [(each.path, each.line) for each in asked.symbols.references(given)] == [("till/src/main.rs", 13)]
    above, below = asked.symbols.overrides(asked_for)
    assert (above, [each.line for each in below]) == ([], [21])
    assert given.qualified == "Price.tax"


def test_what_macros_hold_is_defined_and_used(symbol_project):
    asked = symbol_project(FILES)

    assert asked.symbol("Sale.Half").line == 30
    assert asked.certain("cfg_sale") == [("shop/src/prices.rs", 28, "call")]
