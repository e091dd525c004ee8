"""Which models have made what is in an index."""

from fieldguide.storage.port import Transaction


def documents_by_maker(transaction: Transaction, namespace: str) -> dict[str, int]:
    """How many documents of a namespace each maker has made, most first; a maker ends with its model's identity."""
    rows = transaction.fetch_all(
        """
        SELECT maker, COUNT(*) AS documents
        FROM search_document JOIN search_source ON search_source.id = search_document.source_id
        WHERE substr(kind, 1, length(CAST(:namespace AS TEXT))) = CAST(:namespace AS TEXT)
        GROUP BY maker
        ORDER BY documents DESC, maker
        """,
        {"namespace": namespace},
    )
    return {str(row["maker"]): int(row["documents"]) for row in rows}
