"""Make the teacher one for documentation and code: some steps on the pairs, held near to what it thought before."""

import copy
from collections.abc import Iterator

import torch

from training.student import Recipe, apart, hidden_ones, told_apart
from training.teacher import Cut, Teacher, pooled

LEARNING_RATE = 4e-5
WARM_UP = 50
MOST_TOKENS = 160  # of a text: most say by then what they are about
PARTS = 4  # a batch is read in parts of nearly equal length, which saves padding
TEMPERATURE = 0.05


def tune(
    teacher: Teacher, cut: Cut, pairs: tuple[torch.Tensor, torch.Tensor], stream: Iterator[torch.Tensor], recipe: Recipe
) -> Iterator[float]:
    """Change the teacher in place; gives the loss of each step."""
    before = copy.deepcopy(teacher.model)
    model = teacher.model.train()
    optimiser = torch.optim.AdamW(model.parameters(), lr=LEARNING_RATE, weight_decay=0.01)
    for step in range(recipe.tuning_steps):
        chosen = next(stream).to(cut.lengths.device)
        sides = pairs[0][chosen], pairs[1][chosen]
        with torch.no_grad():
            judged = torch.mm(_read(before, cut, sides[0]), _read(before, cut, sides[1]).T)
        alike = torch.mm(_read(model, cut, sides[0]), _read(model, cut, sides[1]).T) / TEMPERATURE
        goal = judged / TEMPERATURE
        loss = told_apart(alike, hidden_ones(judged, *sides)) + (apart(alike, goal) + apart(alike.T, goal.T)) / 2
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        optimiser.param_groups[0]["lr"] = (
            LEARNING_RATE * min(1, (step + 1) / WARM_UP) * (1 - step / recipe.tuning_steps)
        )
        optimiser.step()
        yield loss.item()
    model.eval()


def _read(model: torch.nn.Module, cut: Cut, texts: torch.Tensor) -> torch.Tensor:
    order = cut.lengths[texts].argsort()
    device = texts.device.type
    with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
        parts = [pooled(model, *cut.padded(part, MOST_TOKENS)) for part in texts[order].chunk(PARTS)]
    vectors = torch.cat(parts).float()
    return torch.empty_like(vectors).index_copy(0, order, vectors)
