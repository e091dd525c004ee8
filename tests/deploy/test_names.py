"""What the files below `deploy/` and its pages name is there: commands, flags, settings."""

import re
import shlex

from fieldguide.settings.config import Settings
from fieldguide.settings.service import Service
from release.facts import ROOT
from tests.docs.test_code_blocks import check_flags

FILES = [path for path in (ROOT / "deploy").rglob("*") if path.is_file()]
PAGES = [ROOT / "docs" / "guides" / name for name in ("teams.md", "operation.md")]
SETTING = re.compile(r"\bFIELDGUIDE_[A-Z_]+")
COMMAND = re.compile(r"(?:^|[ `/])fieldguide ((?:serve|team|data|doctor) [^`\n]*)", re.MULTILINE)
OWN = {"FIELDGUIDE_STATE"}
NOT_OURS = {"FIELDGUIDE_HOST", "FIELDGUIDE_PASSWORD_FILE"}  # of compose.yaml and of roles.sh


def texts() -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in (*FILES, *PAGES)}


def test_every_setting_is_one_of_this_version():
    fields = (*Settings._fields, *Service._fields)
    known = {f"FIELDGUIDE_{name.upper()}" for name in fields} | OWN | NOT_OURS

    named = {(file, name) for file, text in texts().items() for name in SETTING.findall(text)}
    assert {each for each in named if each[1] not in known and not each[1].startswith("FIELDGUIDE_LIMIT_")} == set()
    assert len(named) > 10


def test_every_command_and_flag_is_one_of_this_version():
    found = [(file, line) for file, text in texts().items() for line in COMMAND.findall(text)]

    for _, line in found:
        words = shlex.split(line.replace(" && ", " # ").split(" # ")[0])
        check_flags(f"fieldguide {line}", [word for word in words if word.isascii()])
    assert len(found) >= 5
