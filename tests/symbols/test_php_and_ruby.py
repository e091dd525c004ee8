"""Definitions and uses in PHP and Ruby: what is plain is certain, and the rest are candidates."""

PHP_FILES = {
    "composer.json": '{"autoload": {"psr-4": {"Shop\\\\": "src/"}}}',
    "src/Price.php": (
        "<?php\n"
        "namespace Shop;\n"
        "/** What something costs. */\n"
        "class Price {\n"
        "    use Taxed;\n"
        "    const MOST = 10;\n"
        "    public function __construct(private int $amount) {}\n"
        "    public static function make(): self { return new self(1); }\n"
        "    public function net(): int { return $this->amount; }\n"
        "}\n"
    ),
    "src/Taxed.php": "<?php\nnamespace Shop;\ntrait Taxed {\n    function tax() { return 1; }\n}\n",
    "src/Carts/Cart.php": (
        "<?php\n"
        "namespace Shop\\Carts;\n"
        "use Shop\\Price as Cost;\n"
        "class Cart {\n"
        "    private ?Cost $first;\n"
        "    function pay($thing) {\n"
        "        $made = Cost::make();\n"
        "        return $made->net() + $this->first->tax() + Cost::MOST + $thing->net();\n"
        "    }\n"
        "}\n"
    ),
    "routes/web.php": "<?php\nRoute::get('/cart/{id}', [Cart::class, 'show']);\n",
}
RUBY_FILES = {
    "lib/shop/price.rb": (
        "module Shop\n"
        "  # What something costs.\n"
        "  class Price\n"
        "    attr_reader :amount\n"
        "    MOST = 10\n"
        "    def net\n"
        "      round(amount)\n"
        "    end\n"
        "  end\n"
        "end\n"
    ),
    "lib/shop/rounding.rb": "module Shop\n  class Price\n    def round(number)\n      number\n    end\n  end\nend\n",
    "lib/shop/cart.rb": (
        "module Shop\n"
        "  class Cart\n"
        "    def initialize\n"
        "      @first = Price.new\n"
        "    end\n"
        "    def pay(thing)\n"
        "      @first.net + thing.net + Shop::Price::MOST\n"
        "    end\n"
        "  end\n"
        "end\n"
    ),
    "config/routes.rb": 'Rails.application.routes.draw do\n  get "/carts/:id", to: "carts#show"\nend\n',
}


def test_php_follows_namespaces_traits_and_declared_types(symbol_project):
    asked = symbol_project(PHP_FILES)
    net = asked.references("Price.net")

    assert [(each.path, each.line, each.is_certain) for each in net] == [
        ("src/Carts/Cart.php", 8, True),
        ("src/Carts/Cart.php", 8, False),
    ]
    assert asked.certain("Taxed.tax") == [("src/Carts/Cart.php", 8, "call")]
    assert asked.certain("MOST") == [("src/Carts/Cart.php", 8, "read")]
    assert asked.certain("amount") == [("src/Price.php", 9, "read")]
    assert asked.certain("Price") == [
        ("src/Carts/Cart.php", 3, "import"),
        ("src/Carts/Cart.php", 5, "type"),
        ("src/Carts/Cart.php", 7, "read"),
        ("src/Carts/Cart.php", 8, "read"),
    ]
    assert asked.symbol("/cart/{id}").kind == "route"
    assert asked.symbol("Price").doc == "What something costs."


def test_ruby_follows_constants_and_classes_that_are_opened_again(symbol_project):
    asked = symbol_project(RUBY_FILES)

    assert [(each.path, each.line, each.is_certain) for each in asked.references("Price.net")] == [
        ("lib/shop/cart.rb", 7, True),
        ("lib/shop/cart.rb", 7, False),
    ]
    assert asked.certain("Price.round") == [("lib/shop/price.rb", 7, "call")]
    assert asked.certain("amount") == [("lib/shop/price.rb", 7, "read")]
    assert asked.certain("MOST") == [("lib/shop/cart.rb", 7, "read")]
    assert asked.symbols.definitions("Price", "lib/shop/price.rb")[0].doc == "What something costs."
    assert asked.symbol("/carts/:id").kind == "route"
