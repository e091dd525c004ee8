"""What each feature counts: learnt by `training/brief.py` from the tasks of public repositories; nobody chose these."""

FIRST: dict[str, float] = {
    "": -4.6, "text": 1.0, "next_text": 0.5, "words": 1.5, "likeness": 0.5, "path": 0.6, "recent": 0.8, "text_rank": 0.6,
}  # fmt: skip
FILE: dict[str, float] = {**FIRST, "together": 0.3}
CHUNK: dict[str, float] = {"": -1.0, "file": 0.9, "rank": 0.5, "lines": 0.5, "words": 1.0, "share": 0.6}
LINE: dict[str, float] = {"": -1.5, "chunk": 0.9, "lines": -0.8, "said": 1.0, "said_near": 2.0, "is_blank": -0.7}
