"""The end of a command while threads still work in C++."""

import subprocess
import sys

BUSY = """
import sys
import threading

from fieldguide.text import regex as re
from fieldguide.cli.main import main

pattern = re.compile(r"(a|b)*c[0-9]+x")
text = "ab" * 200_000


def work():
    while True:
        pattern.search(text)


for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
sys.argv = ["fieldguide", *sys.argv[1:]]
sys.exit(main())
"""


def ended(*words: str) -> tuple[int, str, str]:
    done = subprocess.run([sys.executable, "-c", BUSY, *words], capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, done.stdout, done.stderr


def test_a_command_ends_by_its_own_code_while_threads_are_at_work():
    code, said, complained = ended("--version")

    assert (code, complained) == (0, "")
    assert said.startswith("fieldguide ")


def test_a_refusal_ends_by_its_own_code_too():
    code, _, complained = ended("no-such-command")

    assert code == 2
    assert "terminate" not in complained
