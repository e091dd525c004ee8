"""Architecture decision records: reading them as they are really written, and telling what a proposal does to them."""

from fieldguide.decisions.reading.links import Links, Ties, link_records
from fieldguide.decisions.reading.reader import is_record, read_record
from fieldguide.decisions.reading.record import Option, Passage, Record, Reference

__all__ = [
    "Links",
    "Option",
    "Passage",
    "Record",
    "Reference",
    "Ties",
    "is_record",
    "link_records",
    "read_record",
]
