"""Every tool, resource, prompt, completion, method and error, for everybody who must not see what is behind it."""

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from fieldguide.app import build_app
from fieldguide.settings.config import read_settings
from tests.isolation.facts import ABSENT, HIDDEN, NAMED, PRIVATE, write_project
from tests.isolation.service import (
    AUDIENCE,
    ISSUER,
    NOWHERE,
    OURS,
    THEIRS,
    Keys,
    Service,
    Session,
    Team,
    new_keys,
    unsigned,
)
from tests.isolation.surface import Probe, probes

TIMES = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z|\"searchTime\\*\": *[\d.]+|searchTime[^,}]*")
FEWEST_REVEALING = 35


class Ground(NamedTuple):
    """What every cell of the matrix stands on: the service, its probes, a session for each person."""

    team: Team
    service: Service
    probes: list[Probe]
    ann: Session
    carol: Session
    bob: Session
    reader: Session
    revoked: str


@pytest.fixture(scope="module")
def ground(postgres, tmp_path_factory) -> Iterator[Ground]:
    folder = tmp_path_factory.mktemp("service")
    team = Team(folder / "state", postgres.new_database())
    team.found(folder / "projects")
    tokens = {user: team.new_token(user) for user in ("ann", "carol", "bob")}
    reading = team.new_token("ann", "--scopes", "read")
    revoked = team.revoked_token("ann")
    with team.serving("--auth", "tokens") as service:
        homes = zip(tokens.values(), (OURS, OURS, THEIRS), strict=True)
        ann, carol, bob = (service.session(token, home) for token, home in homes)
        _keep_something(ann)
        asked = _probes(tmp_path_factory)
        yield Ground(team, service, asked, ann, carol, bob, service.session(reading, OURS), revoked)


def test_the_matrix_is_not_empty_its_owner_sees_what_the_others_must_not(ground):
    revealing = [each.name for each in ground.probes if not each.writes and HIDDEN in _asked(ground.ann, each)]

    assert len(revealing) >= FEWEST_REVEALING, revealing
    assert {probe.toolset for probe in ground.probes if probe.name in revealing} >= {
        "architecture", "context", "directive", "documents", "guide",
    }  # fmt: skip
    assert PRIVATE in _asked(ground.ann, _named(ground, "tool list_tasks"))


def test_nothing_of_one_project_shows_in_another(ground):
    shown = {probe.name: _asked(ground.bob, probe) for probe in ground.probes}

    assert [name for name, text in shown.items() if HIDDEN in text or PRIVATE in text] == []


def test_what_is_elsewhere_and_what_is_nowhere_are_the_same_answer(ground):
    differing = []
    for probe in (each for each in ground.probes if _names_things(each)):
        elsewhere, nowhere = (_asked(ground.bob, probe, named) for named in (NAMED, ABSENT))
        if elsewhere != nowhere.replace(ABSENT, NAMED):
            differing.append((probe.name, elsewhere[:300], nowhere[:300]))

    assert differing == []


def test_nothing_that_a_user_keeps_shows_to_another_user_of_the_project(ground):
    recent = _asked(ground.ann, Probe("", "resources/read", {"uri": "context://sessions/recent"}))
    session = recent.partition("Id: ")[2][:36]
    shown = {probe.name: _asked(ground.carol, probe) for probe in ground.probes}

    assert len(session) == 36
    assert [name for name, text in shown.items() if PRIVATE in text] == []
    assert [name for name, text in shown.items() if name.startswith("resource") and session in text] == []


def test_another_users_task_and_no_task_are_the_same_answer(ground):
    tasks = json.loads(_text(ground.ann.ask("tools/call", {"name": "list_tasks", "arguments": {}})))
    task = next(each for each in tasks if PRIVATE in each["title"])
    for tool, more in (("complete_task", {}), ("delete_task", {}), ("update_task", {"title": "Mine"})):
        theirs, none = (
            ground.carol.ask("tools/call", {"name": tool, "arguments": {"task_id": number, **more}}).text
            for number in (task["id"], 10**9)
        )
        assert theirs == none.replace(str(10**9), str(task["id"]))


def test_a_project_that_is_not_yours_is_not_there(ground):
    for probe in ground.probes:
        message = {"jsonrpc": "2.0", "id": 7, "method": probe.method, "params": probe.naming(NAMED)}
        foreign, absent = (ground.service.post(ground.bob.token, name, message) for name in (OURS, NOWHERE))
        assert _bytes(foreign) == _bytes(absent), probe.name
        assert foreign.status == 404


def test_a_session_of_another_is_not_there(ground):
    for probe in ground.probes[:10]:
        taken = ground.carol._replace(id=ground.ann.id)
        invented = ground.carol._replace(id=ground.ann.id[::-1])
        assert _bytes(taken.ask(probe.method, probe.naming(NAMED))) == _bytes(
            invented.ask(probe.method, probe.naming(NAMED))
        )


def test_who_shows_no_good_token_learns_nothing(ground):
    bad = {"none": None, "unknown": f"fgt_{'a' * 12}_{'x' * 48}", "revoked": ground.revoked, "empty": ""}
    _assert_learns_nothing(ground.service, ground.probes, bad)


def test_a_reading_token_changes_nothing(ground):
    before = _asked(ground.ann, _named(ground, "tool list_tasks"))
    for probe in ground.probes:
        answer = ground.reader.ask(probe.method, probe.naming(NAMED))
        if probe.writes:
            assert "denied" in answer.text.lower() or "scope" in answer.text.lower(), (probe.name, answer.text)
    listed = json.loads(ground.reader.ask("tools/list", {}).text)["result"]["tools"]

    assert {tool["name"] for tool in listed}.isdisjoint(probe.params["name"] for probe in ground.probes if probe.writes)
    assert _asked(ground.ann, _named(ground, "tool list_tasks")) == before


def test_no_bad_signed_token_gets_in(ground, tmp_path):
    keys = new_keys()
    (tmp_path / "jwks.json").write_text(keys.jwks())
    good = keys.token()
    with ground.team.serving("--auth", "jwt", *_jwt_flags(tmp_path)) as service:
        assert HIDDEN in _asked(service.session(good, OURS), _named(ground, "tool guide_search"))
        _assert_learns_nothing(service, ground.probes, _bad_tokens(keys, good))


def _bad_tokens(keys: Keys, good: str) -> dict[str, str | None]:
    return {
        "none": None,
        "expired": keys.token(exp=1_000_000),
        "forged": keys.token(is_forged=True),
        "another audience": keys.token(aud="https://elsewhere.example.org/mcp"),
        "another issuer": keys.token(iss="https://elsewhere.example.org"),
        "alg none": unsigned(good),
        "changed": good[:-6] + "AAAAAA",
        "nobody": keys.token(sub=""),
    }


def _jwt_flags(folder: Any) -> list[str]:
    return ["--jwt-issuer", ISSUER, "--jwt-audience", AUDIENCE, "--jwt-keys", str(folder / "jwks.json")]


def _assert_learns_nothing(service: Service, asked: list[Probe], bad: dict[str, str | None]) -> None:
    """Whoever shows one of these is told the same for a project that is there and for one that is not."""
    for what, token in bad.items():
        for probe in asked:
            message = {"jsonrpc": "2.0", "id": 7, "method": probe.method, "params": probe.naming(NAMED)}
            there, absent = (service.post(token, name, message) for name in (OURS, NOWHERE))
            assert there.status == 401, (what, probe.name, there.text)
            assert _bytes(there).replace(OURS, NOWHERE) == _bytes(absent), (what, probe.name)
            assert HIDDEN not in there.text


def _keep_something(ann: Session) -> None:
    """What only ann may see: a task and a session that read a file; and a finding, which the project shares."""
    for name, arguments in (
        ("add_task", {"title": f"Hide the {PRIVATE}"}),
        ("read_file", {"path": f"src/{NAMED}.py"}),
        ("guide_record", {"type": "issue", "content": f"The door sticks: {HIDDEN}.", "module": "src"}),
    ):
        answer = ann.ask("tools/call", {"name": name, "arguments": arguments})
        assert '"isError": true' not in answer.text, answer.text


def _probes(tmp_path_factory: pytest.TempPathFactory) -> list[Probe]:
    root = tmp_path_factory.mktemp("reference")
    write_project(root, HIDDEN, NAMED)
    return probes(build_app(read_settings({"project": str(root)}, {})))


def _named(ground: Ground, name: str) -> Probe:
    return next(each for each in ground.probes if each.name == name)


def _names_things(probe: Probe) -> bool:
    """Whether a probe asks for something by its name, and not in words, which rank what is there by every letter."""
    return not probe.writes and probe.method != "prompts/get" and "How is the" not in json.dumps(probe.params)


def _asked(session: Session, probe: Probe, named: str = NAMED) -> str:
    """What is answered, the time of day and how long it took aside."""
    return TIMES.sub("", session.ask(probe.method, probe.naming(named)).text)


def _text(answer: Any) -> str:
    text: str = json.loads(answer.text)["result"]["content"][0]["text"]
    return text


def _bytes(answer: Any) -> str:
    """Everything that a client can tell answers apart by, the time of day aside."""
    headers = {name: value for name, value in answer.headers.items() if name != "date"}
    return json.dumps([answer.status, headers, answer.text])
