"""Whether what an answer holds still says the truth about the code, as the last upkeep left it."""

from fieldguide.staleness.ties.asking import States
from fieldguide.toolset import Services


def states_of(services: Services) -> States:
    """The stale places of the project that is served: one query."""
    return States(services.engine().database, services.namespace, services.project)
