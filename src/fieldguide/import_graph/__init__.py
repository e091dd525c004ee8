"""Which files of a project import which: kept beside the index, and asked in either direction."""
