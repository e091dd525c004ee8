"""Whom a fetch reaches: the public internet and what a person named, judged at every hop, after the name server."""

import json
import socket
import ssl

import pytest

from fieldguide.settings.limits import Limits
from fieldguide.text.errors import Misconfiguration, Unreadable
from fieldguide.toolsets.documents.fetch_policy import (
    FetchBudget,
    HostPolicy,
    is_public,
    read_address,
    read_named_host,
    read_named_hosts,
)
from fieldguide.toolsets.documents.fetching import read_typed_host
from fieldguide.toolsets.documents.web_source import WebSource
from tests.document_sources import web_server
from tests.hostile.rude_servers import rude_server, saying

REFUSED = "is not on the public internet"
PUBLIC = "93.184.216.34"
NOT_PUBLIC = (
    "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.100.100.200", "127.0.0.1", "127.255.255.254", "168.63.129.16",
    "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.192", "192.0.2.1", "192.168.1.5", "198.18.0.1",
    "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255", "::", "::1",
    "::127.0.0.1", "::7f00:1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:a9fe:a9fe", "64:ff9b::7f00:1",
    "64:ff9b::10.0.0.1", "64:ff9b:1::1", "100::1", "2001::1", "2001:db8::1", "2002:7f00:1::1", "2002:808:808::1",
    "3fff::1", "5f00::1", "fc00::1", "fd00:ec2::254", "fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1",
)  # fmt: skip
OF_THE_INTERNET = (
    PUBLIC, "8.8.8.8", "172.32.0.1", "100.128.0.1", "2606:4700::1", "2a00:1450:4001::1", "::ffff:8.8.8.8",
    "64:ff9b::808:808",
)  # fmt: skip
PAGE = b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n# One\n"


@pytest.fixture(autouse=True)
def _own_home(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.delenv("FIELDGUIDE_FETCH_ALLOW", raising=False)


@pytest.fixture
def web():
    with web_server() as server:
        yield server


def port_of(web):
    return web.address.rpartition(":")[2]


def manifest(*files, **more):
    return json.dumps({"name": "n", "version": "1", "sources": {"files": list(files)}, **more}).encode()


class NameServer:
    """Answers by a table, and the last answer again when there is no other; remembers what was asked."""

    def __init__(self, **answers):
        self.answers = {name.replace("_", "."): list(given) for name, given in answers.items()}
        self.asked = []

    def __call__(self, host, port):
        self.asked.append(host)
        answers = self.answers.get(host)
        if answers is None:
            raise socket.gaierror(socket.EAI_NONAME, "unknown")
        return answers.pop(0) if len(answers) > 1 else answers[0]


def source(address, names, *named):
    reach = HostPolicy([read_named_host(each) for each in named], resolve=names)
    return WebSource(address, reach=reach, budget=FetchBudget(Limits()))


def test_an_address_of_a_machine_a_network_or_a_cloud_is_not_public():
    assert [text for text in NOT_PUBLIC if (address := read_address(text)) is None or is_public(address)] == []


def test_an_address_of_the_internet_is_public():
    assert [text for text in OF_THE_INTERNET if not ((address := read_address(text)) and is_public(address))] == []


@pytest.mark.parametrize(
    "host",
    ["2130706433", "0x7f000001", "0177.0.0.1", "127.1", "127.0.0.1.", "localhost.", "LOCALHOST.", "0", "ⓛocalhost.",
     "１２７.0.0.1", "[::ffff:7f00:1%25lo]"],
)  # fmt: skip
def test_an_odd_spelling_of_loopback_is_judged_by_where_it_leads(fieldguide, web, host):
    done = fieldguide("documents", "add", "x", f"http://{host}:{port_of(web)}/manifest.json", code=1)

    assert REFUSED in done.err or "can't be found" in done.err
    assert web.asked == []


def test_who_types_an_address_names_it_for_this_time_and_is_told_how_to_keep_it(fieldguide, web):
    web.pages = {"/manifest.json": manifest("one.md"), "/one.md": b"# One\n"}
    named = f"127.0.0.1:{port_of(web)}"

    added = fieldguide("documents", "add", "docs", f"{web.address}/manifest.json")
    web.asked.clear()
    refused = fieldguide("documents", "sync", code=1)
    asked = web.paths()
    allowed = fieldguide("documents", "sync", "--allow-address", "10.0.0.0/8", "--allow-address", named)

    assert f"`documents sync` reaches it with --allow-address {named}" in added.err
    assert f"127.0.0.1 {REFUSED}. If you mean it, say --allow-address {named}" in refused.err
    assert refused.err.endswith("What was there is kept.\n")
    assert asked == []
    assert allowed.out == "docs  0 added, 0 updated, 0 removed, 1 in total\n"


def test_a_person_s_own_settings_name_hosts(fieldguide, web, tmp_path):
    web.pages = {"/manifest.json": manifest("one.md"), "/one.md": b"# One\n"}
    (tmp_path / "config" / "fieldguide").mkdir(parents=True)
    (tmp_path / "config" / "fieldguide" / "config.toml").write_text('[fetch]\nallow = ["127.0.0.0/8"]\n')

    added = fieldguide("documents", "add", "docs", f"{web.address}/manifest.json")
    fieldguide("documents", "sync")

    assert added.err == ""


def test_a_project_s_settings_name_none(fieldguide, web, project):
    web.pages = {"/manifest.json": manifest("one.md"), "/one.md": b"# One\n"}
    project.write("fieldguide.toml", '[fetch]\nallow = ["127.0.0.0/8"]\n')
    fieldguide("documents", "add", "docs", f"{web.address}/manifest.json")

    assert REFUSED in fieldguide("documents", "sync", code=1).err


def test_a_redirect_to_another_service_of_this_machine_is_not_followed(fieldguide, web):
    with web_server() as other:
        other.pages = {"/manifest.json": manifest("one.md"), "/one.md": b"# One\n"}
        web.pages = {"/manifest.json": f"{other.address}/manifest.json"}

        done = fieldguide("documents", "add", "docs", f"{web.address}/manifest.json", code=1)

        assert REFUSED in done.err
        assert (web.paths(), other.asked) == (["/manifest.json"], [])


@pytest.mark.parametrize("where", ["{other}/far.md", "http://169.254.169.254/latest/meta-data/", "http://[::1]:1/x"])
def test_a_file_that_a_manifest_names_is_judged_too(fieldguide, web, where):
    with web_server() as other:
        other.pages = {"/far.md": b"# Far\n"}
        web.pages = {"/manifest.json": manifest("one.md"), "/one.md": b"# One\n"}
        fieldguide("documents", "add", "docs", f"{web.address}/manifest.json")
        web.pages["/manifest.json"] = manifest("one.md", {"url": where.format(other=other.address)})

        done = fieldguide("documents", "sync", "--allow-address", f"127.0.0.1:{port_of(web)}", code=1)

        assert REFUSED in done.err
        assert other.asked == []
        assert "one.md" in fieldguide("call", "documents_list_documents", '{"collection": "docs"}').out


def test_a_base_url_is_judged_too(fieldguide, web):
    with web_server() as other:
        web.pages = {"/manifest.json": manifest("one.md", baseUrl=other.address)}

        assert REFUSED in fieldguide("documents", "add", "docs", f"{web.address}/manifest.json", code=1).err
        assert other.asked == []


def test_one_bad_address_among_good_ones_is_enough():
    names = NameServer(docs_example=[[PUBLIC, "127.0.0.1"]])

    with pytest.raises(Unreadable, match=r"docs.example is at 127.0.0.1, which is not on the public internet"):
        source("http://docs.example/manifest.json", names).snapshot()


@pytest.mark.parametrize("answers", [[[]], [[PUBLIC] * 1 + [f"93.184.217.{number}" for number in range(80)]]])
def test_a_name_server_that_says_nothing_or_far_too_much_is_not_believed(answers):
    with pytest.raises(Unreadable, match=r"docs.example can't be found"):
        source("http://docs.example/manifest.json", NameServer(docs_example=answers)).snapshot()


def test_a_host_is_looked_up_once_and_its_second_answer_counts_for_nothing(web):
    web.pages = {"/one.md": b"# One\n"}
    names = NameServer(docs_example=[["127.0.0.1"], ["192.0.2.1"]])
    address = f"http://docs.example:{port_of(web)}"

    content = source(f"{address}/manifest.json", names, "docs.example").fetch(f"{address}/one.md")

    assert content == b"# One\n"
    assert names.asked == ["docs.example"]
    assert web.asked[0][1]["Host"] == f"docs.example:{port_of(web)}"


def test_the_host_of_a_redirect_is_looked_up_and_judged(web):
    web.pages = {"/one.md": "http://inside.example/one.md"}
    names = NameServer(docs_example=[["127.0.0.1"]], inside_example=[["10.0.0.7"]])
    address = f"http://docs.example:{port_of(web)}"

    with pytest.raises(Unreadable, match=r"inside.example is at 10.0.0.7, which is not on the public internet"):
        source(f"{address}/manifest.json", names, "docs.example").fetch(f"{address}/one.md")


def test_an_encrypted_host_is_proved_by_its_name_whichever_address_it_has(tmp_path, monkeypatch):
    certificate = make_certificate(tmp_path, "docs.example")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    asked = []
    context.sni_callback = lambda line, name, _: asked.append(name)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    names = NameServer(docs_example=[["127.0.0.1"]], other_example=[["127.0.0.1"]])

    with rude_server(saying(PAGE), context) as rude:
        right, wrong = (f"https://{host}.example:{rude.port}/one.md" for host in ("docs", "other"))
        content = source(right, names, "127.0.0.1").fetch(right)
        with pytest.raises(Unreadable, match="can't be fetched"):
            source(wrong, names, "127.0.0.1").fetch(wrong)

    assert content == b"# One\n"
    assert asked == ["docs.example", "other.example"]
    assert f"Host: docs.example:{rude.port}".encode() in rude.heard[0]


def make_certificate(folder, name):
    import datetime

    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    whose = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    now = datetime.datetime.now(datetime.UTC)
    builder = x509.CertificateBuilder(whose, whose, key.public_key(), x509.random_serial_number())
    builder = builder.not_valid_before(now - datetime.timedelta(1)).not_valid_after(now + datetime.timedelta(1))
    made = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False).sign(
        key, hashes.SHA256()
    )
    form = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    path = folder / "certificate.pem"
    path.write_bytes(key.private_bytes(*form) + made.public_bytes(serialization.Encoding.PEM))
    return path


def test_a_proxy_is_used_and_never_asked_for_what_is_not_public(monkeypatch):
    names = NameServer(inside_example=[["10.0.0.7"]], docs_example=[[PUBLIC]])
    with rude_server(saying(PAGE)) as proxy:
        monkeypatch.setenv("http_proxy", f"http://ann:pw@127.0.0.1:{proxy.port}")
        monkeypatch.setenv("no_proxy", "")
        for refused in ("http://127.0.0.1/x", "http://169.254.169.254/x", "http://inside.example/x"):
            with pytest.raises(Unreadable, match=REFUSED):
                source(refused, names).fetch(refused)
        unheard = list(proxy.heard)
        contents = [source(each, names).fetch(each) for each in ("http://docs.example/x", "http://far.example/x")]

    assert unheard == []
    assert contents == [b"# One\n"] * 2
    assert [heard.splitlines()[0] for heard in proxy.heard] == [
        b"GET http://docs.example/x HTTP/1.1",
        b"GET http://far.example/x HTTP/1.1",
    ]
    assert b"Proxy-Authorization: Basic YW5uOnB3" in proxy.heard[0]


def test_an_encrypted_address_goes_through_a_proxy_by_a_tunnel(monkeypatch):
    with rude_server(saying(b"HTTP/1.1 403 Forbidden\r\n\r\n")) as proxy:
        monkeypatch.setenv("https_proxy", f"http://127.0.0.1:{proxy.port}")
        monkeypatch.setenv("no_proxy", "")
        with pytest.raises(Unreadable, match="can't be fetched"):
            source("https://docs.example/x", NameServer()).fetch("https://docs.example/x")

    assert proxy.heard[0].startswith(b"CONNECT docs.example:443 HTTP/1.1\r\nHost: docs.example:443\r\n\r\n")


@pytest.mark.parametrize(
    ("address", "named"),
    [
        ("http://192.168.1.5/x", "192.168.1.5:80"),
        ("https://ann:pw@10.0.0.1:8443/x", "10.0.0.1:8443"),
        ("http://[::1]/x", "[::1]:80"),
        ("http://localhost:8000/x", "localhost:8000"),
        ("git+https://10.0.0.1/x.git#main", "10.0.0.1:443"),
        ("git+ssh://git@10.0.0.1/x.git", "10.0.0.1:22"),
        ("https://docs.example/x", None),
        ("http://8.8.8.8/x", None),
        ("http://2130706433/x", None),
        ("git+file:///srv/x.git", None),
        ("docs", None),
    ],
)
def test_what_a_typed_source_names(address, named):
    found = read_typed_host(address)

    assert (found.spelled if found else None) == named


@pytest.mark.parametrize(
    "text", ["", "a b", "http://host", "host/path", "user@host", "*", "10.0.0.0/99", "host:0", "h:99999"]
)
def test_what_names_no_host_is_refused(text):
    with pytest.raises(Misconfiguration):
        read_named_host(text)


def test_hosts_are_named_by_flags_settings_and_the_environment():
    named = read_named_hosts(
        ["a.example"], {"allow": ["10.0.0.0/8"]}, {"FIELDGUIDE_FETCH_ALLOW": "b.example:8080, ::1"}
    )

    assert [each.spelled for each in named] == ["a.example", "10.0.0.0/8", "b.example:8080", "::1"]
    with pytest.raises(Misconfiguration, match="must be a list"):
        read_named_hosts([], {"allow": "a.example"}, {})
