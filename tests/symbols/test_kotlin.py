"""Kotlin: who uses what, through packages, constructors, companions and what extends a type."""

FILES = {
    "src/shop/Item.kt": """package shop

/** A thing. */
data class Item(val name: String, var price: Price, color: String) : Named(name) {
    private val shown = color

    fun raise(by: Int = 1): Price = price.plus(by)

    companion object {
        const val LIMIT = 3
        fun free() = Item("x", Price(0), "red")
    }
}

open class Named(val label: String)

class Price(val amount: Int) {
    fun plus(by: Int) = Price(amount + by)
}

object Registry {
    val all = mutableListOf<Item>()
    fun add(item: Item) { all.add(item) }
}

enum class Kind { SMALL, LARGE }
""",
    "src/shop/Text.kt": """package shop

fun Item.shout(): String = this.name.uppercase() + label

val Item.half: Int get() = price.amount / 2

fun total(items: List<Item>): Int = items.sumOf { it.price.amount }
""",
    "src/web/Shop.kt": """package web

import shop.Item
import shop.Kind
import shop.Registry
import shop.shout
import shop.total as sum

class Shop(private val items: List<Item>) {
    @GetMapping("/listed")
    fun show(kind: Kind?): Int {
        val item = Item.free()
        item.price = item.raise()
        items.forEach { each -> each.raise(2) }
        items.firstOrNull()?.let { println(it.shout()) }
        Registry.add(item)
        when (kind) {
            Kind.SMALL -> return Item.LIMIT
            else -> {}
        }
        return sum(items)
    }
}
""",
    "src/web/Page.java": """package web;

class Page {
    Shop shop = new Shop(null);

    int size() { return shop.show(null); }
}
""",
}
ITEM, TEXT, SHOP = "src/shop/Item.kt", "src/shop/Text.kt", "src/web/Shop.kt"


def test_classes_and_their_members_are_found(symbol_project):
    asked = symbol_project(FILES)

    assert asked.certain("Item.price") == [(ITEM, 7, "read"), (TEXT, 5, "read"), (TEXT, 7, "read"), (SHOP, 13, "write")]
    assert asked.certain("Price.amount") == [(ITEM, 18, "read"), (TEXT, 5, "read"), (TEXT, 7, "read")]
    assert asked.certain("raise") == [(SHOP, 13, "call"), (SHOP, 14, "call")]
    assert asked.certain("Named") == [(ITEM, 4, "inherit")]
    assert asked.certain("label") == [(TEXT, 3, "read")]
    assert asked.certain("Price") == [(ITEM, 4, "type"), (ITEM, 7, "type"), (ITEM, 11, "call"), (ITEM, 18, "call")]
    assert asked.symbol("Item").doc == "A thing."


def test_companions_objects_and_what_extends_a_type_are_found(symbol_project):
    asked = symbol_project(FILES)

    assert asked.certain("free") == [(SHOP, 12, "call")]
    assert asked.certain("LIMIT") == [(SHOP, 18, "read")]
    assert asked.certain("Registry.add") == [(SHOP, 16, "call")]
    assert asked.certain("Kind.SMALL") == [(SHOP, 18, "read")]
    assert asked.certain("shout") == [(SHOP, 6, "import"), (SHOP, 15, "call")]
    assert asked.certain("total") == [(SHOP, 7, "import"), (SHOP, 21, "call")]
    assert asked.certain("Item.name") == [(ITEM, 4, "read"), (TEXT, 3, "read")]


def test_java_uses_what_kotlin_defines(symbol_project):
    asked = symbol_project(FILES)

    assert asked.certain("Shop.show") == [("src/web/Page.java", 6, "call")]
    assert asked.certain("Shop") == [("src/web/Page.java", 4, "type"), ("src/web/Page.java", 4, "call")]
    assert (asked.symbol("/listed").kind, asked.symbol("/listed").line) == ("route", 10)
