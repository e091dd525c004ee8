"""What each part of the recipe is worth: `python -m training.ablate --help`.

Trains the shipped recipe and its variants on one lesson, measures each on the labelled sets, with the teacher and the
untrained table beside them, and writes all figures to one JSON file.
"""

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch

from training.evaluate import Encoder, Harness, Vectors, model_encoder, read_set, table_encoder
from training.model_file import write_model
from training.student import Recipe, first_table
from training.teacher import Teacher
from training.train import Lesson, prepare_lesson, say, train

AS_TRAINED = Recipe(softening=1.0)  # the variants are measured before the last step, the shipped model after it
VARIANTS: dict[str, Recipe] = {
    "shipped": Recipe(),
    "as trained": AS_TRAINED,
    "another seed": replace(AS_TRAINED, seed=6),
    "without distillation": replace(AS_TRAINED, distillation=0.0),
    "without contrastive loss": replace(AS_TRAINED, contrastive=0.0),
    "without code pairs": AS_TRAINED,
    "128 dimensions": replace(AS_TRAINED, dimensions=128, shorter=((64, 0.3),)),
    "64 dimensions": replace(AS_TRAINED, dimensions=64, shorter=()),
}
Figures = dict[str, dict[str, float]]


def measured(encode: Encoder, sets: Sequence[Harness]) -> Figures:
    """The figures of one model on every set."""
    return {labelled.name: labelled.measure(encode) for labelled in sets}


def teacher_encoder(teacher: Teacher) -> Encoder:
    """The teacher in the same harness."""

    def encode(texts: Sequence[str]) -> Vectors:
        return teacher.embed(texts).float().cpu().numpy()

    return encode


def variant(name: str, lesson: Lesson, recipe: Recipe, folder: Path) -> tuple[Path, torch.Tensor]:
    """Train one variant and keep its file."""
    if name == "without code pairs":
        lesson = lesson.without_code()
    table = train(lesson, recipe)
    path = folder / f"{name.replace(' ', '-')}.bin"
    write_model(path, lesson.pieces, table.cpu().numpy())
    return path, table


def kept_lesson(path: Path, prepare: Callable[[], Lesson]) -> Lesson:
    """The lesson of an earlier call, or a new one that is kept for the next."""
    if path.exists():
        lesson: Lesson = torch.load(path, weights_only=False)
        return lesson
    lesson = prepare()
    torch.save(lesson, path)
    return lesson


def main() -> None:
    """Train and measure the variants that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=Path, required=True)
    parser.add_argument("--teacher", type=Path, required=True)
    parser.add_argument("--sets", type=Path, nargs="+", required=True, help="folders of labelled sets")
    parser.add_argument("--to", type=Path, required=True, help="the folder for models and figures")
    parser.add_argument("--variants", nargs="*", default=list(VARIANTS), choices=list(VARIANTS))
    parser.add_argument("--steps", type=int, help="fewer, for a trial")
    parser.add_argument("--lesson", type=Path, required=True, help="kept here for the next call")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    options = parser.parse_args()
    options.to.mkdir(parents=True, exist_ok=True)
    torch.set_float32_matmul_precision("high")
    sets = [Harness(read_set(folder)) for folder in options.sets]
    teacher = Teacher(options.teacher, device=options.device)
    figures: dict[str, Figures] = {"teacher": measured(teacher_encoder(teacher), sets)}
    lesson = kept_lesson(options.lesson, lambda: prepare_lesson(options.pairs, teacher, device=options.device))
    start = first_table(lesson.start, lesson.tokens, Recipe().dimensions).cpu().numpy()
    figures["untrained"] = measured(table_encoder(lesson.pieces, start), sets)
    for name in options.variants:
        recipe = VARIANTS[name] if options.steps is None else replace(VARIANTS[name], steps=options.steps)
        path, table = variant(name, lesson, recipe, options.to)
        figures[name] = measured(model_encoder(path), sets)
        if name == "as trained":
            floats = table.cpu().numpy().astype(np.float32)
            figures["as trained, float"] = measured(table_encoder(lesson.pieces, floats), sets)
        say(f"{name}: {json.dumps(figures[name])}")
        (options.to / "figures.json").write_text(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
