"""Whether hits fit: nothing is withheld, names always fit, misspelt words count, and other text changes nothing."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldguide.search.engine import SearchQuestion
from fieldguide.search.models.static import StaticModel
from fieldguide.search.ranking import DOCUMENT_FLOOR, FlooredSources, keep_fitting
from fieldguide.search.types import Scope
from fieldguide.text.words import extract_identifiers
from tests.proves import proves
from tests.search.engines import DOCS, SqlitePlace, numbers, put

PAGES = {
    "backups": "# Backups\n\nEvery night the database is copied to another region, and old copies are deleted.",
    "login": "# Signing in\n\nPeople enter their e-mail address and a password, or use single sign-on.",
    "limits": "# Rate limits\n\nA client that sends too many requests in a minute is told to wait before it retries.",
    "billing": "# Invoices\n\nAn invoice is created on the first day of each month and sent to the customer.",
    "deploy": "# Deployment\n\nA release is built by the pipeline, tested, and rolled out to the servers one by one.",
    "search": "# Search\n\nDocuments are split into chunks and ranked by their words and by their meaning.",
    "training": "# Mixed precision\n\nMixed precision training uses half-size floats to make the model learn faster.",
    "logging": "# Logs\n\nEach service writes one line of JSON for each call, with its duration and its outcome.",
    "cache": "# Caching\n\nAnswers are kept for five minutes, so the same question is not computed twice.",
    "roles": "# Roles\n\nAn administrator may invite members, change their permissions and remove them again.",
}
ANSWERED = {
    "how long is an answer remembered": "cache",
    "what happens when I call it too often": "limits",
    "when do customers get the bill": "billing",
    "who can throw a member out": "roles",
    "how is a new version brought to the servers": "deploy",
    "do we keep a copy of the data elsewhere": "backups",
}
GUIDES = Path(__file__).parents[2] / "docs" / "guides"
ABOUT_GUIDES = (
    "let several people work with the same findings", "what may a project that I downloaded make it do",
    "use another model for the vectors", "where are my files kept and how do I get rid of them",
    "ask for the places that a change would break", "how do I know that a note about the code is no longer true",
    "connect it to my editor", "read only one chapter of a long page",
)  # fmt: skip
UNANSWERED = ("how to bake sourdough bread", "pair a Bluetooth headset", "the capital of Mongolia")
OTHER_WORDS = st.sampled_from(
    ("tulip", "orchid", "violin", "sonata", "glacier", "penguin", "saddle", "lantern", "pottery", "canyon", "meadow")
)
SECTIONS = st.lists(st.lists(OTHER_WORDS, min_size=2, max_size=12), min_size=1, max_size=60)
NAMES = (
    "PAY-4471", "E_CONN_1042", "ERR-7719", "max_retry_count", "parseInvoiceLine", "db7.internal.example.org",
    "9f3a7c1e", "cluster.routing.allocation", "pull-through-cache", "--no-verify-ssl", "zorbulent", "std::jthread",
)  # fmt: skip


def nothing_fits(hits):
    """Whether something was found, and none of it fits well."""
    return bool(hits) and all(hit.unsure for hit in hits)


def ask(engine, text, limit=10):
    sources = numbers(engine, DOCS)
    floored = (FlooredSources(frozenset(sources), DOCUMENT_FLOOR),)
    return keep_fitting(engine.search(SearchQuestion(text, Scope(sources), limit, floored=floored, is_steady=True)))


@pytest.fixture
def library(place):
    engine = place.open(StaticModel())
    put(engine, **PAGES)
    return engine


@proves("D-41", "S2-59")
@pytest.mark.parametrize(("question", "page"), ANSWERED.items())
def test_a_question_in_other_words_has_its_page_among_the_first_three_and_fits(library, question, page):
    hits = ask(library, question)

    assert page in [hit.document for hit in hits[:3]]
    assert not nothing_fits(hits)


@proves("D-41")
@pytest.mark.parametrize("question", UNANSWERED)
def test_a_question_that_nothing_answers_gets_the_nearest_three_unsure(library, question):
    hits = ask(library, question)

    assert [hit.unsure for hit in hits] == [True, True, True]


@proves("D-41", "S2-59")
@pytest.mark.parametrize("name", NAMES)
def test_a_text_that_holds_a_name_of_the_question_fits_however_far_it_is(library, name):
    put(library, odd=f"# Garden\n\nThe gardener waters the roses at dawn. Note {name} hangs on the shed.")

    hits = ask(library, f"what should we do about {name} before the next release of our service")

    assert "odd" in [hit.document for hit in hits]
    assert not any(hit.unsure for hit in hits)


@proves("D-41")
def test_a_long_question_is_answered(library):
    question = (
        "We have a customer who says that since last week our service refuses what their program sends, and they think "
        "that it is because they send a lot of requests in a short time; are they told to wait, and for how long?"
    )

    hits = ask(library, question)

    assert hits[0].document == "limits"
    assert not hits[0].unsure


def test_names_are_told_from_plain_words():
    text = "Why does read-only mode in Python 3.11 fail with ERR-7719, e.g. in parse_args or --no-color of GitHub?"

    assert extract_identifiers(text, {"github": 1.0, "python": 1.0}.get) == [
        "--no-color",
        "ERR-7719",
        "parse_args",
    ]


@pytest.fixture(scope="module")
def asked_before(tmp_path_factory):
    """Our own guides in a file of their own, and what is found there before anything else comes in."""
    place = SqlitePlace(tmp_path_factory.mktemp("steady") / "index.db")
    engine = place.open(StaticModel())
    put(engine, **{path.stem: path.read_text() for path in sorted(GUIDES.glob("*.md"))})
    yield engine, {question: ask(engine, question, limit=50) for question in (*ABOUT_GUIDES, *UNANSWERED)}
    place.close()


@proves("D-41")
@settings(max_examples=8)
@given(sections=SECTIONS, repeated=st.integers(min_value=1, max_value=8))
def test_text_about_other_things_changes_neither_the_first_three_nor_the_judgement(asked_before, sections, repeated):
    engine, before = asked_before
    other = "\n\n".join(f"## {' '.join(each)}\n\n{' '.join(each)}." for each in sections * repeated)
    put(engine, almanac=f"# Almanac\n\n{other}")

    for question, first in before.items():
        hits = ask(engine, question, limit=50)
        assert nothing_fits(hits) == nothing_fits(first)
        if question in ABOUT_GUIDES:
            assert [_place(hit) for hit in hits[:3]] == [_place(hit) for hit in first[:3]]


def _place(hit):
    return hit.document, hit.position
