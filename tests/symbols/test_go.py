"""Go: who uses what, through packages, receivers, literals and embedded types."""

from fieldguide.toolsets.guide.symbol import name_kind

FILES = {
    "go.mod": "module example.com/shop\n",
    "store/store.go": """package store

// Store keeps things.
type Store struct {
	Base
	Limit int
	items map[string]*Item
	next  func() *Item
}

type Item struct{ Name string }

type Base struct{ Root string }

func (b *Base) Open() error { return nil }

func New(limit int) (*Store, error) {
	s := &Store{Limit: limit, items: map[string]*Item{"a": {Name: "a"}}}
	return s, s.Open()
}

func Open() {}
""",
    "store/find.go": """package store

func (s *Store) Find(name string) *Item {
	if item, ok := s.items[name]; ok {
		return item
	}
	for _, each := range s.items {
		each.Name = name
	}
	return nil
}
""",
    "store/find_test.go": """package store

func TestFind(t *testing.T) {
	New := func() {}
	New()
}
""",
    "cmd/main.go": """package main

import (
	st "example.com/shop/store"
	"github.com/spf13/cobra"
)

var root = &cobra.Command{Use: "shop [flags]"}

type finder interface{ Find(name string) *st.Item }

func main() {
	s, err := st.New(3)
	if err != nil {
		return
	}
	item := s.Find("a")
	println(item.Name, s.Limit, s.Root, s.Open())
	router.GET("/shown", show)
	var f finder = s
	f.Find("b")
}

func show() {}
""",
}


def test_names_lead_through_the_files_of_a_package(symbol_project):
    asked = symbol_project(FILES)

    assert asked.certain("New") == [("cmd/main.go", 13, "call")]
    assert asked.certain("Item") == [
        ("cmd/main.go", 10, "type"),
        ("store/find.go", 3, "type"),
        ("store/store.go", 7, "type"),
        ("store/store.go", 8, "type"),
        ("store/store.go", 18, "call"),
    ]


def test_types_have_the_kinds_that_the_language_calls_them(symbol_project):
    asked = symbol_project(FILES)

    assert [name_kind(asked.symbol(name)) for name in ("Store", "Item", "finder")] == ["struct", "struct", "interface"]


def test_methods_lead_through_their_receivers_wherever_they_stand(symbol_project):
    asked = symbol_project(FILES)

    assert asked.symbol("Store.Find").path == "store/find.go"
    assert asked.certain("Store.Find") == [("cmd/main.go", 17, "call")]
    assert asked.certain("finder.Find") == [("cmd/main.go", 21, "call")]


def test_fields_lead_through_literals_elements_and_embedded_types(symbol_project):
    asked = symbol_project(FILES)

    assert asked.certain("Store.Limit") == [("cmd/main.go", 18, "read"), ("store/store.go", 18, "write")]
    assert asked.certain("Item.Name") == [
        ("cmd/main.go", 18, "read"),
        ("store/find.go", 8, "write"),
        ("store/store.go", 18, "write"),
    ]
    assert asked.certain("Base.Root") == [("cmd/main.go", 18, "read")]
    assert asked.certain("Base.Open") == [("cmd/main.go", 18, "call"), ("store/store.go", 19, "call")]
    (function,) = [each for each in asked.symbols.definitions("Open") if each.kind == "function"]
    assert asked.symbols.references(function) == []


def test_routes_and_commands_are_symbols(symbol_project):
    asked = symbol_project(FILES)

    assert (asked.symbol("/shown").kind, asked.symbol("/shown").line) == ("route", 19)
    assert (asked.symbol("shop").kind, asked.symbol("shop").line) == ("command", 8)
    assert asked.symbol("Store").doc == "Store keeps things."
    assert asked.symbol("New").signature == "func New(limit int) (*Store, error)"


def test_a_type_implements_an_interface_by_its_methods(symbol_project):
    asked = symbol_project(FILES)

    above, _ = asked.symbols.overrides(asked.symbol("Store.Find"))
    _, below = asked.symbols.overrides(asked.symbol("finder"))

    assert [each.qualified for each in above] == ["finder.Find"]
    assert [each.qualified for each in below] == ["Store"]


def test_an_interface_is_found_by_a_method_that_many_other_types_have(symbol_project, monkeypatch):
    monkeypatch.setattr("fieldguide.code.symbols.resolvers.c_go.MOST_INTERFACE_FILES", 1)
    asked = symbol_project(
        {
            "go.mod": "module example.com/shop\n",
            "a/other.go": "package a\n\ntype Door struct{}\n\nfunc (d *Door) Close(hard bool) {}\n",
            "b/gate.go": "package b\n\ntype Gate struct{}\n\nfunc (g *Gate) Close() {}\n",
            "z/closer.go": "package z\n\ntype closer interface {\n\tClose()\n}\n",
        }
    )

    above, _ = asked.symbols.overrides(asked.symbol("Gate.Close"))

    assert [each.qualified for each in above] == ["closer.Close"]


def test_an_embedded_type_is_found_beside_many_other_uses(symbol_project, monkeypatch):
    monkeypatch.setattr("fieldguide.code.symbols.resolvers.resolver.MOST_FILES", 1)
    asked = symbol_project(
        {
            "go.mod": "module example.com/shop\n",
            "shop/a.go": "package shop\n\nfunc open(base *Base) {}\n",
            "shop/base.go": "package shop\n\ntype Base struct{}\n",
            "shop/store.go": "package shop\n\ntype Store struct {\n\tBase\n}\n",
        }
    )

    _, below = asked.symbols.overrides(asked.symbol("Base", "shop/base.go"))

    assert [each.qualified for each in below] == ["Store"]


def test_a_name_that_very_many_files_define_is_found_in_its_package(symbol_project, monkeypatch):
    others = {f"a{number}/other.go": f"package a{number}\n\nfunc Close() {{}}\n" for number in range(3)}
    asked = symbol_project(
        {
            **others,
            "go.mod": "module example.com/shop\n",
            "z/first.go": "package z\n\nfunc Close() {}\n",
            "z/second.go": "package z\n\nfunc run() { Close() }\n",
            "z/below/other.go": "package z\n\nfunc Close() {}\n",
            "main.go": "package main\n\nfunc Open() {}\n",
            "start.go": "package main\n\nfunc start() { Open() }\n",
        }
    )

    assert asked.certain("Close", "z/first.go") == [("z/second.go", 3, "call")]
    assert asked.certain("Close", "z/below/other.go") == []
    assert asked.certain("Open", "main.go") == [("start.go", 3, "call")]
