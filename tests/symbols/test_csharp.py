"""C#: who uses what, through namespaces, parts of classes, properties and attributes."""

FILES = {
    "Shop/Item.cs": """namespace Shop.Model
{
    /// <summary>A thing.</summary>
    public partial class Item : Named
    {
        public const int Limit = 3;
        public Price Price { get; set; }
        public Item(string name) : base(name) { Count(); }
    }

    public class Named
    {
        protected readonly string label;
        public Named(string label) { this.label = label; }
        public virtual string Show() => label;
    }

    public record Price(int Amount, Kind Kind);

    public enum Kind { Small, Large }
}
""",
    "Shop/Item.More.cs": """namespace Shop.Model;

public partial class Item
{
    private int Count() { return Price.Amount; }

    public Item With(Price price) => new Item(label) { Price = price };

    public Item With(Price price, Kind kind) => With(price);
}
""",
    "Shop/Text.cs": """namespace Shop;

public static class Text
{
    public static string Shout(this Model.Item item, int times = 1) => item.Show();
}

public class AuditedAttribute : System.Attribute { }
""",
    "Web/ShopController.cs": """using System.Collections.Generic;
using System.Linq;
using Shop;
using Shop.Model;

namespace Web.Controllers;

[Audited]
public class ShopController
{
    private readonly List<Item> _items;

    [HttpGet("items")]
    public string Get(Kind kind)
    {
        var first = _items.Where(each => each.Price.Amount > Item.Limit).First();
        foreach (var item in _items) { item.With(null); }
        if (kind == Kind.Small && first is Named named) { named.Show(); }
        first.Changed += Handle;
        return first?.Shout(2) ?? first.With(null, Kind.Large).Show();
    }

    private void Handle(object sender) { }
}
""",
}
ITEM, MORE, TEXT, WEB = "Shop/Item.cs", "Shop/Item.More.cs", "Shop/Text.cs", "Web/ShopController.cs"


def test_members_are_found_in_all_parts_of_a_class(symbol_project):
    asked = symbol_project(FILES)

    assert asked.certain("Item.Count") == [(ITEM, 8, "call")]
    (held,) = [each for each in asked.symbols.definitions("Price") if each.kind == "field"]
    assert [(each.path, each.line) for each in asked.symbols.references(held) if each.is_certain] == [
        (MORE, 5),
        (MORE, 7),
        (WEB, 16),
    ]
    assert asked.certain("Price.Amount") == [(MORE, 5, "read"), (WEB, 16, "read")]
    assert asked.certain("Named.label") == [(MORE, 7, "read"), (ITEM, 14, "write"), (ITEM, 15, "read")]
    one, two = sorted(asked.symbols.definitions("Item.With"), key=lambda each: each.line)
    assert [(each.path, each.line) for each in asked.symbols.references(one) if each.is_certain] == [
        (MORE, 9),
        (WEB, 17),
    ]
    assert [(each.path, each.line) for each in asked.symbols.references(two) if each.is_certain] == [(WEB, 20)]


def test_names_lead_through_namespaces_and_what_a_file_uses(symbol_project):
    asked = symbol_project(FILES)

    assert asked.certain("Kind.Small") == [(WEB, 18, "read")]
    assert asked.certain("Item.Limit") == [(WEB, 16, "read")]
    assert asked.certain("Named") == [(ITEM, 4, "inherit"), (WEB, 18, "type")]
    assert asked.certain("Named.Show") == [(TEXT, 5, "call"), (WEB, 18, "call"), (WEB, 20, "call")]
    assert asked.certain("ShopController.Handle") == [(WEB, 19, "read")]


def test_what_extends_a_type_attributes_and_routes_are_found(symbol_project):
    asked = symbol_project(FILES)

    assert asked.certain("Shout") == [(WEB, 20, "call")]
    assert asked.certain("AuditedAttribute") == [(WEB, 8, "type")]
    assert (asked.symbol("items").kind, asked.symbol("items").line) == ("route", 13)
    assert asked.symbols.definitions("Item", ITEM)[0].doc == "A thing."
