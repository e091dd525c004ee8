"""What a proposal does to the decision records of a project.

Ranking: `alignment` is the check itself. It takes the records that are nearest by `ranking` (words) and `nearness`
(vectors), and asks about each.

Judging a record: `features` is what is compared. `evidence` looks at long proposals, by `claims` and rules;
`short_evidence` at those of a sentence or two, where every word is meant: `pointed` reads the proposal, `ground` the
record (`refusals`, `dismissals`, `frames`, `amounts`), `contrast` and `preference` compare the two. `verdict` weighs
each `finding` and says why, `suggestions` what to do.

Words: `terms` and `names` words; `aliases`, `kinds` and `opposites` are known beforehand.
"""

from fieldguide.toolsets.architecture.adr.alignment import Alignment, Conflict, Related, Verdicts

__all__ = ["Alignment", "Conflict", "Related", "Verdicts"]
