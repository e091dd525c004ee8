"""The student: a table of rows that are weighted and added up, a small network for documents, and the loss."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from fieldguide.search.models.static import FREQUENCY_POWER, RowGate, WordPieces
from training.model_file import Weights
from training.model_in_numpy import Network

Hidden = tuple[torch.Tensor, torch.Tensor]
Numbers = NDArray[np.generic]

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
    gated: bool = True  # a row counts less the nearer it is to the sum of all
    hidden: int = 512  # the width of the network that documents go through; 0 is none
    shorter: tuple[tuple[int, float], ...] = ((64, 0.3), (128, 0.3))
    tuning_steps: int = 300
    tuning_batch: int = 1024
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
    rows, weights, lengths = (torch.from_numpy(np.concatenate(each)) for each in zip(*parts, strict=True))
    starts = torch.cat([torch.zeros(1, dtype=torch.long), lengths.cumsum(0)])
    return Tokens(rows, weights, starts)


def _tokenise(texts: Sequence[str], pieces: list[str]) -> tuple[Numbers, Numbers, Numbers]:
    """In a forked process, where PyTorch's threads are not: numpy alone."""
    words = WordPieces({piece: row for row, piece in enumerate(pieces)})
    counts = [words.count(text) for text in texts]
    rows = np.array([row for count in counts for row in count], np.int32)
    times = np.array([time for count in counts for time in count.values()], np.float32)
    return rows, times**FREQUENCY_POWER, np.array([len(count) for count in counts], np.int64)


def first_table(of_pieces: torch.Tensor, tokens: Tokens, dimensions: int) -> torch.Tensor:
    """Where training starts: the teacher's vector of each piece, its main directions, frequent words made short."""
    centred = of_pieces.float() - of_pieces.float().mean(0)
    _, _, directions = torch.linalg.svd(centred, full_matrices=False)
    frequency = torch.bincount(tokens.rows, minlength=len(centred)).float() / len(tokens.rows)
    return centred @ directions[:dimensions].T * (RARE / (RARE + frequency))[:, None]


def softened(table: torch.Tensor, power: float) -> torch.Tensor:
    """The rows in their directions, their lengths nearer to each other."""
    return table * table.norm(dim=1, keepdim=True).clamp_min(1e-6) ** (power - 1)


class Student(torch.nn.Module):
    """The table, the gate and the network of one run."""

    def __init__(self, start: torch.Tensor, recipe: Recipe) -> None:
        super().__init__()
        self.table = torch.nn.Parameter(start.clone())
        self.gate = torch.nn.Parameter(torch.zeros(2, device=start.device), requires_grad=recipe.gated)
        self.widen = torch.nn.Linear(recipe.dimensions, recipe.hidden, device=start.device)
        self.narrow = torch.nn.Linear(recipe.hidden, recipe.dimensions, bias=False, device=start.device)
        torch.nn.init.zeros_(self.narrow.weight)

    def ask(self, tokens: Tokens, texts: torch.Tensor, dropout: float = 0.0) -> torch.Tensor:
        """The vectors of queries: the sums of their rows, of any length."""
        rows, weights, owners, offsets = _spread(tokens, texts, dropout)
        total = _sums(self.table, rows, weights, offsets)
        if not self.gate.requires_grad:
            return total
        directions, middles = functional.normalize(self.table, dim=-1), functional.normalize(total, dim=-1)
        alike = (directions[rows] * middles[owners]).sum(1)
        return _sums(self.table, rows, weights * torch.sigmoid(self.gate[0] * alike + self.gate[1]), offsets)

    def answer(self, tokens: Tokens, texts: torch.Tensor, dropout: float = 0.0) -> torch.Tensor:
        """The vectors of documents."""
        vectors = functional.normalize(self.ask(tokens, texts, dropout), dim=-1)
        return vectors + self.narrow(torch.relu(self.widen(vectors)))

    def weights(self, softening: float) -> Weights:
        """What is shipped: rows that came seldom ended up long, and are shortened."""
        slope, at = self.gate.tolist()
        parts = self.widen.weight.T, self.widen.bias, self.narrow.weight.T
        network = Network(*(part.detach().cpu().numpy() for part in parts))
        return Weights(softened(self.table.detach(), softening).cpu().numpy(), RowGate(slope, at), network)


def _spread(
    tokens: Tokens, texts: torch.Tensor, dropout: float
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """The rows of some texts, their weights, the text of each, and where each text starts."""
    starts = tokens.starts[texts]
    lengths = tokens.starts[texts + 1] - starts
    offsets = lengths.cumsum(0) - lengths
    places = torch.arange(int(lengths.sum()), device=texts.device)
    places += torch.repeat_interleave(starts - offsets, lengths)
    weights = tokens.weights[places]
    if dropout:
        weights = weights * (torch.rand_like(weights) >= dropout)
    owners = torch.repeat_interleave(torch.arange(len(texts), device=texts.device), lengths)
    return tokens.rows[places].long(), weights, owners, offsets


def _sums(table: torch.Tensor, rows: torch.Tensor, weights: torch.Tensor, offsets: torch.Tensor) -> torch.Tensor:
    return functional.embedding_bag(rows, table, offsets, mode="sum", per_sample_weights=weights)


def batches(sources: Sequence[str], weights: Sequence[int], *, batch: int, seed: int) -> Iterator[torch.Tensor]:
    """Without end, the numbers of pairs in blocks of one source; a pair of weight two comes twice an epoch."""
    chance = torch.Generator().manual_seed(seed)
    members: dict[str, list[int]] = {}
    for number, (source, weight) in enumerate(zip(sources, weights, strict=True)):
        members.setdefault(source, []).extend([number] * weight)
    lists = [torch.tensor(numbers) for numbers in members.values()]
    block = min(BLOCK, batch // 4)
    while True:
        shuffled = [numbers[torch.randperm(len(numbers), generator=chance)] for numbers in lists]
        blocks = [part for numbers in shuffled for part in numbers.split(block) if len(part) == block]
        order = torch.randperm(len(blocks), generator=chance).tolist()
        size = min(batch // block, len(blocks))
        for start in range(0, len(order) - size + 1, size):
            yield torch.cat([blocks[n] for n in order[start : start + size]])


def loss(
    student: tuple[torch.Tensor, torch.Tensor], judged: torch.Tensor, hidden: Hidden, recipe: Recipe
) -> torch.Tensor:
    """Tell each answer from the others of the batch, and find alike what the teacher finds alike."""
    alike = _alike(student, recipe.dimensions) / recipe.temperature
    total = judged.new_zeros(())
    if recipe.contrastive:
        total = total + recipe.contrastive * told_apart(alike, hidden)
        for dimensions, share in recipe.shorter:
            shorter = _alike(student, dimensions) / recipe.temperature
            total = total + share * recipe.contrastive * told_apart(shorter, hidden)
    if recipe.distillation:
        goal = judged / recipe.temperature
        total = total + recipe.distillation * (apart(alike, goal) + apart(alike.T, goal.T)) / 2
    return total


def hidden_ones(judged: torch.Tensor, queries: torch.Tensor, texts: torch.Tensor) -> Hidden:
    """Which of the others may be answers too, seen from each query and from each text."""
    same = (texts[:, None] == texts[None]) | (queries[:, None] == queries[None])
    right = judged.diagonal()[:, None] - MARGIN
    other = torch.eye(len(judged), device=judged.device, dtype=torch.bool).logical_not_()
    return other & (same | judged.gt(right)), other & (same.T | judged.T.gt(right))


def told_apart(alike: torch.Tensor, hidden: Hidden) -> torch.Tensor:
    """Cross entropy in both directions, without those that are hidden."""
    wanted = torch.arange(len(alike), device=alike.device)
    forward = functional.cross_entropy(alike.masked_fill(hidden[0], -torch.inf), wanted)
    return (forward + functional.cross_entropy(alike.T.masked_fill(hidden[1], -torch.inf), wanted)) / 2


def apart(alike: torch.Tensor, goal: torch.Tensor) -> torch.Tensor:
    """How far the student's likeness is from the teacher's, as distributions over the batch."""
    return functional.kl_div(alike.log_softmax(1), goal.log_softmax(1), log_target=True, reduction="batchmean")


def _alike(sides: tuple[torch.Tensor, torch.Tensor], dimensions: int) -> torch.Tensor:
    queries, texts = (functional.normalize(side[:, :dimensions], dim=-1) for side in sides)
    return queries @ texts.T
