"""A small shop as a stranger's repository: a guide, a decision, code that is used, and two commits."""

from pathlib import Path

from tests.git_projects import GitProject

RECORD = """\
# 2. Keep orders in PostgreSQL

Status: accepted

## Context

Orders must survive a crash of the shop. Which database keeps the orders?

## Decision

We keep orders in PostgreSQL, because the payment clerk already runs it and can restore a backup.

## Consequences

- The shop needs a database to start.
"""
GUIDE = """\
# Shop

The shop sells foxes and keeps their orders.

## Installation

Get the wheel and install it.

## How to cancel an order

Call `cancel_order` with the number of the order. An order that was paid is paid back first,
and the clerk gets a note. An order that has left the house can't be cancelled any more.

## License

All yours.
"""
ORDERS = '''\
"""Orders."""


class OrderBook:
    """Keeps the orders of a shop."""

    def cancel_order(self, number: int) -> None:
        """Cancel an order."""
'''
DESK = "from shop.orders import OrderBook\n\n\ndef serve_{0}() -> None:\n    OrderBook().cancel_order({0})\n"


def shop_in(root: Path) -> GitProject:
    """The shop in a folder, which is made if it is not there."""
    root.mkdir(exist_ok=True)
    project = GitProject(root)
    project.write("README.md", GUIDE)
    project.write("docs/adr/0002-keep-orders-in-postgresql.md", RECORD)
    project.write("shop/orders.py", ORDERS)
    project.write("AGENTS.md", "# For agents\n")
    for number in range(12):
        project.write(f"shop/desk_{number}.py", DESK.format(number))
    project.git("add", "--all")
    project.commit_all("Open the shop")
    project.commit("Say more about foxes", "docs/foxes.md", author="Bob Builder")
    return project
