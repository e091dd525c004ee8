"""Questions from headings, and how models are measured by them."""

from fieldguide.search.embedding import pack_vector
from fieldguide.search.models.benchmark import make_trial, measure_keywords, measure_model, split_sections

LONG = "It says a good deal about {0}, and about nothing else, in words enough to be asked for: {0}, {0} and {0}."
PAGE = f"""---
title: Secret front
---
# Garden

{LONG.format("soil")}

## Watering

{LONG.format("cans")}

```sh
# not a heading
```

### See also

{LONG.format("links")}

Pruning
-------

{LONG.format("shears")}

## Short

Too short.

## See also

{LONG.format("more links")}
"""


class Colours:
    """An embedder that knows one thing: which of a few words stands in a text."""

    identity = "colours"
    dimensions = 5
    words = ("soil", "cans", "links", "shears", "Watering")

    def embed_documents(self, texts):
        return [pack_vector([float(word in text) for word in self.words]) for text in texts]

    def embed_query(self, text):
        meant = {"Watering": "cans", "Pruning": "shears", "Garden": "soil"}
        last = meant[text.split()[-1]]
        return pack_vector([float(word == last) for word in self.words])


def test_a_section_is_the_text_below_a_heading_without_any_heading():
    sections = list(split_sections("page.md", PAGE))

    assert [(each.number, each.question) for each in sections] == [
        (1, "Garden"), (2, "Garden Watering"), (3, "Garden Watering See also"), (4, "Garden Pruning"),
        (5, "Garden Short"), (6, "Garden See also"),
    ]  # fmt: skip
    said = "".join(chunk.text for section in sections for chunk in section.chunks)
    assert "# not a heading" in said
    assert not [word for word in ("Secret front", "# Garden", "## Watering", "Pruning", "---") if word in said]


def test_headings_that_repeat_and_texts_that_say_nothing_are_not_asked():
    trial = make_trial([("page.md", PAGE)], questions=100, chunks=100)

    assert sorted(each.question for each in trial.asked) == ["Garden", "Garden Pruning", "Garden Watering"]
    assert trial.sections == trial.chunks == 6


def test_a_trial_is_the_same_every_time_and_no_larger_than_asked_for():
    pages = [(f"{number}.md", f"# Page {number}\n\n{LONG.format(number)}\n") for number in range(50)]

    trial = make_trial(pages, questions=7, chunks=20)

    assert trial == make_trial(pages, questions=7, chunks=20)
    assert (len(trial.asked), trial.chunks) == (7, 20)
    assert all(section in trial.documents[section.document] for section in trial.asked)


def test_a_model_that_knows_the_answers_beats_keywords_in_the_real_engine(tmp_path):
    trial = make_trial([("page.md", PAGE)], questions=100, chunks=100)
    steps = []

    keywords = measure_keywords(trial, str(tmp_path))
    measured = measure_model(Colours(), trial, str(tmp_path), progress=lambda *step: steps.append(step))
    again = measure_model(Colours(), trial, str(tmp_path))

    assert (measured.vectors.ndcg, measured.vectors.recall) == (1.0, 1.0)
    assert keywords.recall < 1.0
    assert measured.fused.ndcg > keywords.ndcg
    assert (measured.vectors, measured.fused) == (again.vectors, again.fused)
    assert (measured.identity, measured.dimensions, steps) == ("colours", 5, [(1, 1)])
    assert min(measured[4:]) > 0
