"""An indexed project with everything that a hook can tell of, and the ways to run a hook in this process."""

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from fieldguide.cli import hook
from fieldguide.cli.main import main
from tests.git_projects import GitProject
from tests.indexed_projects import index_whole

ORDERS = '''\
"""Orders of a shop."""


class OrderLedger:
    """Keeps orders."""

    def place_order(self, basket):
        """Place an order for a basket."""
        return reserve_stock(basket)


def reserve_stock(basket):
    """Reserve what a basket holds."""
    return list(basket)


def cancel_reservation(basket):
    """Give back what was reserved."""
    return None
'''
TESTS = """\
from shop.orders import OrderLedger, reserve_stock


def test_an_order_is_placed():
    assert OrderLedger().place_order(["tea"]) == ["tea"]


def test_stock_is_reserved():
    assert reserve_stock(["tea"]) == ["tea"]
"""
PATTERN = """\
---
title: Output
prose: false
rules:
  - id: no-print
    message: Output goes through the logger.
    languages: [python]
    forbid-call: [print]
---
# Output
"""
DECISION = """\
# 1. Reserve stock first

## Status

Accepted

## Context

`shop/orders.py` sold what was not there.

## Decision

`reserve_stock` runs before anything is paid.
"""
GUIDE = """\
# How orders work

An order is placed by `OrderLedger`. To give stock back call `cancel_reservation` with the basket.
"""


def write_shop(root: Path) -> GitProject:
    """A small shop with tests, a rule, a decision, an owner and documents, and some history; indexed."""
    root.mkdir()
    project = GitProject(root)
    project.write("shop/__init__.py", "")
    project.write("shop/orders.py", ORDERS)
    project.write("shop/prices.py", "def round_price(value):\n    return round(value, 2)\n")
    project.write("tests/test_orders.py", TESTS)
    project.write("mcp/resources/patterns/output.md", PATTERN)
    project.write("docs/decisions/0001-reserve-stock-first.md", DECISION)
    project.write("docs/orders.md", GUIDE)
    project.write("CODEOWNERS", "shop/orders.py @shop/orders\n")
    project.commit_all("Add the shop")
    for number in range(3):
        project.write("shop/orders.py", f"{ORDERS}\n\nEDITION = {number}\n")
        project.write("tests/test_orders.py", f"{TESTS}\n\nEDITION = {number}\n")
        project.commit_all(f"Edition {number} of orders")
    index_whole(root)
    return project


class HookRunner:
    """Runs hooks as clients do, but for the process."""

    def __init__(self, project: GitProject, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
        self.project = project
        self._monkeypatch = monkeypatch
        self._capsys = capsys
        monkeypatch.setattr(hook, "COLD_SECONDS", 120.0)  # a busy machine

    def raw(self, event: str, data: bytes, client: str = "claude-code") -> str:
        """What a hook prints for some bytes; it always ends with 0 and complains to nobody."""
        self._monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        assert main(["hook", event, "--client", client]) == 0
        printed = self._capsys.readouterr()
        assert printed.err == ""
        out: str = printed.out
        return out

    def answer(self, event: str, client: str = "claude-code", session: str = "s1", **given: Any) -> dict[str, Any]:
        """The object that a hook prints; empty where it prints nothing."""
        said = {"cwd": str(self.project.root), **({"session_id": session} if session else {}), **given}
        out = self.raw(event, json.dumps(said).encode(), client)
        return json.loads(out) if out else {}

    def context(self, event: str, **given: Any) -> str:
        """The text that Claude Code would put before the model."""
        answer = self.answer(event, **given)
        text: str = answer["hookSpecificOutput"]["additionalContext"] if answer else ""
        return text

    def show(self, event: str, words: str) -> str:
        """What is printed for a person."""
        assert main(["hook", event, "--show", words, "--project", str(self.project.root)]) == 0
        out: str = self._capsys.readouterr().out
        return out
