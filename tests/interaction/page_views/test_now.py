"""What agents asked and got, on the page: live, cleared, switched off, and never more than text."""

import json
import re
from pathlib import Path

import pytest

from fieldguide.spine.questions import QUESTIONS_FILE, append_question
from fieldguide.storage.state_folder import make_state_folder
from tests.browser.sites import ServedSite
from tests.interaction.page_views.conftest import HOSTILE, Page
from tests.projects import Project
from tests.raw_client import RawClient
from tests.servers import http_server

LINES = "".join(f"value_{number} = {number}\n" for number in range(100))
ASKED = {"tool": "guide_brief", "client": "claude-code", "tokens": 40}


class CountedProject:
    """A project that is served, and its file of questions."""

    def __init__(self, project, url):
        self.page = Page(url)
        self.root = project.root
        self.state = make_state_folder(str(project.root))
        self.file = Path(self.state) / QUESTIONS_FILE

    def counts(self, *rows):
        for row in rows:
            append_question(self.state, row)

    def clears(self):
        return self.page.post("/now/clear", csrf=self.page.csrf("/now"))

    def shows(self, part=""):
        return self.page.get(f"/now{part}").text


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    project = Project(tmp_path_factory.mktemp("questions"))
    project.write("src/values.py", LINES)
    with http_server(project.root, "--user", "ann") as url:
        yield CountedProject(project, url)


@pytest.fixture
def counted(served):
    """The same with nothing counted yet."""
    served.file.unlink(missing_ok=True)
    return served


def test_the_latest_questions_are_shown_newest_first_with_places_and_cost(counted):
    counted.counts(*({**ASKED, "asked": f"question {number}."} for number in range(45)))
    counted.counts(
        {"tool": "guide_open", "client": "tester", "asked": "src/values.py", "given": ["src/values.py#L1-L100"]},
        {**ASKED, "asked": "change it", "given": ["src/values.py#L1-L10"], "tokens": 40, "milliseconds": 12},
    )

    text = counted.shows()
    entries = re.findall(r'<li class="entry.*?</p></li>', text)
    asked = re.findall(r"question (\d+)\.", text)

    assert len(entries) == 40
    assert "<bdi>change it</bdi>" in entries[0]
    assert 'href="/code/src/values.py?line=1-10#L1"' in entries[0]
    assert ("40 tokens · 12 ms" in entries[0], "claude-code" in entries[0]) == (True, True)
    assert "Opened" in entries[1]
    assert asked == [str(number) for number in range(44, 6, -1)]


def test_a_part_that_has_not_changed_is_not_sent_again(counted):
    counted.counts({**ASKED, "asked": "first"})
    [stamp] = re.findall(r'data-stamp="([^"]+)"', counted.shows())

    same = counted.page.get("/now", X_Fragment="1", X_Seen=stamp)
    counted.counts({**ASKED, "asked": "second"})
    other = counted.page.get("/now", X_Fragment="1", X_Seen=stamp)

    assert (same.status, same.text) == (204, "")
    assert (other.status, "second" in other.text, "<html" in other.text) == (200, True, False)


def test_a_question_of_an_agent_is_on_the_page_with_its_places(counted):
    with RawClient(counted.root) as client:
        client.request("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={"name": "tester"})
        client.request("tools/call", name="guide_open", arguments={"citation": "src/values.py#L2"})
        client.request("tools/call", name="guide_symbol", arguments={"name": "value_3"})

        kept = [json.loads(line) for line in counted.file.read_text().splitlines()]

    assert kept[0]["given"] == ["src/values.py#L2-L2"]
    assert (kept[1]["tool"], kept[1]["asked"]) == ("guide_symbol", "value_3")
    assert kept[1]["tokens"] > 0
    text = counted.shows()
    assert "<bdi>value_3</bdi>" in text
    assert '<span class="client">tester</span>' in text
    assert "value_1 = 1" not in counted.file.read_text()


def test_a_question_over_http_is_on_the_page_and_the_calls_of_the_page_are_not(counted):
    ServedSite(counted.page.url).call("guide_open", {"citation": "src/values.py#L4"})
    counted.page.get("/code/src/values.py")

    kept = [json.loads(line) for line in counted.file.read_text().splitlines()]

    assert [row["given"] for row in kept] == [["src/values.py#L4-L4"]]


def test_it_is_cleared_by_its_own_form_only(counted):
    counted.counts({**ASKED, "asked": "keep me"})

    forged = counted.page.post("/now/clear", csrf="x" * 64)
    foreign = counted.page.post("/now/clear", headers=(("Sec-Fetch-Site", "cross-site"),))
    kept = counted.shows()
    cleared = counted.clears()

    assert (forged.status, foreign.status) == (403, 403)
    assert "keep me" in kept
    assert (cleared.status, cleared.headers["location"]) == (303, "/now")
    assert "Nothing was asked yet" in counted.shows()
    assert not counted.file.exists()
    assert "keep = false" in counted.shows()


def test_where_questions_are_not_kept_only_the_calls_of_the_server_are_shown(tmp_path):
    project = Project(tmp_path / "project")
    project.write("a.py", "x = 1\n")
    (tmp_path / "config/fieldguide").mkdir(parents=True)
    (tmp_path / "config/fieldguide/config.toml").write_text("[questions]\nkeep = false\n")

    with http_server(project.root, extra_environment={"XDG_CONFIG_HOME": str(tmp_path / "config")}) as url:
        page = Page(url)

        text = page.get("/now").text

        assert "This server" in text
        assert "show=calls" not in text
        assert page.post("/now/clear", csrf="x").status in (404, 405)


def test_a_read_only_page_shows_it_without_the_form(counted):
    counted.counts({**ASKED, "asked": "look only"})

    with http_server(counted.root, "--user", "ann", "--read-only") as url:
        page = Page(url)
        text = page.get("/now").text

        assert "look only" in text
        assert "<form" not in text
        assert page.post("/now/clear", csrf=counted.page.csrf("/now")).status == 405
        assert counted.file.exists()


def test_hostile_names_are_text(counted):
    hostile = {"client": HOSTILE, "asked": HOSTILE, "given": [HOSTILE, f"{HOSTILE}#L1-L2", "../../etc/passwd#L1-L2"]}
    counted.counts({**ASKED, **hostile}, {"tool": HOSTILE, "day": HOSTILE, "at": HOSTILE, "tokens": 1})

    text = counted.shows()

    assert "<script>alert" not in text
    assert "<img src=x" not in text
    assert "\u202e" not in text
    assert "&lt;script&gt;" in text


def test_a_damaged_line_is_left_out(counted):
    counted.counts({**ASKED, "asked": "still here"})
    with counted.file.open("a") as file:
        file.write(
            'nonsense\n[1]\n{"tool": 3, "given": 7}\n{"calls": [], "tokens": "x", "day": {}}\n' + "[" * 5000 + "\n"
        )

    assert "still here" in counted.shows()
