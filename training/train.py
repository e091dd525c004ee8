"""Teach the table: `python -m training.train --help`.

Reads what `training.prepare` wrote, embeds both sides of every pair with the teacher, trains, and writes the model
file. A GPU takes some minutes; on a CPU see `--most-pairs`.
"""

import argparse
import math
import os
import random
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import torch

from training.model_file import write_model
from training.prepare import read_pairs
from training.student import Recipe, Student, Tokens, batches, first_table, hidden_ones, loss, tokenise
from training.teacher import Teacher
from training.tuning import tune


@dataclass(frozen=True, slots=True)
class Lesson:
    """The pairs as numbers of texts, and what teacher and tokenizer make of each text."""

    kinds: list[str]
    sources: list[str]
    queries: torch.Tensor
    texts: torch.Tensor
    judged: torch.Tensor
    tokens: Tokens
    start: torch.Tensor
    pieces: list[str]


def prepare_lesson(
    folder: Path, teacher: Teacher, recipe: Recipe, *, device: str, most_pairs: int | None = None
) -> Lesson:
    """Everything that training needs, on the device; tunes the teacher, and is the slow part."""
    pairs = read_pairs(folder)
    if most_pairs and most_pairs < len(pairs):
        pairs = random.Random(most_pairs).sample(pairs, most_pairs)
    pieces = (folder / "vocabulary.txt").read_text(encoding="utf-8").split("\n")
    numbers: dict[str, int] = {}
    queries = [numbers.setdefault(pair.query, len(numbers)) for pair in pairs]
    texts = [numbers.setdefault(pair.text, len(numbers)) for pair in pairs]
    say(f"{len(pairs)} pairs, {len(numbers)} texts, {len(pieces)} rows")
    tokens = tokenise(list(numbers), pieces, workers=os.cpu_count() or 1)
    start = teacher.embed([piece.removeprefix("##") for piece in pieces])
    cut = teacher.cut(list(numbers))
    sides = torch.tensor(queries, device=device), torch.tensor(texts, device=device)
    sources = [pair.source for pair in pairs]
    say("now the teacher learns")
    stream = batches(sources, [1] * len(pairs), batch=recipe.tuning_batch, seed=recipe.seed)
    for step, value in enumerate(tune(teacher, cut, sides, stream, recipe)):
        if step % 100 == 0:
            say(f"step {step} of the teacher: loss {value:.4f}")
    say("now the teacher reads")
    judged = teacher.read(cut)
    return Lesson([pair.kind for pair in pairs], sources, *sides, judged, tokens.to(device), start, pieces)


def train(lesson: Lesson, recipe: Recipe) -> Student:
    """The finished student."""
    torch.manual_seed(recipe.seed)
    start = first_table(lesson.start, lesson.tokens, recipe.dimensions)
    student = Student(start, recipe)
    optimiser = torch.optim.AdamW(student.parameters(), betas=(0.9, recipe.second_moment), weight_decay=0.0)
    weights = [recipe.kind_weights.get(kind.split()[0], 1) for kind in lesson.kinds]
    stream = batches(lesson.sources, weights, batch=recipe.batch, seed=recipe.seed)
    for step in range(recipe.steps):
        chosen = next(stream).to(start.device)
        queries, texts = lesson.queries[chosen], lesson.texts[chosen]
        judged = lesson.judged[queries].float() @ lesson.judged[texts].float().T
        asked = student.ask(lesson.tokens, queries, recipe.token_dropout)
        answered = student.answer(lesson.tokens, texts, recipe.token_dropout)
        value = loss((asked, answered), judged, hidden_ones(judged, queries, texts), recipe)
        optimiser.zero_grad(set_to_none=True)
        value.backward()
        optimiser.param_groups[0]["lr"] = rate = _rate(step, recipe)
        optimiser.step()
        with torch.no_grad():
            student.table.lerp_(start, rate * recipe.anchor)
        if step % 500 == 0 or step == recipe.steps - 1:
            say(f"step {step}: loss {value.item():.4f}")
    return student


def _rate(step: int, recipe: Recipe) -> float:
    """A linear start, then half a cosine down to nothing."""
    if step < recipe.warm_up:
        return recipe.learning_rate * (step + 1) / recipe.warm_up
    done = (step - recipe.warm_up) / max(1, recipe.steps - recipe.warm_up)
    return recipe.learning_rate * (1 + math.cos(math.pi * done)) / 2


def say(words: str) -> None:
    """A line on standard error, with the time."""
    print(f"{time.strftime('%H:%M:%S')} {words}", file=sys.stderr, flush=True)


def main() -> None:
    """One run with the recipe of the shipped model."""
    usual = Recipe()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=Path, required=True, help="what `training.prepare` wrote")
    parser.add_argument("--teacher", type=Path, required=True, help="the model folder of the teacher")
    parser.add_argument("--to", type=Path, required=True, help="the model file to write")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--most-pairs", type=int, help="a sample of this many, for a CPU (100000 is sensible)")
    parser.add_argument("--most-tokens", type=int, default=256, help="how much of a text the teacher reads")
    parser.add_argument("--steps", type=int, default=usual.steps)
    parser.add_argument("--batch", type=int, default=usual.batch)
    parser.add_argument("--tuning-steps", type=int, default=usual.tuning_steps, help="0 leaves the teacher as it is")
    parser.add_argument("--seed", type=int, default=usual.seed)
    options = parser.parse_args()
    torch.set_float32_matmul_precision("high")
    teacher = Teacher(options.teacher, device=options.device, most_tokens=options.most_tokens)
    recipe = Recipe(steps=options.steps, batch=options.batch, seed=options.seed, tuning_steps=options.tuning_steps)
    lesson = prepare_lesson(options.pairs, teacher, recipe, device=options.device, most_pairs=options.most_pairs)
    write_model(options.to, lesson.pieces, train(lesson, recipe).weights(recipe.softening))


if __name__ == "__main__":
    main()
