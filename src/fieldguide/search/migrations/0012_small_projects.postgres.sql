-- What made searches of small projects slow: every chunk was looked at for its words, and each vector for its source and
-- its maker. What is found stays the same; servers of the version before may call these functions too.

-- To find words by their index is quicker for any share of a project: the planner thinks `@@` costs nothing.
ALTER FUNCTION search_by_words(TEXT, TEXT[], BIGINT[], BIGINT, BIGINT, BIGINT, DOUBLE PRECISION) SET enable_seqscan = off;

-- As before, but for `+ 0`: the planner sometimes took the index of sources instead, and compared all of them.
CREATE OR REPLACE FUNCTION search_by_index(
    project TEXT, of_maker TEXT, near HALFVEC, sources BIGINT[], without BIGINT, most BIGINT, looked_at BIGINT,
    reach BIGINT
) RETURNS TABLE (chunk BIGINT, distance DOUBLE PRECISION)
LANGUAGE plpgsql STABLE SET search_path FROM CURRENT
SET enable_seqscan = off SET enable_bitmapscan = off SET max_parallel_workers_per_gather = 0 AS $$
BEGIN
    PERFORM set_config('hnsw.ef_search', LEAST(1000, GREATEST(reach, most))::TEXT, TRUE),
        set_config('hnsw.iterative_scan', 'relaxed_order', TRUE),
        set_config('hnsw.max_scan_tuples', '60000', TRUE),
        set_config('hnsw.scan_mem_multiplier', '20', TRUE);
    RETURN QUERY EXECUTE format(
        'SELECT chunk_id, distance
        FROM (
            SELECT chunk_id, CAST(vector AS halfvec(%1$s)) <=> $1 AS distance FROM search_vector
            WHERE namespace = %2$L AND maker = %3$L AND source_id + 0 = ANY($2) AND (chunk_id >> 20) IS DISTINCT FROM $3
            ORDER BY CAST(vector AS halfvec(%1$s)) <=> $1
            LIMIT %4$s
        ) AS nearest
        ORDER BY distance + 0, chunk_id
        LIMIT %5$s',
        vector_dims(near), project, of_maker, GREATEST(most, looked_at), most
    ) USING near, sources, without;
END
$$;

-- The nearest chunks as `search_by_vector` finds them, which servers of the version before ask; as arrays they take half
-- as long to hand over. Mostly all vectors of a project are wanted and of one maker, and to ask that of each would be a
-- third of the time: so the nearest of all are found first, and whether another maker made one is seen by those alone.
CREATE FUNCTION search_nearest(
    project TEXT, of_maker TEXT, near HALFVEC, sources BIGINT[], without BIGINT, most BIGINT, exact_up_to BIGINT,
    reach BIGINT, OUT chunks BIGINT[], OUT distances DOUBLE PRECISION[]
)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    size BIGINT;
    total BIGINT;
    wanted TEXT := format('namespace = %L', project);
    is_of_one BOOLEAN;
BEGIN
    sources := search_permitted(project, sources);
    SELECT SUM(held.chunks) FILTER (WHERE held.source_id = ANY(sources)), SUM(held.chunks) INTO size, total
    FROM search_size AS held WHERE held.namespace = project;
    IF size <= exact_up_to THEN
        IF size < total THEN
            wanted := wanted || ' AND source_id = ANY($2)';
        END IF;
        IF without IS NOT NULL THEN
            wanted := wanted || ' AND (chunk_id >> 20) <> $3';
        END IF;
        BEGIN
            EXECUTE format(
                'SELECT array_agg(chunk_id), array_agg(distance), bool_and(maker = %L)
                FROM (
                    SELECT chunk_id, maker, vector <=> $1 AS distance FROM search_vector WHERE %s
                    ORDER BY distance, chunk_id
                    LIMIT %s
                ) AS nearest',
                of_maker, wanted, most
            ) INTO chunks, distances, is_of_one USING near, sources, without;
            IF is_of_one THEN
                RETURN;
            END IF;
        EXCEPTION WHEN data_exception THEN  -- of another model some have another number of dimensions
            NULL;
        END;
    END IF;
    SELECT array_agg(found.chunk), array_agg(found.distance) INTO chunks, distances
    FROM search_by_vector(project, of_maker, near, sources, without, most, exact_up_to, reach) AS found;
END
$$;
