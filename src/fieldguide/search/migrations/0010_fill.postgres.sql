-- Piece by piece: what is derived from the chunks that were there before. Each piece is a transaction of a moment, so
-- that servers of the version before read and write on; what is done is passed over when it is begun again.
DO $$
DECLARE
    done BIGINT := -1;
    upto BIGINT;
BEGIN
    LOOP
        SELECT MAX(few.id) INTO upto
        FROM (SELECT id FROM search_chunk WHERE id > done ORDER BY id LIMIT 2000) AS few;
        EXIT WHEN upto IS NULL;
        UPDATE search_chunk AS chunk SET namespace = source.namespace
        FROM search_source AS source
        WHERE chunk.id > done AND chunk.id <= upto AND source.id = chunk.source_id
            AND chunk.namespace <> source.namespace;
        done := upto;
        COMMIT;
    END LOOP;
END
$$;
