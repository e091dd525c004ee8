"""The teacher: all-MiniLM-L6-v2, whose judgement of what is alike the table learns."""

from collections.abc import Sequence
from pathlib import Path

import torch
from tokenizers import Tokenizer
from transformers import AutoModel

TOKENS_IN_A_BATCH = 262_144
SLICE = 65_536


class Teacher:
    """Embeds texts as the model's card says: mean of the last layer, length one."""

    def __init__(self, folder: Path, *, device: str, most_tokens: int = 256) -> None:
        self._device = device
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.enable_truncation(most_tokens)
        self._tokenizer.no_padding()
        kind = torch.float16 if device == "cuda" else torch.float32
        self._model = AutoModel.from_pretrained(folder, dtype=kind, attn_implementation="sdpa").to(device).eval()
        self._batch = TOKENS_IN_A_BATCH if device == "cuda" else 8_192

    @torch.inference_mode()
    def embed(self, texts: Sequence[str]) -> torch.Tensor:
        """One row of half-precision numbers for each text, on the device."""
        result = torch.empty(len(texts), self._model.config.hidden_size, dtype=torch.float16, device=self._device)
        for start in range(0, len(texts), SLICE):
            encoded = [e.ids for e in self._tokenizer.encode_batch_fast(list(texts[start : start + SLICE]))]
            order = sorted(range(len(encoded)), key=lambda n: len(encoded[n]))
            while order:
                longest = len(encoded[order[-1]])
                chosen = order[-max(1, self._batch // longest) :]
                del order[-len(chosen) :]
                rows = torch.tensor([start + n for n in chosen], device=self._device)
                result[rows] = self._embed_batch([encoded[n] for n in chosen], longest)
        return result

    def _embed_batch(self, encoded: list[list[int]], longest: int) -> torch.Tensor:
        ids = torch.tensor([row + [0] * (longest - len(row)) for row in encoded], device=self._device)
        lengths = torch.tensor([len(row) for row in encoded], device=self._device)
        mask = torch.arange(longest, device=self._device)[None] < lengths[:, None]
        hidden = self._model(input_ids=ids, attention_mask=mask.long()).last_hidden_state.float()
        mean = (hidden * mask[..., None]).sum(1) / lengths[:, None]
        return torch.nn.functional.normalize(mean, dim=-1).half()
