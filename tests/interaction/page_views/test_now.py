"""What agents asked and got, on the page: live, in totals, cleared, switched off, and never more than text."""

import json
import re
from pathlib import Path

import pytest

from fieldguide.spine.usage import USAGE_FILE, note_usage
from fieldguide.storage.state_folder import make_state_folder
from tests.browser.sites import ServedSite
from tests.interaction.page_views.conftest import HOSTILE, Page
from tests.projects import Project
from tests.proves import proves
from tests.raw_client import RawClient
from tests.servers import http_server

LINES = "".join(f"value_{number} = {number}\n" for number in range(100))
PROMPT = {"event": "prompt", "client": "claude-code", "session": "one", "tokens": 40}


class CountedProject:
    """A project that is served, and its file of usage."""

    def __init__(self, project, url):
        self.page = Page(url)
        self.root = project.root
        self.state = make_state_folder(str(project.root))
        self.file = Path(self.state) / USAGE_FILE

    def counts(self, *rows):
        for row in rows:
            note_usage(self.state, row)

    def clears(self):
        return self.page.post("/now/clear", csrf=self.page.csrf("/now?show=all"))

    def shows(self, part=""):
        return self.page.get(f"/now{part}").text


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    project = Project(tmp_path_factory.mktemp("usage"))
    project.write("src/values.py", LINES)
    with http_server(project.root, "--user", "ann") as url:
        yield CountedProject(project, url)


@pytest.fixture
def counted(served):
    """The same with nothing counted yet."""
    served.file.unlink(missing_ok=True)
    return served


def figures(text):
    return {
        said: int(number.replace(",", "")) for number, said in re.findall(r"<b>([\d,]+)</b> <span>(.*?)</span>", text)
    }


@proves("Z-73")
def test_what_was_asked_given_and_used_is_shown(counted):
    counted.counts(
        {**PROMPT, "asked": "change the first value", "given": ["src/values.py#L1-L10", "src/other.py"]},
        {**PROMPT, "asked": "something else", "tokens": 0},
        {"tool": "guide_open", "client": "tester", "asked": "src/values.py", "given": ["src/values.py#L1-L100"]},
        {"event": "after-edit", "client": "claude-code", "session": "one", "tokens": 0, "path": "src/values.py"},
        {"client": "tester", "calls": {"guide_open": 3}, "tokens": {"guide_open": 1_500}},
    )

    text = counted.shows("?show=all")
    told = figures(text)

    assert (told["files given"], told["of them then opened"]) == (2, 1)
    assert told["of them then edited, of 1 edited files"] == 1
    assert told["tokens sent"] == 1_540
    assert told["tokens of reading saved, an estimate"] > 0
    assert "the difference is saved if an agent reads the lines in place of the file" in text
    assert (
        '<code>prompt</code></th><td class="number">2</td><td class="number">1</td><td class="number">40</td>' in text
    )
    assert '<code>guide_open</code></th><td class="number">3</td><td class="number">1,500</td>' in text
    assert '<code>tester</code></th><td class="number">3</td>' in text
    assert 'href="/now" aria-current="page"' in text


@proves("Z-73")
def test_the_latest_questions_are_shown_newest_first_with_places_and_cost(counted):
    counted.counts(*({**PROMPT, "asked": f"question {number}."} for number in range(45)))
    counted.counts(
        {"tool": "guide_open", "client": "tester", "asked": "src/values.py", "given": ["src/values.py#L1-L100"]},
        {**PROMPT, "asked": "change it", "given": ["src/values.py#L1-L10"], "tokens": 40, "milliseconds": 12},
        {"event": "after-edit", "client": "claude-code", "session": "one", "path": "src/values.py"},
        {"client": "tester", "calls": {"guide_open": 3}, "tokens": {"guide_open": 1_500}},
    )

    text = counted.shows()
    entries = re.findall(r'<li class="entry.*?</p></li>', text)
    asked = re.findall(r"question (\d+)\.", text)

    assert len(entries) == 40
    assert ("Edited" in entries[0], "Opened" in entries[2]) == (True, True)
    assert "<bdi>change it</bdi>" in entries[1]
    assert 'href="/code/src/values.py?line=1-10#L1"' in entries[1]
    assert ("40 tokens · 12 ms" in entries[1], "claude-code" in entries[1]) == (True, True)
    assert asked == [str(number) for number in range(44, 7, -1)]
    assert figures(text)["of them then opened or edited"] == 1


@proves("Z-73")
def test_a_part_that_has_not_changed_is_not_sent_again(counted):
    counted.counts({**PROMPT, "asked": "first"})
    [stamp] = re.findall(r'data-stamp="([^"]+)"', counted.shows())

    same = counted.page.get("/now", X_Fragment="1", X_Seen=stamp)
    counted.counts({**PROMPT, "asked": "second"})
    other = counted.page.get("/now", X_Fragment="1", X_Seen=stamp)

    assert (same.status, same.text) == (204, "")
    assert (other.status, "second" in other.text, "<html" in other.text) == (200, True, False)


@proves("Z-73", "H-15")
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


@proves("Z-73")
def test_a_question_over_http_is_on_the_page_and_the_calls_of_the_page_are_not(counted):
    ServedSite(counted.page.url).call("guide_open", {"citation": "src/values.py#L4"})
    counted.page.get("/code/src/values.py")

    kept = [json.loads(line) for line in counted.file.read_text().splitlines()]

    assert [row["given"] for row in kept] == [["src/values.py#L4-L4"]]


@proves("Z-74")
def test_it_is_cleared_by_its_own_form_only(counted):
    counted.counts({**PROMPT, "asked": "keep me"})

    forged = counted.page.post("/now/clear", csrf="x" * 64)
    foreign = counted.page.post("/now/clear", headers=(("Sec-Fetch-Site", "cross-site"),))
    kept = counted.shows()
    cleared = counted.clears()

    assert (forged.status, foreign.status) == (403, 403)
    assert "keep me" in kept
    assert (cleared.status, cleared.headers["location"]) == (303, "/now")
    assert "Nothing was asked yet" in counted.shows()
    assert not counted.file.exists()
    assert "keep = false" in counted.shows("?show=all")


@proves("Z-74")
def test_where_usage_is_switched_off_only_the_calls_of_the_server_are_shown(tmp_path):
    project = Project(tmp_path / "project")
    project.write("a.py", "x = 1\n")
    (tmp_path / "config/fieldguide").mkdir(parents=True)
    (tmp_path / "config/fieldguide/config.toml").write_text("[usage]\nkeep = false\n")

    with http_server(project.root, extra_environment={"XDG_CONFIG_HOME": str(tmp_path / "config")}) as url:
        page = Page(url)

        text = page.get("/now").text

        assert "This server" in text
        assert "show=all" not in text
        assert page.post("/now/clear", csrf="x").status in (404, 405)


@proves("Z-74")
def test_a_read_only_page_shows_it_without_the_form(counted):
    counted.counts({**PROMPT, "asked": "look only"})

    with http_server(counted.root, "--user", "ann", "--read-only") as url:
        page = Page(url)
        text = page.get("/now").text

        assert "look only" in text
        assert "<form" not in text + page.get("/now?show=all").text
        assert page.post("/now/clear", csrf=counted.page.csrf("/now?show=all")).status == 405
        assert counted.file.exists()


@proves("Z-75")
def test_hostile_names_are_text(counted):
    hostile = {"client": HOSTILE, "asked": HOSTILE, "given": [HOSTILE, f"{HOSTILE}#L1-L2", "../../etc/passwd#L1-L2"]}
    counted.counts({**PROMPT, **hostile}, {"client": HOSTILE, "calls": {HOSTILE: 1}, "tokens": {HOSTILE: 2}})
    counted.counts({"event": HOSTILE, "day": HOSTILE, "session": HOSTILE, "tokens": 1})

    text = counted.shows() + counted.shows("?show=all")

    assert "<script>alert" not in text
    assert "<img src=x" not in text
    assert "\u202e" not in text
    assert "&lt;script&gt;" in text


@proves("Z-75")
def test_a_damaged_line_is_left_out(counted):
    counted.counts({**PROMPT, "asked": "still here"})
    with counted.file.open("a") as file:
        file.write(
            'nonsense\n[1]\n{"event": 3, "given": 7}\n{"calls": [], "tokens": "x", "day": {}}\n' + "[" * 5000 + "\n"
        )

    assert "still here" in counted.shows()
