"""Values that look like live secrets: found in any text, marked, and not taken for what people make up."""

import json

import pytest

from fieldguide.text.secrets import (
    MARK,
    list_secret_value_kinds,
    mask_secret_values,
    mask_secret_values_in_json,
)
from tests.growth import MOST, Text, growth_of
from tests.hostile.live_values import drawn, github_token, live_values, private_key

MADE_UP = [
    "AKIAIOSFODNN7EXAMPLE",
    f"ghp_{'x' * 36}",
    f"ghp_{'1234567890abcdefghijklmnopqrstuvwxyz'}",
    f"sk-{'0' * 48}",
    "sk_live_replace_me_with_yours",
    "https://user:password@example.com/x",
    "postgres://postgres:postgres@localhost:5432/db",
    "https://$USER:$PASSWORD@example.com/",
    "https://{user}:{password}@example.com/",
    "http://example.com:8080/a@b",
    "https://medium.com/@someone/what-is-a-token-1234567890",
    "-----BEGIN RSA PRIVATE KEY-----\n...\n-----END RSA PRIVATE KEY-----",
    "the text -----BEGIN PRIVATE KEY----- begins a key",
    "sk-folding-cube-container-with-many-words",
    "npm_config_registry_of_our_own_company_x",
    "task-0123456789 risk-assessment",
    "d41d8cd98f00b204e9800998ecf8427e",
]


@pytest.mark.parametrize("around", ["{}", 'key = "{}"\n', "Ein Schlüssel: {} – so!", "{}".rjust(3000)])
def test_a_live_value_is_marked_and_its_lines_stay(around):
    for kind, value in live_values().items():
        text = f"before\n{around.format(value)}\nafter\n"

        clean = mask_secret_values(text)

        assert list_secret_value_kinds(text) == [kind]
        assert list_secret_value_kinds(value) == [kind]  # what the journal writes is short, and is not passed over
        assert MARK in clean, kind
        assert clean.startswith("before\n")
        assert clean.endswith("\nafter\n")
        assert clean.count("\n") == text.count("\n"), kind
        assert value.split("=", 1)[-1][-12:] not in clean or kind == "password in an address"


def test_what_people_make_up_stays():
    for text in MADE_UP:
        assert list_secret_value_kinds(text) == [], text
        assert mask_secret_values(f"{text}\n" * 20) == f"{text}\n" * 20


def test_a_password_in_an_address_goes_and_the_address_stays():
    secret = drawn(16)

    clean = mask_secret_values(f"see https://ann:{secret}@git.corp.net/x.git")

    assert clean == f"see https://ann:{MARK}@git.corp.net/x.git"


def test_a_key_without_an_end_and_one_on_one_line_go_too():
    key = private_key()
    cut, flat = key[:300], json.dumps({"private_key": key, "type": "x"})

    assert mask_secret_values(f"a\n{cut}").strip() == f"a\n{MARK}"
    assert json.loads(mask_secret_values(flat)) == {"private_key": f"{MARK}\n", "type": "x"}


def test_texts_anywhere_in_a_value_are_made_free_of_them():
    token = github_token()

    clean = mask_secret_values_in_json({"a": [{"b": f"x {token}"}, 3, None], "c": (token,)})

    assert clean == {"a": [{"b": f"x {MARK}"}, 3, None], "c": [MARK]}


@pytest.mark.parametrize(
    "piece", ["eyJ.", "://a:b", "-----BEGIN PRIVATE KEY-----", "sk-", "AKIA", "SG.", " ", "ghp_7a"]
)
def test_the_cost_grows_with_the_text(piece):
    found = growth_of("mask_secret_values", mask_secret_values, Text(piece), least=100_000, most=1_600_000)

    assert found.ratio <= MOST, str(found)
