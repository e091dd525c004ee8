"""The teacher: all-MiniLM-L6-v2, whose judgement of what is alike the student learns."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer
from transformers import AutoModel

TOKENS_IN_A_BATCH = {"cuda": 400_000, "cpu": 8_192}
SLICE = 65_536


class Cut:
    """Texts as the teacher's tokens, one after the other on the device; cut once, read as often as needed."""

    def __init__(self, texts: Sequence[str], tokenizer: Tokenizer, device: str) -> None:
        found: list[np.ndarray[tuple[int], np.dtype[np.int32]]] = []
        for start in range(0, len(texts), SLICE):
            encoded = tokenizer.encode_batch_fast(list(texts[start : start + SLICE]))
            found += (np.array(each.ids, np.int32) for each in encoded)
        self.lengths = torch.tensor([len(each) for each in found], device=device)
        self.starts = self.lengths.cumsum(0) - self.lengths
        self._tokens = torch.tensor(np.concatenate(found)).to(device)

    def equally_long(self, texts: torch.Tensor, length: int) -> torch.Tensor:
        """The tokens of some texts that all have this length."""
        places = self.starts[texts][:, None] + torch.arange(length, device=texts.device)
        return self._tokens[places].long()

    def padded(self, texts: torch.Tensor, most: int) -> tuple[torch.Tensor, torch.Tensor]:
        """The first tokens of some texts, and which places hold one."""
        lengths = self.lengths[texts].clamp_max(most)
        places = torch.arange(int(lengths.max()), device=texts.device)
        mask = places[None] < lengths[:, None]
        wanted = (self.starts[texts][:, None] + places[None]).clamp_max(len(self._tokens) - 1)
        return torch.where(mask, self._tokens[wanted], 0).long(), mask


class Teacher:
    """Embeds texts as the model's card says: mean of the last layer, length one."""

    def __init__(self, folder: Path, *, device: str, most_tokens: int = 256) -> None:
        self._device = device
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.enable_truncation(most_tokens)
        self._tokenizer.no_padding()
        self.model = (
            AutoModel.from_pretrained(folder, dtype=torch.float32, attn_implementation="sdpa").to(device).eval()
        )

    def cut(self, texts: Sequence[str]) -> Cut:
        """These texts in tokens."""
        return Cut(texts, self._tokenizer, self._device)

    def embed(self, texts: Sequence[str]) -> torch.Tensor:
        """One row of half-precision numbers for each text, on the device."""
        return self.read(self.cut(texts))

    @torch.no_grad()
    def read(self, cut: Cut) -> torch.Tensor:
        """The same for texts that are cut already: those of one length together, which needs no padding."""
        result = torch.empty(len(cut.lengths), self.model.config.hidden_size, dtype=torch.float16, device=self._device)
        order = cut.lengths.argsort()
        lengths, counts = torch.unique_consecutive(cut.lengths[order].cpu(), return_counts=True)
        kind = torch.float16 if self._device == "cuda" else torch.bfloat16
        with torch.autocast(self._device, kind, enabled=self._device == "cuda"):
            for length, texts in zip(lengths.tolist(), order.split(counts.tolist()), strict=True):
                for part in texts.split(max(1, TOKENS_IN_A_BATCH[self._device] // length)):
                    result[part] = pooled(self.model, cut.equally_long(part, length)).half()
        return result


def pooled(model: torch.nn.Module, tokens: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
    """The mean of the last layer over the tokens that the mask shows, at length one."""
    hidden = model(input_ids=tokens, attention_mask=None if mask is None else mask.long()).last_hidden_state.float()
    mean = hidden.mean(1) if mask is None else (hidden * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
    return torch.nn.functional.normalize(mean, dim=-1)
