"""Files that a name is likely in are read before their turn, for whoever asks while the others wait."""

from fieldguide.code.symbols.index import count_waiting, read_likely_files
from tests.symbols.indexed_symbols import NAMESPACE, SymbolProject

FILES = {
    "shop/prices.py": "def total_price(items):\n    return sum(items)\n",
    "shop/cart.py": "from shop.prices import total_price\n\n\ndef pay():\n    return total_price([1])\n",
    **{f"other/part{number}.py": f"def thing_{number}():\n    return {number}\n" for number in range(30)},
}


def test_what_has_the_name_is_read_first_and_the_rest_in_its_turn(engine, project):
    made = SymbolProject(engine, project, FILES)

    read = read_likely_files(engine, NAMESPACE, "shop.prices.total_price")

    assert 2 <= read < len(FILES)
    assert made.symbol("total_price").path == "shop/prices.py"
    assert made.symbols.definitions("thing_3") == []
    assert read_likely_files(engine, NAMESPACE, "total_price") == 0, "once for each content"
    assert made.bring_up() == len(FILES) - read
    with engine.database.reading() as transaction:
        assert count_waiting(transaction, NAMESPACE) == (len(FILES), len(FILES))
    assert ("shop/cart.py", 5, "call") in made.certain("total_price")


def test_nothing_is_read_of_an_index_that_has_nothing(engine):
    assert read_likely_files(engine, NAMESPACE, "total_price") == 0
    assert read_likely_files(engine, NAMESPACE, "\0::") == 0
