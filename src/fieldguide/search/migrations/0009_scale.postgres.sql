-- What makes searches of large projects quick: vectors by themselves and small, how common each word is, and searches
-- that look at few chunks. All of it follows the chunks by triggers: a server of the version before keeps it up too.

-- Half a float holds a component of ours (-127 to 127) exactly. A scan reads a fifth of what it would read in
-- `search_chunk`. An index of the nearest is made for each project and maker that has many (`search_near_index`).
CREATE TABLE search_vector (
    chunk_id BIGINT PRIMARY KEY,
    namespace TEXT COLLATE "C" NOT NULL,
    source_id BIGINT NOT NULL,
    maker TEXT NOT NULL,
    vector HALFVEC NOT NULL
);

ALTER TABLE search_vector ALTER COLUMN vector SET STORAGE MAIN;

CREATE INDEX search_vector_source ON search_vector (source_id);

-- In how many chunks of a project each word stands.
CREATE TABLE search_word (
    namespace TEXT COLLATE "C" NOT NULL,
    lexeme TEXT COLLATE "C" NOT NULL,
    chunks BIGINT NOT NULL,
    PRIMARY KEY (namespace, lexeme)
) WITH (fillfactor = 60);

-- How many chunks each source of a project has.
CREATE TABLE search_size (
    namespace TEXT COLLATE "C" NOT NULL,
    source_id BIGINT NOT NULL,
    chunks BIGINT NOT NULL,
    PRIMARY KEY (namespace, source_id)
) WITH (fillfactor = 60);

-- Two who count the words of one project at once would wait for each other in turns: one goes after the other.
CREATE FUNCTION search_counting(project TEXT) RETURNS VOID LANGUAGE sql SET search_path FROM CURRENT AS $$
    SELECT pg_advisory_xact_lock(hashtextextended('search_word ' || project, 0));
$$;

CREATE FUNCTION search_chunks_added() RETURNS TRIGGER LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    PERFORM search_counting(project.namespace)
    FROM (SELECT DISTINCT namespace FROM added ORDER BY namespace) AS project;
    INSERT INTO search_vector (chunk_id, namespace, source_id, maker, vector)
    SELECT id, namespace, source_id, maker, CAST(vector AS halfvec) FROM added WHERE vector IS NOT NULL;
    INSERT INTO search_size AS held (namespace, source_id, chunks)
    SELECT namespace, source_id, COUNT(*) FROM added GROUP BY namespace, source_id
    ON CONFLICT (namespace, source_id) DO UPDATE SET chunks = held.chunks + excluded.chunks;
    INSERT INTO search_word AS held (namespace, lexeme, chunks)
    SELECT added.namespace, word.lexeme, COUNT(*)
    FROM added, unnest(added.words) AS word
    GROUP BY added.namespace, word.lexeme
    ON CONFLICT (namespace, lexeme) DO UPDATE SET chunks = held.chunks + excluded.chunks;
    RETURN NULL;
END
$$;

CREATE FUNCTION search_chunks_removed() RETURNS TRIGGER LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    PERFORM search_counting(project.namespace)
    FROM (SELECT DISTINCT namespace FROM removed ORDER BY namespace) AS project;
    DELETE FROM search_vector WHERE chunk_id IN (SELECT id FROM removed);
    UPDATE search_size AS held SET chunks = held.chunks - gone.chunks
    FROM (SELECT namespace, source_id, COUNT(*) AS chunks FROM removed GROUP BY namespace, source_id) AS gone
    WHERE held.namespace = gone.namespace AND held.source_id = gone.source_id;
    UPDATE search_word AS held SET chunks = held.chunks - gone.chunks
    FROM (
        SELECT removed.namespace, word.lexeme, COUNT(*) AS chunks
        FROM removed, unnest(removed.words) AS word
        GROUP BY removed.namespace, word.lexeme
    ) AS gone
    WHERE held.namespace = gone.namespace AND held.lexeme = gone.lexeme;
    RETURN NULL;
END
$$;

CREATE FUNCTION search_chunks_emptied() RETURNS TRIGGER LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    TRUNCATE search_vector, search_word, search_size;
    RETURN NULL;
END
$$;

CREATE TRIGGER search_chunks_added AFTER INSERT ON search_chunk
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION search_chunks_added();

CREATE TRIGGER search_chunks_removed AFTER DELETE ON search_chunk
    REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION search_chunks_removed();

CREATE TRIGGER search_chunks_emptied AFTER TRUNCATE ON search_chunk
    FOR EACH STATEMENT EXECUTE FUNCTION search_chunks_emptied();

-- `0010_fill` does the same for the chunks that are there already.

ALTER TABLE search_vector ENABLE ROW LEVEL SECURITY;
ALTER TABLE search_word ENABLE ROW LEVEL SECURITY;
ALTER TABLE search_size ENABLE ROW LEVEL SECURITY;

-- The words of a project tell what stands in the sessions of all of its users: no tenant reads them but by the functions
-- below, so they have no policy.

CREATE POLICY wall ON search_vector USING (
    namespace = NULLIF(current_setting('fieldguide.namespace', TRUE), '')
    AND chunk_id >> 44 = source_id AND source_id IN (SELECT source.id FROM search_source AS source)
);

CREATE POLICY wall ON search_size USING (
    namespace = NULLIF(current_setting('fieldguide.namespace', TRUE), '')
    AND source_id IN (SELECT source.id FROM search_source AS source)
);

-- The functions below read for whoever calls them, past the policies: a policy would have every chunk of the database
-- looked at, since `@@` may not be asked before it. So each asks first what the transaction may see.

-- What PostgreSQL makes of each term, and how many chunks hold it: as many as hold the rarest of its words; the terms
-- of several words among few chunks are counted.
CREATE FUNCTION search_terms(project TEXT, asked TEXT[]) RETURNS TABLE (place BIGINT, query TSQUERY, chunks BIGINT)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    PERFORM search_permitted(project, '{}');
    FOR place, query, chunks IN
        SELECT term.place, phraseto_tsquery('english', term.word), (
            SELECT MIN(COALESCE(held.chunks, 0))
            FROM unnest(to_tsvector('english', term.word)) AS part
            LEFT JOIN search_word AS held ON held.namespace = project AND held.lexeme = part.lexeme
        )
        FROM unnest(asked) WITH ORDINALITY AS term (word, place)
    LOOP
        IF numnode(query) > 1 AND chunks BETWEEN 1 AND 2000 THEN
            EXECUTE format('SELECT COUNT(*) FROM search_chunk WHERE namespace = %L AND words @@ $1', project)
            INTO chunks USING query;
        END IF;
        chunks := COALESCE(chunks, 0);
        RETURN NEXT;
    END LOOP;
END
$$;

-- The chunks that hold one of the rarer terms, ranked by all of them: a rare one counts more. Terms are taken, rarest
-- first, while they stand in `enough` chunks together; in a small project that is less.
CREATE FUNCTION search_by_words(
    project TEXT, asked TEXT[], sources BIGINT[], without BIGINT, most BIGINT, enough BIGINT, too_common DOUBLE PRECISION
) RETURNS TABLE (chunk BIGINT, score DOUBLE PRECISION)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path FROM CURRENT SET max_parallel_workers_per_gather = 0 AS $$
DECLARE
    term RECORD;
    total BIGINT;
    taken BIGINT := 0;
    is_taking BOOLEAN := TRUE;
    wanted TSQUERY;
    counted TEXT[] := '{}';
    ranked TEXT;
BEGIN
    sources := search_permitted(project, sources);
    SELECT GREATEST(COALESCE(SUM(chunks), 0), 1) INTO total FROM search_size WHERE namespace = project;
    enough := LEAST(enough, GREATEST(2000, total / 8));
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
        ranked := format(
            '%s * ts_rank(''{0.25, 0.25, 0.75, 1.0}'', words, %L::tsquery, 1)',
            ln(1 + total::DOUBLE PRECISION / term.chunks), term.query
        );
        IF numnode(term.query) > 1 THEN  -- the rank of several words does not look whether they follow each other
            ranked := format('CASE WHEN words @@ %L::tsquery THEN %s ELSE 0 END', term.query, ranked);
        END IF;
        counted := counted || ranked;
    END LOOP;
    IF wanted IS NULL THEN
        RETURN;
    END IF;
    RETURN QUERY EXECUTE format(
        'SELECT id, CAST(%s AS DOUBLE PRECISION) AS score
        FROM (
            SELECT id, words FROM search_chunk
            WHERE namespace = %L AND words @@ %L::tsquery AND source_id = ANY($1) AND document_id IS DISTINCT FROM $2
            LIMIT %s
        ) AS candidate
        ORDER BY score DESC, id
        LIMIT %s',
        array_to_string(counted, ' + '), project, wanted, 2 * enough, most
    ) USING sources, without;
END
$$;

-- The documents that hold any of these terms, however many they are.
CREATE FUNCTION search_holding(project TEXT, asked TEXT[], sources BIGINT[], without BIGINT)
RETURNS TABLE (document BIGINT)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    wanted TSQUERY;
    each TSQUERY;
BEGIN
    sources := search_permitted(project, sources);
    FOR each IN SELECT phraseto_tsquery('english', term.word) FROM unnest(asked) AS term (word) LOOP
        wanted := CASE WHEN wanted IS NULL THEN each ELSE wanted || each END;
    END LOOP;
    RETURN QUERY EXECUTE format(
        'SELECT DISTINCT document_id FROM search_chunk
        WHERE namespace = %L AND words @@ $1 AND source_id = ANY($2) AND document_id IS DISTINCT FROM $3', project
    ) USING wanted, sources, without;
END
$$;

-- The chunks whose last heading is one of these names, letter for letter, up to `most` of each; `split` are the names
-- as the index reads them.
CREATE FUNCTION search_headed(project TEXT, names TEXT[], split TEXT[], sources BIGINT[], most BIGINT)
RETURNS TABLE (chunk BIGINT)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    sources := search_permitted(project, sources);
    FOR number IN 1 .. COALESCE(cardinality(names), 0) LOOP
        RETURN QUERY EXECUTE format(
            'SELECT id FROM search_chunk
            WHERE namespace = %L AND words @@ phraseto_tsquery(''english'', $1)
                AND source_id = ANY($3) AND (headings = $2 OR RIGHT(headings, LENGTH($2) + 1) = CHR(10) || $2)
            ORDER BY id LIMIT $4', project
        ) USING split[number], names[number], sources, most;
    END LOOP;
END
$$;

-- How the names of the indexes of the nearest begin of a project, and the name of that of a maker.
CREATE FUNCTION search_near_indexes(project TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE AS $$
    SELECT 'search_near_' || left(md5(project), 16) || '_';
$$;

CREATE FUNCTION search_near_index(project TEXT, of_maker TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE
SET search_path FROM CURRENT AS $$
    SELECT search_near_indexes(project) || left(md5(of_maker), 16);
$$;

-- The nearest by that index: the best of so many that are `looked_at`, with `reach` of them in sight at a time. Fewer
-- than `most` when so many of other sources are nearer that it gave up. What the scan gives is sorted but for a few, of
-- which the planner knows nothing: `+ 0` has all of it sorted.
CREATE FUNCTION search_by_index(
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
            WHERE namespace = %2$L AND maker = %3$L AND source_id = ANY($2) AND (chunk_id >> 20) IS DISTINCT FROM $3
            ORDER BY CAST(vector AS halfvec(%1$s)) <=> $1
            LIMIT %4$s
        ) AS nearest
        ORDER BY distance + 0, chunk_id
        LIMIT %5$s',
        vector_dims(near), project, of_maker, GREATEST(most, looked_at), most
    ) USING near, sources, without;
END
$$;

-- The nearest chunks: every vector is compared where that are few, or a twentieth of the project, or where there is no
-- index of the nearest yet. The index has to look at more to find as many of them where there are more: `reach` of a
-- project of 400,000 chunks, up to three times as many of a larger one, and five eighths of it below 100,000; of a part
-- of the project its share of that.
CREATE FUNCTION search_by_vector(
    project TEXT, of_maker TEXT, near HALFVEC, sources BIGINT[], without BIGINT, most BIGINT, exact_up_to BIGINT,
    reach BIGINT
) RETURNS TABLE (chunk BIGINT, distance DOUBLE PRECISION)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    size BIGINT;
    total BIGINT;
    chunks BIGINT[];
    distances DOUBLE PRECISION[];
BEGIN
    sources := search_permitted(project, sources);
    SELECT SUM(held.chunks) FILTER (WHERE held.source_id = ANY(sources)), SUM(held.chunks) INTO size, total
    FROM search_size AS held WHERE held.namespace = project;
    IF total < 100000 THEN
        reach := reach * 5 / 8;
    END IF;
    IF size > exact_up_to AND 20 * size > total AND EXISTS (
        SELECT 1 FROM pg_index
        WHERE indexrelid = to_regclass(search_near_index(project, of_maker)) AND indisvalid
    ) THEN
        SELECT array_agg(found.chunk), array_agg(found.distance) INTO chunks, distances
        FROM search_by_index(
            project, of_maker, near, sources, without, most,
            LEAST(3 * reach, GREATEST(reach, reach * total / 400000)) * size / total, GREATEST(reach, total / 1000)
        ) AS found;
        IF cardinality(chunks) >= most THEN
            RETURN QUERY SELECT * FROM unnest(chunks, distances);
            RETURN;
        END IF;
    END IF;
    RETURN QUERY EXECUTE format(
        'SELECT chunk_id, vector <=> $1 AS distance FROM search_vector
        WHERE namespace = %L AND maker = %L AND source_id = ANY($2) AND (chunk_id >> 20) IS DISTINCT FROM $3
        ORDER BY distance, chunk_id
        LIMIT %s',
        project, of_maker, most
    ) USING near, sources, without;
END
$$;

-- Words are read for every rank: they stay beside the numbers, and texts and vectors go out of the way. What was put in
-- last and is not in its place in the index yet is read at each search, so that is kept short. At the end, since it locks.
ALTER INDEX search_chunk_words SET (gin_pending_list_limit = 512);

ALTER TABLE search_chunk ALTER COLUMN words SET STORAGE MAIN;

ALTER TABLE search_chunk SET (toast_tuple_target = 900);
