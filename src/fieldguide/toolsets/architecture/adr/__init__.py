"""Architecture decision records: reading them as they are really written, and telling what a proposal does to them.

Reading a record: `reader` puts together what `front_matter`, `sections`, `unsectioned`, `status`, `options` and
`references` find; `record` has the values, `links` the ties between records in both directions.

Ranking: `alignment` is the check itself. It takes the records that are nearest by `ranking` (words) and `nearness`
(vectors), and asks about each.

Judging a record: `features` is what is compared. `evidence` looks at long proposals, by `claims` and rules;
`short_evidence` at those of a sentence or two, where every word is meant: `pointed` reads the proposal, `ground` the
record (`refusals`, `dismissals`, `frames`, `amounts`), `contrast` and `preference` compare the two. `verdict` weighs
each `finding` and says why, `suggestions` what to do.

Words: `prose` cuts sentences, `terms` and `names` words; `aliases`, `kinds` and `opposites` are known beforehand.
"""

from fieldguide.toolsets.architecture.adr.alignment import Alignment, Conflict, Related, Verdicts
from fieldguide.toolsets.architecture.adr.links import Links, Ties, link_records
from fieldguide.toolsets.architecture.adr.reader import is_record, read_record
from fieldguide.toolsets.architecture.adr.record import Option, Passage, Record, Reference

__all__ = [
    "Alignment",
    "Conflict",
    "Links",
    "Option",
    "Passage",
    "Record",
    "Reference",
    "Related",
    "Ties",
    "Verdicts",
    "is_record",
    "link_records",
    "read_record",
]
