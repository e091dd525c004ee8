"""JSON, TOML and YAML that somebody else wrote, read within limits: of size, of depth, and of time by both.

`read_json`, `read_toml` and `read_yaml` stand in modules of their own; each raises Malformed and nothing else.
"""


class Malformed(ValueError):
    """A text that is not what it should be, or more of it than anybody writes; `reason` is the end of a sentence."""

    def __init__(self, reason: str, line: int = 1) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line
