"""The weights of `guide_search` and the card that tells them."""

import json
from pathlib import Path

from fieldguide.toolsets.guide import search_scoring
from fieldguide.toolsets.guide.search_scoring import CandidateFeatures


def test_every_feature_has_a_weight_and_the_card_tells_it():
    weights = search_scoring.read_weights()
    card = Path(search_scoring.WEIGHTS_FILE).with_suffix(".md").read_text(encoding="utf-8")

    assert set(weights) == {search_scoring.BIAS, *CandidateFeatures._fields}
    assert all(f"| {name} | {weight:.3f} |" in card for name, weight in weights.items())
    assert json.loads(Path(search_scoring.WEIGHTS_FILE).read_text(encoding="utf-8")) == weights
