"""Programs that measure Fieldguide beside other servers, in one run on one machine."""

import atexit
import os
import shutil
import tempfile

# What servers keep for a measured project lies in a folder of this run's own, and never among a person's own things.
if "FIELDGUIDE_STATE" not in os.environ:
    os.environ["FIELDGUIDE_STATE"] = tempfile.mkdtemp(prefix="fieldguide-benchmarks-")
    atexit.register(shutil.rmtree, os.environ["FIELDGUIDE_STATE"], ignore_errors=True)


def clean_environment(*unwanted: str) -> dict[str, str]:
    """The caller's environment without what would favour or hinder a server."""
    refused = ("PYTHON", "FIELDGUIDE_", *unwanted)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(refused)}
    return {**kept, "FIELDGUIDE_STATE": os.environ["FIELDGUIDE_STATE"]}
