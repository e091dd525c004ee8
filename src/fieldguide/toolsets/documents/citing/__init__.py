"""The places of documents: as they are cited, and as a caller may give them back."""

from fieldguide.toolsets.documents.citing.places import DocumentPlaces, Meant

__all__ = ["DocumentPlaces", "Meant"]
