"""The parser of a command's arguments, whose help and complaints go the one way to the terminal."""

import argparse
import sys
from typing import Any

from fieldguide.cli.terminal import remark, say


class Parser(argparse.ArgumentParser):
    """An ArgumentParser that prints like every command: a wrong argument is shown, and can't act."""

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        self.color = False  # since Python 3.14 it would bring colours of its own, which would be shown too

    def _print_message(self, message: str, file: Any = None) -> None:
        write = remark if file is sys.stderr else say
        if message:
            write(message.removesuffix("\n"))
