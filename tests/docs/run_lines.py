"""Runs command lines one after the other in one process, which spares each the start: `python -m tests.docs.run_lines`.

Reads a list of lists of words as JSON from stdin, and writes for each its exit code and what it printed.
"""

import contextlib
import io
import json
import os
import sys

from fieldguide.cli.main import main


def run(words: list[str]) -> tuple[int, str]:
    """Run one line, and take what it prints."""
    printed = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    try:
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            code = main(words)
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 2
    printed.flush()
    return code, printed.buffer.getvalue().decode()


if __name__ == "__main__":
    done = [run(words) for words in json.load(sys.stdin)]
    print(json.dumps(done), flush=True)
    os._exit(0)  # threads of the commands would be waited for
