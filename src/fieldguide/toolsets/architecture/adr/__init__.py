"""Architecture decision records: reading them as they are really written, and telling what a proposal does to them."""

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
