"""The settings of one project in a service: the service's own, with what the project says to describe itself.

Everything with power comes from the service: its database, its limits, its models. What the project's file asks for
beyond itself is not obeyed, also where the person has allowed it to that folder for their own use.
"""

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from fieldguide.config import POWERFUL_TABLES, Settings, read_settings
from fieldguide.errors import Unreadable

FLAGS = ("toolsets", "tool_names")


def hosted_settings(service: Settings, given: Mapping[str, Any], *, root: str, tenant: str) -> Settings:
    """How the project in this folder is served; `given` are the flags that the service was started with."""
    if not os.path.isdir(root):
        raise Unreadable("The folder of the project is not there.")
    flags = {name: given.get(name) for name in FLAGS}
    own = read_settings({**flags, "project": root, "service": service.service._asdict()}, os.environ)
    described = {name: table for name, table in own.sections.items() if name not in POWERFUL_TABLES}
    powerful = {name: table for name, table in service.sections.items() if name in POWERFUL_TABLES}
    return replace(
        own,
        tenant=tenant,
        database=service.database,
        limits=service.limits,
        profile=service.profile,
        read_only=service.read_only or own.read_only,
        sections={**described, **powerful},
        user=None,
        http=None,
        projects=False,
    )
