-- Piece by piece: what is derived from the chunks that were there before. Each piece is a transaction of a moment, so
-- that servers of the version before read and write on. A chunk with a row in `search_vector` is done: one that was
-- written meanwhile, or before this was begun again.
DO $$
DECLARE
    done BIGINT := -1;
    upto BIGINT;
BEGIN
    LOOP
        SELECT MAX(few.id) INTO upto
        FROM (SELECT id FROM search_chunk WHERE id > done ORDER BY id LIMIT 2000) AS few;
        EXIT WHEN upto IS NULL;
        PERFORM id FROM search_chunk WHERE id > done AND id <= upto ORDER BY id FOR UPDATE;
        UPDATE search_chunk AS chunk SET namespace = source.namespace
        FROM search_source AS source
        WHERE chunk.id > done AND chunk.id <= upto AND source.id = chunk.source_id
            AND chunk.namespace <> source.namespace;
        PERFORM search_counting(project.namespace)
        FROM (
            SELECT DISTINCT namespace FROM search_chunk WHERE id > done AND id <= upto ORDER BY namespace
        ) AS project;
        WITH fresh AS (
            INSERT INTO search_vector (chunk_id, namespace, source_id, maker, vector)
            SELECT id, namespace, source_id, maker, CAST(vector AS halfvec)
            FROM search_chunk
            WHERE id > done AND id <= upto AND vector IS NOT NULL
            ON CONFLICT (chunk_id) DO NOTHING
            RETURNING chunk_id
        ), sized AS (
            INSERT INTO search_size AS held (namespace, source_id, chunks)
            SELECT chunk.namespace, chunk.source_id, COUNT(*)
            FROM search_chunk AS chunk JOIN fresh ON fresh.chunk_id = chunk.id
            GROUP BY chunk.namespace, chunk.source_id
            ON CONFLICT (namespace, source_id) DO UPDATE SET chunks = held.chunks + excluded.chunks
        )
        INSERT INTO search_word AS held (namespace, lexeme, chunks)
        SELECT chunk.namespace, word.lexeme, COUNT(*)
        FROM search_chunk AS chunk JOIN fresh ON fresh.chunk_id = chunk.id, unnest(chunk.words) AS word
        GROUP BY chunk.namespace, word.lexeme
        ON CONFLICT (namespace, lexeme) DO UPDATE SET chunks = held.chunks + excluded.chunks;
        done := upto;
        COMMIT;
    END LOOP;
END
$$;
