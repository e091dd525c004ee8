"""Measure the models that `training.ablate` wrote: `python -m training.figures --help`.

One JSON file holds the figures of every model on every set. What stands in it is not measured again, so that a run can
be stopped and taken up.
"""

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import torch

from training.evaluate import Encoder, Harness, Vectors, model_encoder, read_set, weights_encoder
from training.model_file import Weights, read_floats, write_model
from training.student import Recipe, softened
from training.teacher import Teacher

SHORTER = (128, 64)
UNSOFTENED = "unsoftened.bin"
Figures = dict[str, dict[str, dict[str, float]]]


def teacher_encoder(folder: Path, device: str) -> Encoder:
    """The teacher, as it is before it learns, in the same harness."""
    teacher = Teacher(folder, device=device)

    def encode(texts: Sequence[str]) -> Vectors:
        return teacher.embed(texts).float().cpu().numpy()

    return Encoder(encode, encode)


def encoders(folder: Path, pieces: list[str]) -> Iterator[tuple[str, Callable[[], Encoder]]]:
    """The name of each line of figures, and how to make its encoder."""
    shipped = folder / "shipped.bin"
    yield "shipped", lambda: model_encoder(shipped)
    for dimensions in SHORTER:
        yield f"shipped, first {dimensions}", lambda size=dimensions: model_encoder(shipped, size)  # type: ignore[misc]
    floats = shipped.with_suffix(".npz")
    yield "shipped, float", lambda: weights_encoder(pieces, _softened(read_floats(floats)))
    yield "without softening", lambda: model_encoder(_written(pieces, read_floats(floats), folder))
    for path in sorted(folder.glob("*.bin")):
        if path not in (shipped, folder / UNSOFTENED):
            yield path.stem.replace("-", " "), lambda found=path: model_encoder(found)  # type: ignore[misc]


def _softened(weights: Weights) -> Weights:
    return weights._replace(table=softened(torch.tensor(weights.table), Recipe().softening).numpy())


def _written(pieces: list[str], weights: Weights, folder: Path) -> Path:
    write_model(folder / UNSOFTENED, pieces, weights)
    return folder / UNSOFTENED


def main() -> None:
    """Measure what is not measured yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=Path, required=True, help="the folder that `training.ablate` wrote")
    parser.add_argument("--pairs", type=Path, required=True, help="the folder that `training.prepare` wrote")
    parser.add_argument("--teacher", type=Path, help="also measure the teacher, which takes long without a GPU")
    parser.add_argument("--sets", type=Path, nargs="+", required=True, help="folders of labelled sets")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    options = parser.parse_args()
    kept = options.models / "figures.json"
    figures: Figures = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
    pieces = (options.pairs / "vocabulary.txt").read_text(encoding="utf-8").split("\n")
    named = dict(encoders(options.models, pieces))
    if options.teacher:
        named["teacher"] = lambda: teacher_encoder(options.teacher, options.device)
    for labelled in map(Harness, map(read_set, options.sets)):
        for name, encoder in named.items():
            if labelled.name not in figures.setdefault(name, {}):
                figures[name][labelled.name] = measured = labelled.measure(encoder())
                print(labelled.name, name, measured, flush=True)
                kept.write_text(json.dumps(figures, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
