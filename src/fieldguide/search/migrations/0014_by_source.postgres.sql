-- As before, but that chunks are told apart by their source alone: `search_permitted` gives sources of the project only.
-- To compare its name with that of each chunk took a tenth of the time, and no index has it. And the plan for comparing
-- all vectors is kept: it is a scan of those of some sources, however many they are.
CREATE OR REPLACE FUNCTION search_by_words(
    project TEXT, asked TEXT[], sources BIGINT[], without BIGINT, most BIGINT, enough BIGINT, too_common DOUBLE PRECISION
) RETURNS TABLE (chunk BIGINT, score DOUBLE PRECISION)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path FROM CURRENT SET max_parallel_workers_per_gather = 0 SET enable_seqscan = off AS $$
DECLARE
    term RECORD;
    total BIGINT;
    taken BIGINT := 0;
    is_taking BOOLEAN := TRUE;
    wanted TSQUERY;
    counted TEXT[] := '{}';
BEGIN
    sources := search_permitted(project, sources);
    SELECT GREATEST(COALESCE(SUM(chunks), 0), 1) INTO total FROM search_size WHERE namespace = project;
    enough := LEAST(enough, GREATEST(1000, total / 8));
    FOR term IN
        WITH held AS (
            SELECT query, MIN(place) AS place, MIN(chunks) AS chunks
            FROM search_terms(project, asked)
            WHERE numnode(query) > 0 AND chunks > 0
            GROUP BY query
        )
        SELECT query, chunks FROM held
        WHERE chunks <= too_common * total OR NOT EXISTS (SELECT 1 FROM held WHERE chunks <= too_common * total)
        ORDER BY chunks, place
    LOOP
        is_taking := wanted IS NULL OR (is_taking AND taken + term.chunks <= enough);
        IF is_taking THEN
            wanted := CASE WHEN wanted IS NULL THEN term.query ELSE wanted || term.query END;
            taken := taken + term.chunks;
        END IF;
        counted := counted || format(
            'CASE WHEN words @@ %1$L::tsquery
                THEN %2$s * ts_rank(''{0.25, 0.25, 0.75, 1.0}'', words, %1$L::tsquery, 1) ELSE 0 END',
            term.query, ln(1 + total::DOUBLE PRECISION / term.chunks)
        );
    END LOOP;
    IF wanted IS NULL THEN
        RETURN;
    END IF;
    RETURN QUERY EXECUTE format(
        'SELECT id, CAST(%s AS DOUBLE PRECISION) AS score
        FROM (
            SELECT id, words FROM search_chunk
            WHERE words @@ %L::tsquery AND source_id = ANY($1) AND document_id IS DISTINCT FROM $2
            LIMIT %s
        ) AS candidate
        ORDER BY score DESC, id
        LIMIT %s',
        array_to_string(counted, ' + '), wanted, 2 * enough, most
    ) USING sources, without;
END
$$;

CREATE OR REPLACE FUNCTION search_nearest(
    project TEXT, of_maker TEXT, near HALFVEC, sources BIGINT[], without BIGINT, most BIGINT, exact_up_to BIGINT,
    reach BIGINT, OUT chunks BIGINT[], OUT distances DOUBLE PRECISION[]
)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    size BIGINT;
    is_of_one BOOLEAN;
BEGIN
    sources := search_permitted(project, sources);
    SELECT SUM(held.chunks) INTO size
    FROM search_size AS held WHERE held.namespace = project AND held.source_id = ANY(sources);
    IF size <= exact_up_to THEN
        BEGIN
            SELECT array_agg(nearest.chunk_id), array_agg(nearest.distance), bool_and(nearest.maker = of_maker)
            INTO chunks, distances, is_of_one
            FROM (
                SELECT held.chunk_id, held.maker, held.vector <=> near AS distance FROM search_vector AS held
                WHERE held.source_id = ANY(sources) AND (without IS NULL OR held.chunk_id >> 20 <> without)
                ORDER BY distance, held.chunk_id
                LIMIT most
            ) AS nearest;
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

-- What a question needs to be ranked, in one round trip: the nearest chunks, those that hold its terms, those that may be
-- exact, and how far those are that were found by their words.
CREATE FUNCTION search_look_up(
    project TEXT, of_maker TEXT, vector_asked HALFVEC, terms TEXT[], exact_terms TEXT[], sources BIGINT[],
    without BIGINT, most_near BIGINT, most_worded BIGINT, most_exact BIGINT, exact_up_to BIGINT, reach BIGINT,
    enough BIGINT, too_common DOUBLE PRECISION,
    OUT near BIGINT[], OUT distances DOUBLE PRECISION[], OUT worded BIGINT[], OUT scores DOUBLE PRECISION[],
    OUT perhaps_exact BIGINT[], OUT others BIGINT[], OUT other_distances DOUBLE PRECISION[]
)
LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
BEGIN
    SELECT array_agg(found.chunk), array_agg(found.score) INTO worded, scores
    FROM search_by_words(project, terms, sources, without, most_worded, enough, too_common) AS found;
    IF cardinality(exact_terms) > 0 THEN
        SELECT array_agg(found.chunk) INTO perhaps_exact
        FROM search_by_words(project, exact_terms, sources, without, most_exact, enough, too_common) AS found;
    END IF;
    IF vector_asked IS NULL THEN
        RETURN;
    END IF;
    SELECT found.chunks, found.distances INTO near, distances
    FROM search_nearest(project, of_maker, vector_asked, sources, without, most_near, exact_up_to, reach) AS found;
    SELECT array_agg(held.chunk_id), array_agg(held.vector <=> vector_asked) INTO others, other_distances
    FROM search_vector AS held
    WHERE held.chunk_id = ANY(worded || perhaps_exact) AND held.maker = of_maker;
END
$$;
