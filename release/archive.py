"""A zip file that is the same, byte for byte, whenever and wherever it is made from the same files."""

import zipfile
from collections.abc import Mapping
from pathlib import Path

EARLIEST = (1980, 1, 1, 0, 0, 0)  # the first moment that a zip file knows
PLAIN_FILE = 0o100644 << 16
UNIX = 3


def write_zip(path: Path, files: Mapping[str, bytes]) -> None:
    """Write files, by their names, in the order of the names."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, EARLIEST)
            entry.external_attr, entry.create_system = PLAIN_FILE, UNIX
            entry.compress_type = zipfile.ZIP_STORED if name.endswith(".whl") else zipfile.ZIP_DEFLATED
            archive.writestr(entry, files[name])
