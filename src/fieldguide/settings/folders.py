"""Locates the person's configuration and state folders (XDG) and login name."""

import os
from collections.abc import Mapping

STATE_VARIABLE = "FIELDGUIDE_STATE"
PRIVATE_FOLDER = 0o700
PRIVATE_FILE = 0o600


def find_config_folder(environment: Mapping[str, str] = os.environ) -> str:
    """The folder of the person's settings and consents (XDG)."""
    return os.path.join(find_xdg_folder("XDG_CONFIG_HOME", ".config", environment), "fieldguide")


def find_state_root(environment: Mapping[str, str] = os.environ) -> str:
    """The folder that holds a folder for each project: `FIELDGUIDE_STATE`, else the user's state folder (XDG)."""
    named = environment.get(STATE_VARIABLE)
    if named:
        return os.path.abspath(os.path.expanduser(named))
    state = find_xdg_folder("XDG_STATE_HOME", os.path.join(".local", "state"), environment)
    return os.path.join(state, "fieldguide")


def find_login_name(environment: Mapping[str, str] = os.environ) -> str | None:
    """The name of whoever is logged in; None where this login has none."""
    for variable in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        if environment.get(variable, "").strip():
            return environment[variable].strip()
    try:
        import pwd

        return pwd.getpwuid(os.getuid()).pw_name or None
    except (ImportError, KeyError):
        return None


def find_xdg_folder(variable: str, usual: str, environment: Mapping[str, str] = os.environ) -> str:
    """A folder of the XDG specification; a relative path there counts for nothing, as it says."""
    named = environment.get(variable, "")
    home = environment.get("HOME") or os.path.expanduser("~")
    return named if os.path.isabs(named) else os.path.join(home, usual)
