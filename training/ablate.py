"""What each part of the recipe is worth: `python -m training.ablate --help`.

Trains the shipped recipe and its variants on one lesson and writes a model file for each, with the floats of the
shipped one beside it; `training.figures` measures them.
"""

import argparse
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import torch

from training.model_file import write_floats, write_model
from training.student import Recipe
from training.teacher import Teacher
from training.train import Lesson, prepare_lesson, say, train

SHIPPED = Recipe()
VARIANTS: dict[str, Recipe] = {
    "shipped": SHIPPED,
    "without distillation": replace(SHIPPED, distillation=0.0),
    "without contrastive loss": replace(SHIPPED, contrastive=0.0),
    "without code pairs": SHIPPED,
    "another seed": replace(SHIPPED, seed=6),
    "without network": replace(SHIPPED, hidden=0),
    "without gate": replace(SHIPPED, gated=False),
    "128 dimensions": replace(SHIPPED, dimensions=128, shorter=((64, 0.3),)),
    "64 dimensions": replace(SHIPPED, dimensions=64, shorter=()),
}


def write_variant(name: str, lesson: Lesson, recipe: Recipe, folder: Path) -> None:
    """Train one variant and keep its file."""
    if name == "without code pairs":
        lesson = lesson.without_code()
    student = train(lesson, recipe)
    path = folder / f"{name.replace(' ', '-')}.bin"
    write_model(path, lesson.pieces, student.weights(recipe.softening))
    if name == "shipped":
        write_floats(path.with_suffix(".npz"), student.weights(1.0))
    say(f"wrote {path}")


def kept_lesson(path: Path, prepare: Callable[[], Lesson]) -> Lesson:
    """The lesson of an earlier call, or a new one that is kept for the next."""
    if path.exists():
        lesson: Lesson = torch.load(path, weights_only=False)
        return lesson
    lesson = prepare()
    torch.save(lesson, path)
    return lesson


def main() -> None:
    """Train the variants that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=Path, required=True)
    parser.add_argument("--teacher", type=Path, required=True)
    parser.add_argument("--to", type=Path, required=True, help="the folder for the model files")
    parser.add_argument("--variants", nargs="*", default=list(VARIANTS), choices=list(VARIANTS))
    parser.add_argument("--steps", type=int, help="fewer, for a trial")
    parser.add_argument("--lesson", type=Path, required=True, help="kept here for the next call")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    options = parser.parse_args()
    options.to.mkdir(parents=True, exist_ok=True)
    torch.set_float32_matmul_precision("high")

    def prepare() -> Lesson:
        teacher = Teacher(options.teacher, device=options.device)
        return prepare_lesson(options.pairs, teacher, SHIPPED, device=options.device)

    lesson = kept_lesson(options.lesson, prepare)
    for name in options.variants:
        recipe = VARIANTS[name] if options.steps is None else replace(VARIANTS[name], steps=options.steps)
        write_variant(name, lesson, recipe, options.to)


if __name__ == "__main__":
    main()
