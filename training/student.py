"""The student: a table of rows that are weighted and added up, and what it is taught with."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial

import torch
from torch.nn import functional

from fieldguide.search.static_model import FREQUENCY_POWER
from fieldguide.search.wordpieces import WordPieces

RARE = 1e-4  # the share of all words at which a word keeps half of its weight at the start
BLOCK = 64  # pairs of one source that stand together in a batch: the others are hard negatives
MARGIN = 0.02  # a text that the teacher puts this near to the true answer is none to push away


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything about a run that is not data; the ablations change one thing each."""

    dimensions: int = 256
    steps: int = 2000
    batch: int = 4096
    learning_rate: float = 2e-3
    warm_up: int = 100
    second_moment: float = 0.99  # Adam's usual .999 takes thirty steps at once for a row that comes once in a while
    anchor: float = 0.5  # times the rate: how far each step goes back to the start, which only rare rows feel
    token_dropout: float = 0.1
    temperature: float = 0.05
    contrastive: float = 1.0
    distillation: float = 3.0
    softening: float = 0.75  # at the end a row's length is taken to this power: rare words weigh too much otherwise
    shorter: tuple[tuple[int, float], ...] = ((64, 0.3), (128, 0.3))
    kind_weights: dict[str, int] = field(default_factory=lambda: {"python": 2})
    seed: int = 5


@dataclass(frozen=True, slots=True)
class Tokens:
    """The rows of many texts, one after the other: text `n` has those from `starts[n]` up to `starts[n + 1]`."""

    rows: torch.Tensor
    weights: torch.Tensor
    starts: torch.Tensor

    def to(self, device: str) -> "Tokens":
        """The same on another device."""
        return Tokens(self.rows.to(device), self.weights.to(device), self.starts.to(device))


def tokenise(texts: Sequence[str], pieces: list[str], workers: int) -> Tokens:
    """Cut texts as the shipped encoder does, in several processes."""
    slices = [texts[start : start + 20_000] for start in range(0, len(texts), 20_000)]
    with ProcessPoolExecutor(workers) as pool:
        parts = list(pool.map(partial(_tokenise, pieces=pieces), slices))
    lengths = torch.cat([part[2] for part in parts])
    starts = torch.cat([torch.zeros(1, dtype=torch.long), lengths.cumsum(0)])
    return Tokens(torch.cat([part[0] for part in parts]), torch.cat([part[1] for part in parts]), starts)


def _tokenise(texts: Sequence[str], pieces: list[str]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    words = WordPieces({piece: row for row, piece in enumerate(pieces)})
    counts = [words.count(text) for text in texts]
    rows = torch.tensor([row for count in counts for row in count], dtype=torch.int32)
    times = torch.tensor([time for count in counts for time in count.values()], dtype=torch.float32)
    return rows, times**FREQUENCY_POWER, torch.tensor([len(count) for count in counts], dtype=torch.long)


def first_table(of_pieces: torch.Tensor, tokens: Tokens, dimensions: int) -> torch.Tensor:
    """Where training starts: the teacher's vector of each piece, its main directions, frequent words made short."""
    centred = of_pieces.float() - of_pieces.float().mean(0)
    _, _, directions = torch.linalg.svd(centred, full_matrices=False)
    frequency = torch.bincount(tokens.rows, minlength=len(centred)).float() / len(tokens.rows)
    return centred @ directions[:dimensions].T * (RARE / (RARE + frequency))[:, None]


def softened(table: torch.Tensor, power: float) -> torch.Tensor:
    """The rows in their directions, their lengths nearer to each other."""
    return table * table.norm(dim=1, keepdim=True).clamp_min(1e-6) ** (power - 1)


def embed(table: torch.Tensor, tokens: Tokens, texts: torch.Tensor, dropout: float = 0.0) -> torch.Tensor:
    """The sums of the rows of some texts."""
    starts = tokens.starts[texts]
    lengths = tokens.starts[texts + 1] - starts
    offsets = lengths.cumsum(0) - lengths
    places = torch.arange(int(lengths.sum()), device=table.device)
    places += torch.repeat_interleave(starts - offsets, lengths)
    weights = tokens.weights[places]
    if dropout:
        weights = weights * (torch.rand_like(weights) >= dropout)
    return functional.embedding_bag(tokens.rows[places], table, offsets.int(), mode="sum", per_sample_weights=weights)


def batches(sources: Sequence[str], weights: Sequence[int], recipe: Recipe) -> Iterator[torch.Tensor]:
    """Without end, the numbers of pairs in blocks of one source; a pair of weight two comes twice an epoch."""
    chance = torch.Generator().manual_seed(recipe.seed)
    members: dict[str, list[int]] = {}
    for number, (source, weight) in enumerate(zip(sources, weights, strict=True)):
        members.setdefault(source, []).extend([number] * weight)
    lists = [torch.tensor(numbers) for numbers in members.values()]
    block = min(BLOCK, recipe.batch // 4)
    while True:
        shuffled = [numbers[torch.randperm(len(numbers), generator=chance)] for numbers in lists]
        blocks = [part for numbers in shuffled for part in numbers.split(block) if len(part) == block]
        order = torch.randperm(len(blocks), generator=chance).tolist()
        size = min(recipe.batch // block, len(blocks))
        for start in range(0, len(order) - size + 1, size):
            yield torch.cat([blocks[n] for n in order[start : start + size]])


def loss(
    student: tuple[torch.Tensor, torch.Tensor],
    teacher: tuple[torch.Tensor, torch.Tensor],
    same: torch.Tensor,
    recipe: Recipe,
) -> torch.Tensor:
    """Tell each answer from the others of the batch, and find alike what the teacher finds alike."""
    judged = teacher[0].float() @ teacher[1].float().T
    alike = _alike(student, recipe.dimensions) / recipe.temperature
    total = judged.new_zeros(())
    if recipe.contrastive:
        mirrored, right = judged.T, judged.diagonal()[:, None] - MARGIN
        other = torch.eye(len(judged), device=judged.device, dtype=torch.bool).logical_not_()
        hidden = other & (same | (judged > right)), other & (same.T | (mirrored > right))
        total = total + recipe.contrastive * _told_apart(alike, hidden)
        for dimensions, share in recipe.shorter:
            shorter = _alike(student, dimensions) / recipe.temperature
            total = total + share * recipe.contrastive * _told_apart(shorter, hidden)
    if recipe.distillation:
        goal = judged / recipe.temperature
        total = total + recipe.distillation * (_apart(alike, goal) + _apart(alike.T, goal.T)) / 2
    return total


def _alike(sides: tuple[torch.Tensor, torch.Tensor], dimensions: int) -> torch.Tensor:
    queries, texts = (functional.normalize(side[:, :dimensions], dim=-1) for side in sides)
    return queries @ texts.T


def _told_apart(alike: torch.Tensor, hidden: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
    """Cross entropy in both directions; `hidden` are those that may be answers too."""
    wanted = torch.arange(len(alike), device=alike.device)
    forward = functional.cross_entropy(alike.masked_fill(hidden[0], -torch.inf), wanted)
    return (forward + functional.cross_entropy(alike.T.masked_fill(hidden[1], -torch.inf), wanted)) / 2


def _apart(alike: torch.Tensor, goal: torch.Tensor) -> torch.Tensor:
    return functional.kl_div(alike.log_softmax(1), goal.log_softmax(1), log_target=True, reduction="batchmean")
