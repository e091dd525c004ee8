"""JSON web tokens: what an identity provider signed, and everything that only looks like it."""

import json
from time import time

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding

from fieldguide.team.identity import MOST_BYTES, KeySet, WebTokens, open_key_set, read_keys
from fieldguide.text.errors import Failure, Misconfiguration, StorageFailed
from tests.identity.service import service_of
from tests.identity.signing import ISSUER, Provider, encoded, forged, published
from tests.raw_http import INITIALIZE, get

pytestmark = pytest.mark.anyio
AUDIENCE = "https://guide.example.org/mcp"


@pytest.fixture(scope="module")
def provider() -> Provider:
    return Provider(AUDIENCE, "RS256", "PS256", "ES256", "ES384", "EdDSA")


@pytest.fixture(scope="module")
def stranger() -> Provider:
    return Provider(AUDIENCE, "RS256", "ES256")


def verifier(provider, skew=60, **given):
    keys = KeySet(provider.jwks, refresh_seconds=300, pause_seconds=10, **given)
    return WebTokens(keys, issuer=ISSUER, skew_seconds=skew)


@pytest.mark.parametrize("algorithm", ["RS256", "PS256", "ES256", "ES384", "EdDSA"])
async def test_a_token_of_the_provider_says_who_asks_and_for_what(provider, algorithm):
    found = await verifier(provider).verify_token(provider.token(algorithm))

    assert found is not None
    assert (found.subject, sorted(found.scopes)) == ("ann", ["read", "write"])
    assert found.claims == {"iss": ISSUER, "aud": [AUDIENCE]}


@pytest.mark.parametrize(
    ("claims", "scopes"),
    [
        ({"scope": "read"}, ["read"]),
        ({"scope": None, "scp": ["read", "write", 7]}, ["read", "write"]),
        ({"scope": None, "scp": "read"}, ["read"]),
        ({"scope": None}, []),
        ({"scope": {"read": True}}, []),
    ],
)
async def test_scopes_are_read_as_providers_write_them(provider, claims, scopes):
    found = await verifier(provider).verify_token(provider.token(**claims))

    assert found is not None
    assert sorted(found.scopes) == scopes


@pytest.mark.parametrize("typ", ["at+jwt", "JWT", "application/at+jwt", None])
async def test_the_kinds_of_access_tokens_are_taken(provider, typ):
    assert await verifier(provider).verify_token(provider.token(header={"typ": typ})) is not None


NOW = int(time())
BAD_CLAIMS = {
    "expired": {"exp": NOW - 100},
    "no end": {"exp": None},
    "an end that is none": {"exp": "soon"},
    "an endless end": {"exp": float("inf")},
    "not yet valid": {"nbf": NOW + 86_400},
    "issued tomorrow": {"iat": NOW + 86_400},
    "another issuer": {"iss": "https://login.example.com/"},
    "an issuer that begins alike": {"iss": f"{ISSUER}x"},
    "issuers": {"iss": [ISSUER]},
    "no issuer": {"iss": None},
    "no subject": {"sub": None},
    "an empty subject": {"sub": ""},
    "a blank subject": {"sub": " "},
    "a subject that is none": {"sub": 7},
    "a subject with a line break": {"sub": "ann\nadmin"},
    "a long subject": {"sub": "a" * 300},
    "no audience": {"aud": None},
    "an audience that is none": {"aud": {"a": 1}},
    "too many audiences": {"aud": [AUDIENCE, *map(str, range(30))]},
    "bound to a key": {"cnf": {"jkt": "x"}},
}


@pytest.mark.parametrize("claims", BAD_CLAIMS.values(), ids=BAD_CLAIMS)
async def test_a_signed_token_with_wrong_claims_is_not_good(provider, claims):
    try:
        token = provider.token(**claims)
    except TypeError:  # the library won't sign it: an attacker with a key of the provider's could
        unsigned = forged({"alg": "RS256", "kid": "RS256"}, provider.claims(**claims)).rstrip(".")
        signature = provider.keys["RS256"].sign(unsigned.encode(), padding.PKCS1v15(), hashes.SHA256())
        token = f"{unsigned}.{encoded(signature)}"

    assert await verifier(provider).verify_token(token) is None


async def test_clocks_may_be_a_minute_apart(provider):
    late, early = provider.token(exp=int(time()) - 30), provider.token(nbf=int(time()) + 30)

    assert await verifier(provider).verify_token(late) is not None
    assert await verifier(provider).verify_token(early) is not None
    assert await verifier(provider, skew=0).verify_token(late) is None
    assert await verifier(provider, skew=0).verify_token(early) is None


def hostile_tokens(provider: Provider, stranger: Provider) -> dict[str, str]:
    """Tokens of attackers, by their trick."""
    claims = provider.claims()
    public = json.loads(stranger.jwks())["keys"][0]
    good = provider.token("RS256")
    head, body, signature = good.split(".")
    return {
        "unsigned": forged({"alg": "none", "kid": "ES256"}, claims),
        "unsigned, in other letters": forged({"alg": "nOnE", "typ": "JWT"}, claims),
        "without a signature": f"{head}.{body}.",
        "a public key as a secret": forged({"alg": "HS256", "kid": "RS256"}, claims, provider.public_pem("RS256")),
        "a public key as JSON as a secret": forged({"alg": "HS256"}, claims, provider.jwks()),
        "an empty secret": forged({"alg": "HS256"}, claims, b""),
        "signed by another": stranger.token("RS256"),
        "signed by another, who brings the key": stranger.token("RS256", header={"jwk": public}),
        "signed by another, at an address": stranger.token("RS256", header={"jku": "http://127.0.0.1:1/jwks"}),
        "a certificate at an address": stranger.token("RS256", header={"x5u": "http://127.0.0.1:1/x"}),
        "a name that is a path": provider.token(header={"kid": "../../../../dev/null"}),
        "a name that is an address": provider.token(header={"kid": "https://evil.example.org/jwks"}),
        "a name that asks a database": provider.token(header={"kid": "x' UNION SELECT 'key"}),
        "a long name": provider.token(header={"kid": "k" * 1000}),
        "no name where there are several keys": stranger.token("ES256", header={"kid": None}),
        "another key's name": provider.token("ES256", header={"kid": "RS256"}),
        "something critical": provider.token(header={"crit": ["exp"], "exp": 1}),
        "an identity token of another kind": provider.token(header={"typ": "logout+jwt"}),
        "other claims below the signature": f"{head}.{forged({}, {**claims, 'sub': 'bob'}).split('.')[1]}.{signature}",
        "a changed signature": f"{head}.{body}.{signature[:-6]}AAAAAA",
        "two parts": f"{head}.{body}",
        "five parts": f"{good}.x.y",
        "nothing": "",
        "dots": "..",
        "no JSON": "YQ.YQ.YQ",
        "deep JSON": forged({"alg": "ES256", "kid": "ES256"}, claims).replace(".", "." + "W1tb" * 1500, 1),
    }


async def test_no_token_of_an_attacker_is_good(provider, stranger):
    verifying = verifier(provider)

    for trick, token in hostile_tokens(provider, stranger).items():
        assert await verifying.verify_token(token) is None, trick
    assert await verifying.verify_token(provider.token("RS256")) is not None


async def test_new_keys_are_found_and_old_ones_forgotten(provider):
    now = [0.0]
    rotating = Provider(AUDIENCE, "ES256")
    verifying = verifier(rotating, clock=lambda: now[0])
    before = rotating.token()
    assert await verifying.verify_token(before) is not None

    rotating.keys, rotating.name = Provider(AUDIENCE, "ES256").keys, "-new"
    now[0] += 11
    assert await verifying.verify_token(rotating.token()) is not None
    assert await verifying.verify_token(before) is None


async def test_made_up_key_names_make_us_fetch_no_more_than_once_in_ten_seconds(provider):
    now, reads = [0.0], [0]

    def read():
        reads[0] += 1
        return provider.jwks()

    keys = KeySet(read, refresh_seconds=300, pause_seconds=10, clock=lambda: now[0])
    verifying = WebTokens(keys, issuer=ISSUER, skew_seconds=60)
    for number in range(50):
        assert await verifying.verify_token(provider.token(header={"kid": f"made-up-{number}"})) is None
        now[0] += 0.1

    assert reads[0] == 1
    now[0] += 10
    assert await verifying.verify_token(provider.token(header={"kid": "made-up"})) is None
    assert reads[0] == 2


async def test_keys_outlive_a_provider_that_is_away_for_an_hour(provider):
    now, is_away = [0.0], [False]

    def read():
        if is_away[0]:
            raise Failure("away")
        return provider.jwks()

    keys = KeySet(read, refresh_seconds=300, pause_seconds=10, clock=lambda: now[0])
    verifying = WebTokens(keys, issuer=ISSUER, skew_seconds=60)
    assert await verifying.verify_token(provider.token()) is not None
    is_away[0] = True

    now[0] += 3000
    assert await verifying.verify_token(provider.token()) is not None
    now[0] += 1000
    with pytest.raises(StorageFailed):
        await verifying.verify_token(provider.token())


def test_keys_that_are_secrets_weak_or_for_something_else_are_left_out(provider):
    good = json.loads(provider.jwks())["keys"]
    weak = {"kty": "RSA", "n": "wZ8", "e": "AQAB"}
    others = [
        {"kty": "oct", "k": "c2VjcmV0", "alg": "HS256"},
        {**good[0], "use": "enc"},
        {**good[0], "key_ops": ["encrypt"]},
        {**good[2], "crv": "P-999"},
        {**good[2], "alg": "ES384"},
        weak,
        {},
        7,
    ]

    assert len(read_keys(json.dumps({"keys": good}).encode())) == len(good)
    assert read_keys(json.dumps({"keys": others}).encode()) == ()
    for text in (b"", b"[]", b'{"keys": 7}', b"[" * 100_000):
        with pytest.raises(Failure):
            read_keys(text)


def test_keys_come_from_a_file_or_a_safe_address_within_bounds(tmp_path):
    large = tmp_path / "large.json"
    large.write_bytes(b" " * (MOST_BYTES + 1))

    with pytest.raises(Failure, match="larger than"):
        open_key_set(str(large)).load()
    with pytest.raises(Failure, match="can't be read"):
        open_key_set(str(tmp_path / "none.json")).load()
    for address in ("http://keys.example.org/jwks", "ftp://x/y", "https://user:word@x/y", "file:///etc/passwd"):
        with pytest.raises(Misconfiguration):
            open_key_set(address)


def test_a_service_takes_the_tokens_of_its_provider_and_no_others(served_project, tmp_path, stranger):
    provider = Provider("", "ES256")
    with published(provider) as (address, asked):
        flags = ("--toolsets", "tasks", "--auth", "jwt", "--jwt-issuer", ISSUER, "--jwt-keys", address)
        with service_of(served_project.root, tmp_path / "state", *flags) as service:
            provider.audience = service.url
            good = provider.token()
            bad = {
                "elsewhere": provider.token(aud="https://other.example.org/mcp"),
                "begins alike": provider.token(aud=f"{service.url}x"),
                "the machine": provider.token(aud=service.url.removesuffix("/mcp")),
                "large": provider.token(note="x" * 7_000),
                "huge": provider.token(note="x" * 20_000),
                **hostile_tokens(Provider(service.url, "RS256", "ES256"), stranger),
            }

            opened = service.ask(good, INITIALIZE)
            answers = {trick: service.ask(token, INITIALIZE) for trick, token in bad.items() if token}
            poor = service.ask(provider.token(scope="openid"), INITIALIZE)
            metadata = get(service.url, "/.well-known/oauth-protected-resource/mcp")

    assert opened.status == 200
    assert {trick: answer.status for trick, answer in answers.items() if answer.status not in (401, 431)} == {}
    assert len({answer.text for answer in answers.values() if answer.status == 401}) == 1
    assert poor.status == 403
    assert 'error="insufficient_scope"' in poor.headers["www-authenticate"]
    assert metadata.message["authorization_servers"] == [ISSUER]
    assert len(asked) <= 2
