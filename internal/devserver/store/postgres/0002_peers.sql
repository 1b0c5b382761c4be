-- What the processes that share the database have in common.

ALTER TABLE schema_version DROP COLUMN IF EXISTS owner;

-- One row: how many transactions have changed something, the last of them that has changed model prices, and the number of the run before
-- which changes are noted for the search index. Each transaction that changes something updates it: the page has room for that.
CREATE TABLE commits (
    number  BIGINT NOT NULL,
    priced  BIGINT NOT NULL,
    indexed BIGINT NOT NULL
) WITH (fillfactor = 10);

INSERT INTO commits SELECT 1, 0, coalesce(max(through), 0) FROM search_blocks;

-- Begins a transaction that writes, when those of other processes have ended: each statement of a function that is volatile sees what was
-- committed before that statement. The lock belongs to the schema, of which a database can have several.
CREATE FUNCTION begin_writing(OUT number BIGINT, OUT priced BIGINT, OUT indexed BIGINT, OUT now BIGINT) LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(x'6170'::int, ('x' || left(md5(current_schema()), 8))::bit(32)::int);
    SELECT c.number, c.priced, c.indexed, extract(epoch FROM clock_timestamp()) * 1000000 INTO number, priced, indexed, now FROM commits c;
END $$;

-- Which process does some work, until when.
CREATE TABLE leases (
    work   TEXT COLLATE "C" PRIMARY KEY,
    holder TEXT COLLATE "C" NOT NULL,
    until  BIGINT NOT NULL
);
