"""`fieldguide models` as a person or a script uses it."""

import json

import pytest

from tests.embedding_server import embedding_server
from tests.interaction.test_command_line import run

GARDEN = """# Garden

The soil wants compost in spring and a cover of leaves in autumn, so that worms can do the rest of the work.

## Watering

Cans are filled in the morning; the roots drink slowly, and leaves that are wet at noon are burnt by the sun.

## Pruning

Shears are cleaned before each tree, and a branch is taken off where it leaves the trunk, never half way.
"""
ONNXRUNTIME = """
import numpy
class InferenceSession:
    def __init__(self, path, providers): pass
    def get_inputs(self): return []
    def run(self, outputs, given): return [numpy.array([encoding.row for encoding in ENCODED])]
"""
TOKENIZERS = """
import onnxruntime
class Encoding:
    def __init__(self, text): self.row = [1.0 + text.count(letter) for letter in "abcdefgh"]
class Tokenizer:
    @staticmethod
    def from_file(path): return Tokenizer()
    def enable_truncation(self, longest): pass
    def enable_padding(self): pass
    def encode_batch(self, texts):
        onnxruntime.ENCODED = [Encoding(text) for text in texts]
        return onnxruntime.ENCODED
"""


@pytest.fixture
def models(project, tmp_path):
    """Runs an action of `models` in a project with one document and stubs of what an ONNX model needs."""
    project.write("docs/garden.md", GARDEN)
    site = tmp_path / "site"
    site.mkdir()
    (site / "onnxruntime.py").write_text(ONNXRUNTIME)
    (site / "tokenizers.py").write_text(TOKENIZERS)

    def act(action, *words, **more):
        own = {"XDG_CACHE_HOME": str(tmp_path / "cache"), "XDG_CONFIG_HOME": str(tmp_path / "config")}
        place = () if action == "use" else ("--project", project.root)
        return run("models", action, *words, *place, **{"PYTHONPATH": str(site), **own, **more})

    return act


@pytest.fixture
def onnx(tmp_path):
    """The name of a model in a folder."""
    folder = tmp_path / "letters"
    folder.mkdir()
    (folder / "model.onnx").write_bytes(b"weights")
    (folder / "tokenizer.json").write_text("{}")
    return f"onnx:{folder}"


@pytest.fixture
def settings_file(tmp_path):
    folder = tmp_path / "config" / "fieldguide"
    folder.mkdir(parents=True)
    return folder / "config.toml"


def index(project):
    run("call", "documents_list_collections", "--project", project.root)


def row(listed, name):
    return next(each for each in listed["models"] if each["name"] == name)


def test_the_list_says_what_is_there_what_is_used_and_what_to_install(models):
    lines = models("list").stdout.splitlines()

    assert lines[0].split() == ["model", "dimensions", "state", "installed"]
    assert lines[1].split() == ["built-in", "256", "in", "use", "yes"]
    assert lines[2].split() == ["onnx:PATH", "-", "yes"]
    assert lines[-1].split() == ["openai:MODEL", "-", "no:", "set", "FIELDGUIDE_SEARCH_ENDPOINT"]


def test_the_list_says_which_model_made_the_index(models, project, onnx):
    before = json.loads(models("list", "--json").stdout)
    index(project)
    models("use", onnx)

    after = json.loads(models("list", "--json").stdout)

    assert (before["index"], before["in_use"]) == ({}, "built-in")
    assert list(after["index"].values()) == [1]
    assert (row(after, "built-in")["made_index"], row(after, "built-in")["in_use"]) == (True, False)
    assert (row(after, onnx)["made_index"], row(after, onnx)["in_use"]) == (False, True)


def test_a_choice_is_written_and_everything_else_in_the_file_stays(models, settings_file, onnx):
    settings_file.write_text('# ours\nuser = "ann"  # she\n\n[search]\nmodel = "built-in" # for now\n')

    done = models("use", onnx)

    assert settings_file.read_text() == f'# ours\nuser = "ann"  # she\n\n[search]\nmodel = "{onnx}" # for now\n'
    assert done.stdout == f'{settings_file} now says: model = "{onnx}". The next index embeds every document again.\n'


def test_a_choice_that_the_environment_overrules_says_so(models, onnx):
    done = models("use", onnx, FIELDGUIDE_SEARCH_MODEL="built-in")

    assert "But FIELDGUIDE_SEARCH_MODEL says 'built-in'" in done.stdout


@pytest.mark.parametrize(
    ("name", "code", "sentence"),
    [
        ("nothing", 2, "There is no model 'nothing'"),
        ("minilm", 2, "The models are built-in, onnx:PATH, openai:MODEL"),
        ("openai:small", 2, "FIELDGUIDE_SEARCH_ENDPOINT=https://HOST/v1"),
        ("onnx:./model", 2, "onnx"),
    ],
)
def test_a_choice_that_can_not_be_is_told_and_nothing_is_written(models, settings_file, name, code, sentence):
    done = models("use", name, code=code)

    assert sentence in done.stderr
    assert not settings_file.exists()


def test_a_file_that_can_not_be_changed_safely_is_left_alone(models, settings_file, onnx):
    settings_file.write_text('search = { model = "built-in" }\n')

    done = models("use", onnx, code=1)

    assert f'write model = "{onnx}" under [search] yourself' in done.stderr
    assert settings_file.read_text() == 'search = { model = "built-in" }\n'


def test_a_project_that_names_an_endpoint_is_not_obeyed_until_it_is_allowed(models, project, tmp_path):
    with embedding_server() as evil:
        project.write("fieldguide.toml", f'[search]\nmodel = "openai:x"\nendpoint = "{evil.address}"\n')

        listed = models("list").stdout
        models("bench")
        run("call", "documents_search", '{"query": "soil"}', "--project", project.root)
        asked = list(evil.requests)
        own = {"XDG_CONFIG_HOME": str(tmp_path / "config"), "XDG_CACHE_HOME": str(tmp_path / "cache")}
        waiting = run("trust", "--project", project.root, code=1, **own).stdout
        run("trust", "--project", project.root, "--allow", **own)
        run("index", "--project", project.root, **own)

        assert asked == []
        assert evil.requests != []
    assert lines_with(listed, "in use") == ["built-in"]
    assert "waiting  fieldguide.toml asks for search.endpoint = " in waiting


def lines_with(listed: str, state: str) -> list[str]:
    """The first words of the lines that say something."""
    return [line.split()[0] for line in listed.splitlines() if state in line]


def test_models_are_measured_on_the_projects_own_documents(models, onnx):
    figures = json.loads(models("bench", "built-in", onnx, "--json").stdout)

    assert (figures["questions"], figures["sections"], figures["chunks"]) == (3, 3, 3)
    assert [each["model"] for each in figures["models"]] == ["built-in", onnx]
    assert all(each["fused"]["recall"] == 1.0 for each in figures["models"])
    assert set(figures["keywords"]) == {"ndcg", "recall"}
    assert {"vectors", "embedded_chunks_per_second", "indexed_chunks_per_second", "query_milliseconds"} <= set(
        figures["models"][0]
    )


def test_measurements_are_a_table_for_people(models):
    lines = models("bench", "built-in", "--limit", 2).stdout.splitlines()

    assert lines[0].startswith("Documents 1, sections 3, chunks 3, questions 2;")
    assert [line.split()[0] for line in lines[3:]] == ["model", "keywords", "built-in"]


def test_an_endpoint_is_measured_when_the_user_names_it_and_its_key_is_never_shown(models):
    with embedding_server() as server:
        own = {
            "FIELDGUIDE_SEARCH_ENDPOINT": server.address,
            "FIELDGUIDE_SEARCH_KEY_VARIABLE": "MY_KEY",
            "MY_KEY": "sk-secret",
        }
        done = models("bench", "openai:small", "--json", **own)
        listed = models("list", FIELDGUIDE_SEARCH_MODEL="openai:small", **own)

    [figures] = json.loads(done.stdout)["models"]
    assert (figures["model"], figures["dimensions"]) == ("openai:small", 4)
    assert server.requests[0]["headers"]["Authorization"] == "Bearer sk-secret"
    assert "openai:small" in listed.stdout
    assert "sk-secret" not in done.stdout + done.stderr + listed.stdout + listed.stderr


def test_there_is_nothing_to_measure_without_documents(project):
    done = run("models", "bench", "built-in", "--project", project.root, code=1)

    assert "no documents here with headings" in done.stderr


@pytest.mark.parametrize("words", [(), ("use",), ("bench", "--limit", "x"), ("bench", "--limit", "0")])
def test_a_wrong_command_line_ends_with_code_2(words):
    assert run("models", *words, code=2).stdout == ""


def test_an_index_that_is_made_anew_asks_the_endpoint_for_no_document_twice(project, tmp_path):
    project.write("docs/garden.md", GARDEN)
    with embedding_server() as server:
        own = {
            "FIELDGUIDE_SEARCH_MODEL": "openai:small",
            "FIELDGUIDE_SEARCH_ENDPOINT": server.address,
            "XDG_CACHE_HOME": str(tmp_path / "cache"),
        }
        search = ("call", "documents_search", '{"query": "shears"}', "--project", project.root)
        first = run(*search, **own).stdout
        asked = len(server.requests)
        for path in project.state.glob("index.db*"):
            path.unlink()
        second = run(*search, **own).stdout

    assert first == second
    assert "Shears are cleaned" in first
    assert server.batches[asked:] == [["shears"]]
