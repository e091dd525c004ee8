"""`guide_symbol`: where a name is defined and who uses it, and the other tools that tell of symbols."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from fieldguide.spine.tool import compact_json
from fieldguide.text.tokens import count_exact_tokens
from tests.document_wires import Ask, Told, ask_over_stdio
from tests.git_projects import GitProject
from tests.processes import eventually

ALL = ("--toolsets", "architecture,context,documents,guide,tasks")
CODE = {
    "garden/__init__.py": "",
    "garden/plants.py": "LIGHT_HOURS = 8\n\n\nclass Plant:\n    def water(self, litres: int) -> int:\n"
    '        """Give it water."""\n        return pour(litres)\n\n\nclass Fern(Plant):\n'
    "    def water(self, litres: int) -> int:\n        return litres\n\n\ndef pour(litres: int) -> int:\n"
    "    return litres\n",
    "garden/care.py": "from garden.plants import LIGHT_HOURS, Plant\n\n\ndef care_for(plant: Plant) -> int:\n"
    "    return plant.water(LIGHT_HOURS)\n\n\ndef guess(thing):\n    thing.water(3)\n",
    "garden/mail.py": "class Letter:\n    def send(self):\n        return 1\n",
    "tests/test_plants.py": "from garden.plants import Plant\n\n\ndef test_it_is_watered():\n"
    "    assert Plant().water(1) == 1\n",
    "tests/test_care.py": "from garden.care import care_for\nfrom garden.plants import Fern\n\n\n"
    "def test_care():\n    care_for(Fern())\n",
    "pyproject.toml": "[project.scripts]\npour = 'garden.plants:pour'\nother = 'x.repour:pourer'\n",
    "docs/plants.md": "# Plants\n\nEvery plant follows `LIGHT_HOURS`.\n",
    **{f"shop/part{number}.py": "class Part:\n    def size_of(self):\n        return 1\n" for number in range(6)},
}


def planted(root: Path) -> GitProject:
    made = GitProject(root)
    for path, text in CODE.items():
        made.write(path, text)
    made.commit_all("Plant a garden")
    return made


@pytest.fixture
def garden(project) -> GitProject:
    return planted(project.root)


@pytest.fixture
def ask(garden):
    with ask_over_stdio(garden, *ALL) as asking:
        yield asking


@pytest.fixture(scope="module")
def shared(tmp_path_factory) -> Iterator[Ask]:
    """A garden that is only asked about."""
    made = planted(tmp_path_factory.mktemp("garden"))
    with ask_over_stdio(made, *ALL) as asking:
        indexed(asking, "care_for")
        yield asking


def indexed(ask: Ask, name: str, **more: object) -> Told:
    """The first answer of a whole index, which is made beside the first calls."""
    whole: list[Told] = []

    def is_whole() -> bool:
        told = ask("guide_symbol", name=name, **more) if not whole else whole[0]
        if not told.is_error and "indexing" not in told.structured:
            whole[:] = [told]
        return bool(whole)

    assert eventually(is_whole)
    return whole[0]


def places(told: Told, group: str) -> list[tuple[str, int]]:
    found = [each for each in told.structured["uses"] if each["group"] == group]
    return [(each["path"], line["line"]) for each in found for line in each["lines"]]


def test_a_method_is_told_with_who_calls_overrides_and_tests_it(ask):
    assert eventually(lambda: places(indexed(ask, "Plant.water"), "tests") != [])
    told = indexed(ask, "Plant.water")

    definition = told.structured["items"][0]
    assert (definition["path"], definition["start"], definition["symbol"]) == ("garden/plants.py", 5, "Plant.water")
    assert places(told, "calls") == [("garden/care.py", 5), ("garden/care.py", 9)], "the surest first"
    assert places(told, "overrides") == [("garden/plants.py", 11)]
    assert ("tests/test_plants.py", 5) in places(told, "tests")
    assert any(path == "tests/test_care.py" for path, _ in places(told, "tests")), "one step out"
    assert places(told, "callees") == [("garden/plants.py", 15)]
    sure, unsure = (line for each in told.structured["uses"] if each["group"] == "calls" for line in each["lines"])
    assert "confidence" not in sure
    assert 0 < unsure["confidence"] < 1
    assert "Give it water." in told.texts[0]
    assert "garden/care.py\n  L5 care_for: return plant.water(LIGHT_HOURS)\n" in told.texts[0]


def test_a_constant_and_a_class_are_told_with_imports_reads_types_heirs_and_documents(shared):
    assert eventually(lambda: places(indexed(shared, "LIGHT_HOURS"), "documents") != [])
    constant, plant = indexed(shared, "LIGHT_HOURS"), indexed(shared, "garden.plants.Plant")

    assert eventually(lambda: places(indexed(shared, "pour"), "configuration") == [("pyproject.toml", 2)])
    assert places(constant, "imports") == [("garden/care.py", 1)]
    assert places(constant, "reads") == [("garden/care.py", 5)]
    assert places(constant, "documents")[0][0] == "docs/plants.md"
    assert places(plant, "inherits") == [("garden/plants.py", 10)]
    assert places(plant, "types") == [("garden/care.py", 4)]


def test_many_of_one_name_are_listed_and_a_path_chooses_one(shared):
    many, one = indexed(shared, "size_of"), indexed(shared, "size_of", path="shop/part3.py")

    assert [each["path"] for each in many.structured["items"]] == [f"shop/part{number}.py" for number in range(6)]
    assert "6 definitions have this name." in many.texts[0]
    assert [each["path"] for each in one.structured["items"]] == ["shop/part3.py"]
    assert "return 1" in one.texts[0]
    assert len(indexed(shared, "water").structured["items"]) == 2


NEAR = (
    ({"name": "care_fro"}, ["care_for"]),
    ({"name": "care_for", "path": "shop"}, ["garden/care.py"]),
    ({"name": "Plant.waters"}, ["water"]),
    ({"name": "nothing_like_it"}, None),
)
ODD = (" ", "", "a" * 100_000, "\0", "::", "symbol:", "../../etc/passwd", "'; DROP x; --")


def test_a_name_that_nothing_has_is_refused_with_what_is_near(shared):
    for given, near in NEAR:
        said = json.loads(shared("guide_symbol", **given).error)
        assert (said["error"], said.get("didYouMean")) == ("No such symbol", near)
        assert bool(near) == ("open" in said)
        for citation in said.get("open", ()):
            assert "def " in shared("guide_open", citation=citation).texts[0]
    for name in ODD:
        assert shared("guide_symbol", name=name).is_error, name


def test_an_answer_keeps_its_budget(shared):
    for budget in (200, 300, 500, 2_000, 50_000):
        for name in ("Plant.water", "size_of", "Plant", "LIGHT_HOURS"):
            told = shared("guide_symbol", name=name, budget=budget)

            assert count_exact_tokens(told.sentence) <= budget
            assert count_exact_tokens(compact_json(told.structured)) <= budget
            assert told == shared("guide_symbol", name=name, budget=budget)
    for budget in (0, 199, 50_001):
        assert "The budget must be from 200" in shared("guide_symbol", name="Plant", budget=budget).error


def test_what_does_not_fit_is_counted(garden):
    garden.write("garden/many.py", "from garden.plants import pour\n\n" + "pour(1)\n" * 300)
    with ask_over_stdio(garden, *ALL) as ask:
        indexed(ask, "pour")
        assert eventually(
            lambda: "more uses fit a larger budget" in ask("guide_symbol", name="pour", budget=400).texts[0]
        )
        told = ask("guide_symbol", name="pour", budget=400)

    shown = sum(len(each["lines"]) for each in told.structured["uses"])
    left = int(told.structured["notes"][-1].partition(" ")[0])
    assert shown + left >= 300


def test_a_name_in_more_files_than_are_looked_at_says_so(garden):
    for number in range(160):
        garden.write(f"much/part{number}.py", "def use(it):\n    it.send()\n    it.send = 1\n")
    for number in range(4):
        garden.write(f"post/kind{number}.py", "class Post:\n    def send(self):\n        return 2\n")
    with ask_over_stdio(garden, *ALL) as ask:
        assert eventually(lambda: "files with this name the 150 nearest" in indexed(ask, "Letter.send").texts[0])


def test_a_symbol_is_opened_by_its_name(shared):
    told = shared("guide_open", citation="symbol:Fern.water")
    both = shared("guide_open", citation="symbol:water\nsymbol:pour")

    (item,) = told.structured["items"]
    assert (item["path"], item["start"], item["end"], item["symbol"]) == ("garden/plants.py", 11, 12, "Fern.water")
    assert "11:     def water(self, litres: int) -> int:" in told.texts[0]
    assert "@" in item["citation"]
    assert len(both.structured["items"]) == 3
    assert shared("guide_open", citation="Fern.water").structured == told.structured
    missing = shared("guide_open", citation="symbol:Fern.watr")
    assert missing.is_error
    assert "No such symbol" in missing.texts[0]


def test_a_saved_file_is_told_of_as_it_is_now(ask, garden):
    indexed(ask, "care_for")

    garden.write("garden/new.py", "from garden.plants import pour\n\n\ndef flood():\n    return pour(99)\n")
    assert eventually(lambda: ("garden/new.py", 5) in places(indexed(ask, "pour"), "calls"))
    assert eventually(lambda: not ask("guide_symbol", name="flood").is_error, every=1.5)

    (garden.root / "garden/new.py").unlink()
    assert places(ask("guide_symbol", name="pour"), "calls") == [("garden/plants.py", 7)], "also before it is indexed"
    assert eventually(lambda: ask("guide_symbol", name="flood").is_error, every=1.5)
    assert eventually(lambda: places(indexed(ask, "pour"), "calls") == [("garden/plants.py", 7)])
