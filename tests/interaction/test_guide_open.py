"""`guide_open`: what a citation names, with line numbers and within a budget, or what became of it."""

import json
import os
from pathlib import Path

import pytest

from fieldguide.spine.tool import compact_json
from fieldguide.text.tokens import count_exact_tokens
from tests.cited import cited_lines, cited_whole
from tests.document_wires import FERNS, FOXES, Ask, Told, ask_by_command, ask_over_stdio
from tests.git_projects import GitProject
from tests.hostile.live_values import github_token
from tests.servers import run

ALL = ("--toolsets", "architecture,context,documents,guide,tasks")
CODE = '''\
"""Ferns."""


# How much water a fern takes.
class Fern:
    """A fern."""

    @property
    def water(self):
        """Litres."""
        return 3

    def grow(self, days):
        height = days * 2
        return height


def main():
    print(Fern().grow(3))
'''
LONG = "".join(f"line {number} of the long file\n" for number in range(1, 3_001))


def garden_in(root: Path) -> GitProject:
    """A project with a history of one commit."""
    root.mkdir()
    project = GitProject(root)
    project.write("src/fern.py", CODE)
    project.write("docs/ferns.md", FERNS)
    project.git("add", "--all")
    project.git("commit", "--quiet", "--message", "Plant ferns")
    return project


@pytest.fixture
def git(tmp_path):
    return garden_in(tmp_path / "garden")


@pytest.fixture
def ask(git):
    with ask_over_stdio(git, *ALL) as asking:
        yield asking


@pytest.fixture(scope="module")
def garden(tmp_path_factory):
    """One for all tests that only open: with files that are long, and with some that nobody may open."""
    folder = tmp_path_factory.mktemp("gardens")
    (folder / "outside.txt").write_text("not yours", encoding="utf-8")
    project = garden_in(folder / "garden")
    project.write("long.txt", LONG)
    project.write("wide.txt", "{}[]" * 40_000 + "\nnarrow\n")
    project.write("src/long.py", "def long():\n" + "".join(f"    step_{n}()\n" for n in range(900)))
    project.write(".env", "SECRET=1\n")
    project.write("picture.png", b"\x89PNG\r\n\x1a\n\x00\x00\xff\xfe" * 50)
    (project.root / "linked.txt").symlink_to(".env")
    (project.root / "leaving.txt").symlink_to("../outside.txt")
    with (project.root / "huge.txt").open("wb") as huge:
        os.truncate(huge.fileno(), 17 << 20)
    return project


@pytest.fixture(scope="module")
def reading(garden):
    with ask_over_stdio(garden, *ALL) as asking:
        yield asking


def item(told: Told) -> dict[str, object]:
    [found] = told.structured["items"]
    return dict(found)


def opened(ask: Ask, citation: str, **more: object) -> Told:
    told = ask("guide_open", citation=citation, **more)
    assert not told.is_error, told.texts
    return told


def test_an_outline_lists_what_a_file_declares_and_the_headings_of_a_document(reading):
    told = opened(reading, "src/fern.py\ndocs/ferns.md", form="outline")
    code, document = told.structured["items"]

    assert [entry[2].split("(")[0] for entry in code["outline"]] == [
        "class Fern",
        "  def water",
        "  def grow",
        "def main",
    ]
    assert [entry[:2] for entry in code["outline"]][-1] == [18, 19]
    assert (code["shown"], code["start"], code["end"]) == (False, 1, 19)
    assert document["outline"][0][2] == "Ferns"
    assert "18-19: def main()" in told.texts[0]
    assert "print(Fern()" not in told.texts[0]


def test_an_outline_keeps_its_budget_and_counts_what_it_left_out(garden, reading):
    many = "".join(f"def step_{number}(one, two, three):\n    return {number}\n\n\n" for number in range(200))
    garden.write("many.py", many)
    told = opened(reading, "many.py", form="outline", budget=400)

    assert count_exact_tokens(told.texts[0]) <= 400
    assert told.structured["left_out"] + len(told.structured["items"][0]["outline"]) == 200
    refused = reading("guide_open", citation="\n".join(["src/fern.py"] * 20), form="outline", budget=200)
    assert "The citations alone take more than the budget" in refused.error


@pytest.mark.parametrize(
    ("form", "start", "end"),
    [
        ("src/fern.py#L13-L15", 13, 15),
        ("src/fern.py#L13", 13, 13),
        ("src/fern.py:13", 13, 13),
        ("src/fern.py:13-15", 13, 15),
        ("src/fern.py:13:4", 13, 13),
        ("./src/fern.py#L13-L999", 13, 19),
        ("src/fern.py", 1, 19),
    ],
)
def test_every_form_of_a_citation_opens_its_lines_with_their_numbers(reading, form, start, end):
    told = opened(reading, form)
    found = item(told)

    lines = CODE.split("\n")[start - 1 : end]
    assert (found["path"], found["start"], found["end"], found["kind"]) == ("src/fern.py", start, end, "code")
    assert found["citation"] == cited_lines("src/fern.py", CODE, start, end)
    assert found["text"] == "\n".join(lines)
    numbered = "\n".join(f"{number}: {line}" for number, line in enumerate(lines, start))
    assert told.texts == [f"{found['citation']}: {found['why']}\n{numbered}\n"]
    assert item(opened(reading, str(found["citation"])))["why"] == "as cited"


@pytest.mark.parametrize(
    ("citation", "around", "start", "end", "name"),
    [
        ("src/fern.py#L14", "symbol", 13, 15, "Fern.grow"),
        ("src/fern.py#L8", "symbol", 8, 11, "Fern.water"),
        ("src/fern.py#L4-L5", "symbol", 4, 15, "Fern"),
        ("src/fern.py#L8-L15", "symbol", 5, 15, "Fern"),
        ("src/fern.py#L19", "section", 18, 19, "main"),
        ("docs/ferns.md#L7", "section", 5, 8, "Watering"),
        ("docs/ferns.md#L7-L11", "section", 5, 12, "Watering"),
        ("docs/ferns.md#L11", "symbol", 9, 12, "In summer"),
    ],
)
def test_the_section_or_the_symbol_around_it_is_given_when_asked(reading, citation, around, start, end, name):
    found = item(opened(reading, citation, around=around))

    assert (found["start"], found["end"], found["symbol"]) == (start, end, name)
    text = CODE if citation.startswith("src") else FERNS
    assert found["citation"] == cited_lines(str(found["path"]), text, start, end)


def test_what_nothing_encloses_is_given_as_it_was_cited(reading):
    found = item(opened(reading, "src/fern.py#L1", around="symbol"))

    assert (found["start"], found["end"]) == (1, 1)
    assert "nothing encloses it" in str(found["why"])


@pytest.mark.parametrize("budget", [200, 201, 350, 1_000, 4_000, 50_000])
def test_no_answer_exceeds_its_budget_and_the_rest_is_cited(garden, reading, budget):
    got, citation = "", "long.txt"
    for _ in range(4):
        told = opened(reading, citation, budget=budget)
        assert max(count_exact_tokens(told.texts[0]), count_exact_tokens(compact_json(told.structured))) <= budget
        got += f"{item(told)['text']}\n"
        if "next" not in told.structured:
            break
        citation = told.structured["next"]
        assert citation in told.texts[0]
    wide = opened(reading, "wide.txt", budget=budget)

    assert LONG.startswith(got)
    assert max(count_exact_tokens(wide.texts[0]), count_exact_tokens(compact_json(wide.structured))) <= budget
    assert str(item(wide)["text"]) == ("{}[]" * 40_000)[: len(str(item(wide)["text"]))]
    assert wide.structured["next"] == cited_lines("wide.txt", (garden.root / "wide.txt").read_text(), 2, 2)


def test_several_citations_are_opened_at_once_and_those_that_do_not_fit_are_left_to_go_on_with(reading):
    both = opened(reading, "src/fern.py#L1\n\ndocs/ferns.md#L1-L3")
    few = opened(reading, "long.txt\ndocs/ferns.md#L1-L3", budget=300)
    rest = few.structured["next"].split("\n")

    assert [each["path"] for each in both.structured["items"]] == ["src/fern.py", "docs/ferns.md"]
    assert [each["path"] for each in few.structured["items"]] == ["long.txt"]
    assert rest[1] == cited_lines("docs/ferns.md", FERNS, 1, 3)
    assert reading("guide_open", citation="\n".join(["docs/ferns.md"] * 21)).is_error


def test_what_is_asked_for_comes_first_where_what_encloses_it_does_not_fit(reading):
    found = item(opened(reading, "src/long.py#L800-L801", around="symbol", budget=300))

    assert (found["start"], found["symbol"]) == (800, "long")


def test_lines_that_moved_are_found_again(git, ask):
    cited = cited_lines("src/fern.py", CODE, 13, 15)
    git.write("src/fern.py", "import os\n\n\n" + CODE)
    told = opened(ask, cited)
    found = item(told)

    moved = cited_lines("src/fern.py", "import os\n\n\n" + CODE, 16, 18)
    assert (found["status"], found["cited"], found["citation"]) == ("moved", cited, moved)
    assert found["why"] == "moved from L13-L15"
    assert found["text"] == "\n".join(CODE.split("\n")[12:15])
    assert f"{moved}: moved from L13-L15\n16: " in told.texts[0]


def test_lines_are_found_in_a_file_that_git_renamed(git):
    cited = cited_lines("src/fern.py", CODE, 13, 15)
    git.git("mv", "src/fern.py", "src/plant.py")
    git.git("commit", "--quiet", "--message", "Call ferns plants")
    with ask_over_stdio(git, *ALL) as ask:
        found = item(opened(ask, cited))

    assert (found["path"], found["status"]) == ("src/plant.py", "moved")
    assert found["why"] == "moved from src/fern.py#L13-L15"
    assert found["citation"] == cited_lines("src/plant.py", CODE, 13, 15)


def test_lines_that_changed_are_given_as_they_are_now(project):
    project.write("a.txt", "one\ntwo\nthree\n")
    cited = cited_lines("a.txt", "one\ntwo\nthree\n", 2, 3)
    project.write("a.txt", "one\n2\n3\n")
    found = item(opened(ask_by_command(project, *ALL), cited))

    assert (found["status"], found["text"]) == ("changed", "2\n3")


def test_what_is_gone_is_told_with_the_commit_that_took_it(git, ask):
    cited = cited_lines("src/fern.py", CODE, 13, 15)
    git.git("rm", "--quiet", "src/fern.py")
    git.git("commit", "--quiet", "--message", "Ferns are gone")
    told = opened(ask, cited)
    short = git.git("rev-parse", "--short", "HEAD")

    said = f"src/fern.py was removed by {short} (Ferns are gone)"
    assert told.structured == {"items": [], "gone": [{"citation": cited, "status": "gone", "said": said}]}
    assert told.texts == [f"{cited}: {said}\n"]


def test_a_file_that_ends_earlier_now_is_told(git, ask):
    cited = cited_lines("src/fern.py", CODE, 18, 19)
    git.write("src/fern.py", "# nothing\n")
    told = opened(ask, cited)

    assert told.structured["gone"][0]["said"] == "src/fern.py has 1 lines now, and these were found nowhere else"


def test_findings_are_opened_by_their_ids(ask):
    text = "Water ferns at the root.\nNever from above."
    recorded = ask("guide_record", type="rule", content=text).value
    found = item(opened(ask, f"finding://{recorded['id']}"))

    assert (found["kind"], found["text"]) == ("finding", text)
    assert found["citation"] == cited_whole(f"finding://{recorded['id']}", text)
    assert item(opened(ask, str(found["citation"])))["text"] == text
    assert item(opened(ask, f"finding://{recorded['id']}#L2"))["text"] == "Never from above."
    assert ask("guide_open", citation="finding://nobody").is_error


def test_a_user_opens_their_own_tasks_and_nobody_elses(project):
    for user, title in (("ann", "Ann's own"), ("bob", "Bob's own")):
        run("tasks", "add", title, "--project", project.root, "--user", user)
    with ask_over_stdio(project, *ALL, "--user", "bob") as bob:
        tasks = bob("list_tasks").value
        own = item(opened(bob, f"task://{tasks[0]['id']}"))
        foreign = bob("guide_open", citation="task://1")
    nobody = ask_by_command(project, *ALL)("guide_open", citation="task://1")

    assert (own["kind"], own["text"]) == ("task", "Bob's own")
    for refused in (foreign, nobody):
        assert json.loads(refused.error) == {"error": "Not found", "citation": "task://1", "tool": "guide_open"}


@pytest.mark.parametrize(
    ("citation", "error"),
    [
        (".env", "Permission denied"),
        (".env#L1-L1@00000000", "Permission denied"),
        ("linked.txt#L1", "Permission denied"),
        ("../outside.txt", "Path traversal not allowed"),
        ("src/../../outside.txt#L1", "Path traversal not allowed"),
        ("/etc/passwd", "Absolute paths not allowed"),
        ("leaving.txt", "Path traversal not allowed"),
        ("picture.png#L1", "Not a text file"),
        ("huge.txt", "File too large"),
        ("src", "Not a readable file"),
        ("src/fern.py#L400-L410", "Lines not found"),
        ("src/fern.py#L0", "Not found"),
        ("nothing\x00.txt", "Not found"),
        ("finding://\x00", "Not found"),
        ("nothing.txt#L1-L2@12345678", "Not found"),
        (" \n ", "The citation is blank."),
    ],
)
def test_what_may_not_be_read_is_refused_as_read_file_refuses_it(reading, citation, error):
    told = json.loads(reading("guide_open", citation=citation).error)

    assert (told["error"], told["tool"]) == (error, "guide_open")
    assert "SECRET" not in json.dumps(told)


def test_near_names_are_told(git):
    run("index", "--project", git.root, *ALL)
    told = json.loads(ask_by_command(git, *ALL)("guide_open", citation="src/ferns.py:3").error)

    assert told["didYouMean"] == ["src/fern.py"]


def test_no_secret_comes_back_from_history(git, ask):
    token = github_token()
    git.write(".env.py", f"TOKEN = '{token}'\n")
    git.write("src/key.py", f"# a key\nTOKEN = '{token}'\nprint(TOKEN)\n")
    git.git("add", "--force", "--all")
    git.git("commit", "--quiet", "--message", "Add keys")
    whole = f"# a key\nTOKEN = '{token}'\nprint(TOKEN)\n"
    cited = cited_lines("src/key.py", whole, 1, 3)
    hidden = cited_lines(".env.py", f"TOKEN = '{token}'\n", 1, 1)
    git.write("src/key.py", "# a key\nTOKEN = read()\nprint(TOKEN)\n")

    found = opened(ask, cited)
    refused = ask("guide_open", citation=hidden)

    assert item(found)["status"] == "changed"
    assert token not in json.dumps([found.texts, found.structured, refused.texts])
    assert refused.is_error


def test_what_looks_like_a_secret_in_an_open_file_is_given_as_it_is_with_a_warning(git, ask):
    git.write("notes.md", f"# Notes\n\ntoken {github_token()}\n")
    told = opened(ask, "notes.md")

    assert item(told)["text"] == f"# Notes\n\ntoken {github_token()}"
    assert "like a live secret" in told.structured["warnings"][0]


def test_documents_that_are_no_files_of_the_project_are_opened_by_what_the_tools_cite(project, tmp_path, own_home):
    outside = tmp_path / "handbook"
    outside.mkdir()
    (outside / "foxes.md").write_text(FOXES, encoding="utf-8")
    run("documents", "add", "--global", "handbook", outside, "--project", project.root)
    run("index", "--project", project.root)
    with ask_over_stdio(project, *ALL) as ask:
        [hit, *_] = ask("documents_search", query="fox den below trees").value
        found = item(opened(ask, hit["citation"]))

    assert hit["citation"].startswith("handbook:foxes.md#L")
    assert (found["citation"], found["kind"]) == (hit["citation"], "document")
    assert str(found["text"]) == hit["content"]
