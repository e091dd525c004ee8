"""Java: who uses what, through packages, classes, imports and generic types."""

from tests.symbols.indexed_symbols import read_facts

MAIN = "src/main/java/shop"
FILES = {
    f"{MAIN}/Item.java": """package shop;

/** A thing. */
public class Item extends Named {
    public static final int LIMIT = 3;
    private String color;

    public Item(String color) { this.color = color; }

    public String color() { return color; }

    public enum Kind { SMALL, LARGE }

    public record Size(int width, Kind kind) { }
}
""",
    f"{MAIN}/Named.java": """package shop;

public abstract class Named {
    protected String name;

    public String getName() { return this.name; }

    public void rename(String name) { this.name = name; }

    public void rename(String name, int times) { rename(name); }

    public void put(int one) { }

    public void put(String one) { put(1); }
}
""",
    f"{MAIN}/Repository.java": """package shop;

public interface Repository<T extends Named> {
    T find(String name);

    java.util.List<T> all();
}
""",
    f"{MAIN}/web/ItemController.java": """package shop.web;

import static shop.Item.LIMIT;

import shop.Item;
import shop.Item.Kind;
import shop.Repository;

interface Items extends Repository<Item> { }

@Named("x")
class ItemController {
    private final Items items;

    @GetMapping("/shown")
    Object show(String color) {
        Item item = new Item(color);
        item.rename("a");
        item.rename("b", LIMIT);
        items.find("c").color();
        items.all().forEach((each) -> each.color());
        items.all().stream().map(Item::color).toList();
        String name = getName();
        switch (kind()) {
            case SMALL -> item.getName();
            default -> new Item.Size(1, Kind.LARGE).kind();
        }
        return item.hashCode() + color;
    }

    Kind kind() { return Kind.SMALL; }

    String getName() { return ""; }
}
""",
}
WEB = f"{MAIN}/web/ItemController.java"


def test_a_class_is_used_where_it_is_made_imported_and_named(symbol_project):
    asked = symbol_project(FILES)

    assert asked.certain("Item") == [
        (WEB, 3, "import"), (WEB, 5, "import"), (WEB, 6, "import"), (WEB, 9, "type"), (WEB, 17, "type"),
        (WEB, 17, "call"), (WEB, 22, "read"), (WEB, 26, "type"),
    ]  # fmt: skip
    assert asked.certain("shop.Named") == [(f"{MAIN}/Item.java", 4, "inherit"), (f"{MAIN}/Repository.java", 3, "type")]
    assert asked.symbol("Item").doc == "A thing."


def test_members_lead_through_scopes_inheritance_and_generic_types(symbol_project):
    asked = symbol_project(FILES)

    (method,) = [each for each in asked.symbols.definitions("color") if each.kind == "method"]
    (field,) = [each for each in asked.symbols.definitions("color") if each.kind == "field"]
    assert [(each.path, each.line) for each in asked.symbols.references(method) if each.is_certain] == [
        (WEB, 20),
        (WEB, 21),
        (WEB, 22),
    ]
    assert [(each.path, each.line) for each in asked.symbols.references(field) if each.is_certain] == [
        (f"{MAIN}/Item.java", 8),
        (f"{MAIN}/Item.java", 10),
    ]
    assert asked.certain("Named.getName") == [(WEB, 25, "call")]
    assert asked.certain("ItemController.getName") == [(WEB, 23, "call")]
    assert asked.certain("Named.name") == [(f"{MAIN}/Named.java", 6, "read"), (f"{MAIN}/Named.java", 8, "write")]
    assert asked.certain("LIMIT") == [(WEB, 3, "import"), (WEB, 19, "read")]


def test_constants_parts_of_records_and_routes_are_found(symbol_project):
    asked = symbol_project(FILES)

    assert asked.certain("SMALL") == [(WEB, 25, "read"), (WEB, 31, "read")]
    assert asked.certain("Size.kind") == [(WEB, 26, "call")]
    assert asked.certain("ItemController.kind") == [(WEB, 24, "call")]
    assert (asked.symbol("/shown").kind, asked.symbol("/shown").line) == ("route", 15)


def test_overloads_are_told_apart_by_the_number_of_arguments_or_not_at_all(symbol_project):
    asked = symbol_project(FILES)
    one, two = sorted(asked.symbols.definitions("Named.rename"), key=lambda each: each.line)
    puts = asked.symbols.definitions("Named.put")

    assert [(each.path, each.line) for each in asked.symbols.references(one) if each.is_certain] == [
        (f"{MAIN}/Named.java", 10),
        (WEB, 18),
    ]
    assert [(each.path, each.line) for each in asked.symbols.references(two) if each.is_certain] == [(WEB, 19)]
    for each in puts:
        (found,) = asked.symbols.references(each)
        assert (found.line, found.is_certain) == (14, False)
        assert 0 < found.confidence < 1


def test_a_name_that_very_many_files_define_is_found_in_its_package(symbol_project, monkeypatch):
    monkeypatch.setattr("fieldguide.code.symbols.resolvers.java_kotlin_csharp.MOST_PACKAGE_FILES", 1)
    others = {f"a{number}/Entry.java": f"package a{number};\n\nclass Entry {{ }}\n" for number in range(3)}
    asked = symbol_project(
        {
            **others,
            "z/Entry.java": "package z;\n\nclass Entry { }\n",
            "z/Book.java": "package z;\n\nclass Book { Entry first; }\n",
        }
    )

    assert asked.certain("Entry", "z/Entry.java") == [("z/Book.java", 3, "type")]


def test_locals_that_share_a_name_are_seen_on_their_own_lines():
    text = "class A { B x; void f() {\n" + "g(x -> x.go());\n" * 300 + "x.stop();\n}}\n"

    facts = read_facts(text, "java")

    assert [(each.name, each.line) for each in facts.references if each.name == "x"] == [("x", 302)]
