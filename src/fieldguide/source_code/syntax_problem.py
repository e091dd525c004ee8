"""A source text that a parser can't be given, or can make nothing of."""

from fieldguide.errors import Refusal


class SyntaxProblem(Refusal):
    """A file so broken that its imports can't be trusted; the message is `Syntax error at line N`."""

    def __init__(self, line: int) -> None:
        super().__init__(f"Syntax error at line {line}", line=line)
        self.line = line
