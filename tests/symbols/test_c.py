"""Definitions and uses in C and C++: headers, types, fields, macros, conditions, and methods outside of classes."""

C_FILES = {
    "include/shop.h": (
        "#ifndef SHOP_H\n"
        "#define SHOP_H\n"
        "#define MOST 10\n"
        "typedef struct price_s price_t;\n"
        "struct price_s { int amount; price_t* next; };\n"
        "enum kind { CHEAP, DEAR = 2 };\n"
        "SHOP_EXTERN int price_net(const price_t* price);\n"
        "#endif\n"
    ),
    "src/price.c": (
        '#include "shop.h"\n'
        "\n"
        "/* What it costs. */\n"
        "int price_net(const price_t* price) {\n"
        "#ifdef FAST\n"
        "  if (price->amount > MOST) {\n"
        "#else\n"
        "  if (price) {\n"
        "#endif\n"
        "    return price->next->amount;\n"
        "  }\n"
        "  return CHEAP;\n"
        "}\n"
        "static int helper(void) { return 1; }\n"
    ),
    "src/main.c": (
        "#include <shop.h>\n"
        "static int helper(void) { return 2; }\n"
        "int main(void) {\n"
        "  struct price_s one = { .amount = 1 };\n"
        "  return price_net(&one) + helper() + ((price_t*) other())->amount;\n"
        "}\n"
    ),
}
CPP_FILES = {
    "shop.hpp": (
        "namespace shop {\n"
        "class Thing { public: virtual int net() const; };\n"
        "class Price : public Thing {\n"
        " public:\n"
        "  static Price* make();\n"
        "  int net() const override;\n"
        " private:\n"
        "  int amount_ = 0;\n"
        "};\n"
        "}\n"
    ),
    "shop.cpp": (
        '#include "shop.hpp"\n'
        "int shop::Price::net() const { return amount_; }\n"
        "int pay() {\n"
        "  auto price = shop::Price::make();\n"
        "  return price->net();\n"
        "}\n"
    ),
}


def test_a_declaration_and_its_definition_are_one(symbol_project):
    asked = symbol_project(C_FILES)
    declared, defined = asked.symbols.definitions("price_net")

    for symbol in (declared, defined):
        uses = [each for each in asked.symbols.references(symbol) if each.role != "define"]
        assert [(each.path, each.line, each.role, each.is_certain) for each in uses] == [
            ("src/main.c", 5, "call", True)
        ]
    assert defined.doc == "What it costs."


def test_fields_are_found_by_types_whatever_conditions_say(symbol_project):
    asked = symbol_project(C_FILES)

    assert asked.certain("amount") == [
        ("src/main.c", 4, "write"),
        ("src/main.c", 5, "read"),
        ("src/price.c", 6, "read"),
        ("src/price.c", 10, "read"),
    ]
    assert asked.certain("MOST") == [("src/price.c", 6, "read")]
    assert asked.certain("CHEAP") == [("src/price.c", 12, "read")]
    assert asked.certain("helper", "src/main.c") == [("src/main.c", 5, "call")]
    assert asked.certain("helper", "src/price.c") == []


def test_a_method_outside_of_its_class_belongs_to_it(symbol_project):
    asked = symbol_project(CPP_FILES)
    defined = asked.symbol("Price.net", "shop.cpp")

    assert [(each.path, each.line) for each in asked.symbols.references(defined) if each.role == "call"] == [
        ("shop.cpp", 5)
    ]
    assert asked.certain("amount_") == [("shop.cpp", 2, "read")]
    assert asked.certain("Price", "shop.hpp") == [
        ("shop.cpp", 2, "type"),
        ("shop.cpp", 4, "read"),
        ("shop.hpp", 5, "type"),
    ]
