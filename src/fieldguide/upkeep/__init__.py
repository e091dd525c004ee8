"""The one upkeep of all toolsets: what a toolset indexes is kept equal to its files while the project is served."""

from fieldguide.upkeep.late import ASKED_FIRST_SECONDS, FEW_FILES, LateUpkeep
from fieldguide.upkeep.readiness import Readiness
from fieldguide.upkeep.running import RunningUpkeeps
from fieldguide.upkeep.tended import Passed, Tended

__all__ = ["ASKED_FIRST_SECONDS", "FEW_FILES", "LateUpkeep", "Passed", "Readiness", "RunningUpkeeps", "Tended"]
