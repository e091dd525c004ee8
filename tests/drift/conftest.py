"""A repository whose documentation names what its code has."""

import pytest

from tests.git_projects import GitProject

CODE = """\
import argparse

RETRY_LIMIT = 3


class PriceList:
    def add_price(self, item, amount):
        return item, amount


def total_price(items):
    return sum(items)


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--dry-run")
    return parser
"""
GUIDE = """\
# Guide

Call `total_price()` for the sum, or `PriceList.add_price`.

Set `RETRY_LIMIT` to try more often, and give `--dry-run` to try nothing.

The code is in `shop/prices.py`, and [the other half](../shop/mail.py) beside it.
"""


@pytest.fixture
def shop(project) -> GitProject:
    made = GitProject(project.root)
    made.write("shop/prices.py", CODE)
    made.write("shop/mail.py", "def send_mail(address, words):\n    return address, words, len(words)\n")
    made.write("docs/guide.md", GUIDE)
    made.commit_all("Open the shop")
    return made


def rewrite(shop: GitProject, path: str, old: str, new: str) -> None:
    """Change a file of the shop."""
    target = shop.root / path
    target.write_text(target.read_text().replace(old, new))
