"""Another local user gets nothing from the port: MCP asks for the token, and the token's file is its owner's alone."""

import os
import stat
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.raw_http import INITIALIZE, ask, get, host_of, send
from tests.servers import FIELDGUIDE, TOKEN, environment, http_server


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with http_server(tmp_path_factory.mktemp("named-so"), "--toolsets", "directive") as url:
        yield url


@pytest.mark.parametrize(
    "shown",
    [
        "",
        "Bearer",
        "Bearer ",
        f"Bearer {TOKEN[:-1]}",
        f"Bearer {TOKEN}x",
        f"Bearer {TOKEN.upper()}",
        f"Bearer {TOKEN} {TOKEN}",
        f"Basic {TOKEN}",
        TOKEN,
        "Bearer \xe9\xff",
    ],
)
def test_mcp_without_the_whole_token_is_refused_with_the_way_out(server, shown):
    refused = ask(server, INITIALIZE, Authorization=shown)

    assert refused.status == 401
    assert refused.headers["www-authenticate"].startswith("Bearer")
    assert "Authorization: Bearer TOKEN" in refused.sentence
    assert "FIELDGUIDE_TOKEN" in refused.sentence
    assert "named-so" not in refused.text


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE", "PUT", "OPTIONS", "HEAD"])
@pytest.mark.parametrize("path", ["/mcp", "/mcp/", "//mcp", "/%6dcp", "/link", "/tasks", "/x/../mcp"])
def test_no_way_to_write_a_request_goes_around_the_token(server, method, path):
    assert send(server, method, path, [("Host", host_of(server))]).status == 401


def test_a_token_in_the_address_or_twice_counts_for_nothing(server):
    host = ("Host", host_of(server))
    bearer = ("Authorization", f"Bearer {TOKEN}")

    for query in ("token", "access_token", "link", "authorization"):
        assert send(server, "POST", f"/mcp?{query}={TOKEN}", [host, ("Content-Length", "0")]).status == 401
    assert send(server, "GET", "/mcp", [host, bearer, bearer]).status == 401


def test_the_token_lets_in_and_its_scheme_may_be_written_in_any_case(server):
    assert ask(server, INITIALIZE).status == 200
    assert ask(server, INITIALIZE, Authorization=f"bEARER {TOKEN}").status == 200


def test_health_is_open_and_tells_nothing_of_the_project(server):
    health = get(server, "/healthz")

    assert health.status == 200
    assert health.headers["cache-control"] == "no-store"
    assert "named-so" not in health.text


def test_a_client_that_looks_for_a_login_finds_none(server):
    assert get(server, "/.well-known/oauth-protected-resource/mcp").status == 404


def serve(tmp_path, *flags, **variables):
    """A start that fails: its exit code and what it said."""
    given = {name: value for name, value in environment().items() if name != "FIELDGUIDE_TOKEN"}
    done = subprocess.run(
        [FIELDGUIDE, "serve", "--project", str(tmp_path), "--http", "127.0.0.1:0", *flags],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**given, "FIELDGUIDE_STATE": str(tmp_path / "state"), **variables},
    )
    assert "Traceback" not in done.stderr
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    ("token", "sentence"),
    [
        (" ", "fewer than 16 characters"),
        ("fifteen-letters", "fewer than 16 characters"),
        ("a token with blanks in it", "letters, digits"),
        ('sixteen-letters"; rm -rf', "letters, digits"),
        ("x" * 513, "at most 512"),
    ],
)
def test_a_token_that_is_none_is_refused_with_a_sentence(tmp_path, token, sentence):
    code, told = serve(tmp_path, FIELDGUIDE_TOKEN=token)

    assert code == 2
    assert sentence in told


def own_token(tmp_path, *flags, named=None):
    """A server without FIELDGUIDE_TOKEN, which keeps a token of its own below a state folder."""
    kept = {"FIELDGUIDE_STATE": str(tmp_path / "state"), "FIELDGUIDE_TOKEN": named}
    return http_server(tmp_path, "--toolsets", "directive", *flags, extra_environment=kept)


def test_without_one_a_random_token_is_kept_for_the_next_start_and_for_its_owner_alone(tmp_path):
    file = tmp_path / "state" / "http" / "token"
    old = os.umask(0)
    try:
        with own_token(tmp_path) as url:
            first = file.read_text().strip()
            assert ask(url, INITIALIZE, Authorization=f"Bearer {first}").status == 200
            assert ask(url, INITIALIZE).status == 401
        with own_token(tmp_path) as url:
            assert ask(url, INITIALIZE, Authorization=f"Bearer {first}").status == 200
    finally:
        os.umask(old)

    assert len(first) >= 43
    assert file.read_text().strip() == first
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(file.parent.parent.stat().st_mode) == 0o700
    assert os.listdir(file.parent) == ["token"]


def test_an_empty_token_in_the_environment_is_none(tmp_path):
    with own_token(tmp_path, named="") as url:
        kept = (tmp_path / "state" / "http" / "token").read_text().strip()

        assert ask(url, INITIALIZE, Authorization=f"Bearer {kept}").status == 200
        assert ask(url, INITIALIZE, Authorization="Bearer ").status == 401


def test_servers_that_start_at_once_keep_one_token(tmp_path):
    def started(_):
        with own_token(tmp_path) as url:
            token = (tmp_path / "state" / "http" / "token").read_text().strip()
            return ask(url, INITIALIZE, Authorization=f"Bearer {token}").status

    with ThreadPoolExecutor(3) as threads:
        assert list(threads.map(started, range(3))) == [200] * 3


def an_open_file(folder):
    (folder / "token").write_text("x" * 40)
    (folder / "token").chmod(0o644)


def a_link(folder):
    (folder.parent / "elsewhere").write_text("x" * 40)
    (folder.parent / "elsewhere").chmod(0o600)
    (folder / "token").symlink_to(folder.parent / "elsewhere")


def a_pipe(folder):
    os.mkfifo(folder / "token", 0o600)


def a_folder(folder):
    (folder / "token").mkdir(0o700)


def a_short_token(folder):
    (folder / "token").write_text("short\n")
    (folder / "token").chmod(0o600)


def an_open_folder(folder):
    folder.chmod(0o755)


def a_linked_folder(folder):
    folder.rename(folder.with_name("other"))
    folder.symlink_to(folder.with_name("other"))


@pytest.mark.parametrize(
    ("prepare", "sentence"),
    [
        (an_open_file, "open to other users"),
        (a_link, "can't be read"),
        (a_pipe, "not a plain file"),
        (a_folder, "not a plain file"),
        (a_short_token, "fewer than 16 characters"),
        (an_open_folder, "open to other users"),
        (a_linked_folder, "not a folder of its own"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_token_file_that_others_may_have_laid_is_refused_and_left_alone(tmp_path, prepare, sentence):
    folder = tmp_path / "state" / "http"
    folder.mkdir(parents=True, mode=0o700)
    prepare(folder)
    before = sorted(os.listdir(folder))

    code, told = serve(tmp_path)

    assert code == 2
    assert sentence in told
    assert sorted(os.listdir(folder)) == before


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file to another user")
@pytest.mark.parametrize("path", ["", "token"])
def test_a_token_of_another_user_is_refused(tmp_path, path):
    folder = tmp_path / "state" / "http"
    folder.mkdir(parents=True, mode=0o700)
    (folder / "token").write_text("x" * 40)
    (folder / "token").chmod(0o600)
    os.chown(folder / path, 65534, 65534)

    code, told = serve(tmp_path)

    assert code == 2
    assert "belongs to another user" in told


def test_no_token_is_given_up_only_by_a_flag_that_says_what_that_gives_up(tmp_path):
    (tmp_path / "fieldguide.toml").write_text("no_token = true\n")
    with http_server(tmp_path) as asking:
        assert ask(asking, INITIALIZE, Authorization="").status == 401
    (tmp_path / "fieldguide.toml").unlink()

    process = subprocess.Popen(
        [FIELDGUIDE, "serve", "--project", str(tmp_path), "--http", "127.0.0.1:0", "--no-token"],
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    )
    assert process.stderr is not None
    lines = [process.stderr.readline()]
    while "url =" not in lines[-1]:
        lines.append(process.stderr.readline())
    url = next(line for line in lines if line.startswith("Connect a client to ")).split()[-1]
    opened, page = ask(url, INITIALIZE, Authorization=""), get(url, "/")
    process.terminate()
    process.communicate(timeout=60)

    told = "".join(lines)
    assert "every user and program on this machine can use this server" in told
    assert "Bearer" not in told
    assert (opened.status, page.status) == (200, 200)
    assert "Bearer" not in page.text
