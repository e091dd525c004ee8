"""Which model is chosen: the user's environment counts first, then their settings."""

import subprocess
import sys

import pytest

from fieldguide.search.models.choice import (
    choose_embedder,
    find_configured_model,
)
from fieldguide.search.models.static import StaticModel
from fieldguide.text.errors import Misconfiguration

OWN_CHOICE = ["openai:small"]


def test_the_built_in_model_needs_no_setting():
    assert isinstance(choose_embedder({}, {}), StaticModel)
    assert isinstance(choose_embedder({"model": "built-in"}, {}), StaticModel)


@pytest.mark.parametrize("model", ["built-in", *OWN_CHOICE])
def test_ones_own_settings_may_choose_any(model):
    assert find_configured_model({"model": model}, {}) == model


@pytest.mark.parametrize("model", OWN_CHOICE)
def test_the_user_may_choose_any_and_wins_over_the_file(model):
    assert find_configured_model({"model": "built-in"}, {"FIELDGUIDE_SEARCH_MODEL": model}) == model


def test_a_key_stands_in_no_file():
    with pytest.raises(Misconfiguration, match="A key stands in no file") as caught:
        choose_embedder({"model": "built-in", "key": "sk-secret"}, {})

    assert "secret" not in caught.value.message


def test_an_endpoint_in_the_environment_wins_over_the_one_in_ones_file():
    settings = {"model": "openai:small", "endpoint": "https://ours.example/v1"}

    with pytest.raises(Misconfiguration, match="The endpoint is no address"):
        choose_embedder(settings, {"FIELDGUIDE_SEARCH_ENDPOINT": "otherwise"})


@pytest.mark.parametrize("model", ["none", "", "openai:", "openai", "built-in:x", "minilm"])
def test_a_model_that_nobody_knows_is_answered_with_those_that_are_known(model):
    with pytest.raises(Misconfiguration, match=r"There is no model .* The models are built-in, openai:MODEL"):
        find_configured_model({"model": model}, {})


@pytest.mark.parametrize("model", [7, None, ["built-in"], {"name": "built-in"}])
def test_a_model_that_is_no_text_is_refused(model):
    with pytest.raises(Misconfiguration, match="must be a text"):
        choose_embedder({"model": model}, {})


def test_choosing_the_built_in_model_imports_nothing_of_the_others():
    program = (
        "import sys; from fieldguide.search.models.choice import choose_embedder; choose_embedder({}, {}).identity\n"
        "heavy = {'numpy', 'urllib.request', 'http'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )

    done = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, text=True, timeout=60, check=True)

    assert done.stdout == "[]\n"
