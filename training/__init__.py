"""How the embedding model in `fieldguide.search.model` is made: not part of the wheel."""
