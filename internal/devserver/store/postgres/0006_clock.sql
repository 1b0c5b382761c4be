-- What the clock of all processes has been advanced by: at most one row.

CREATE TABLE clock (
    ahead BIGINT NOT NULL -- Microseconds.
);

DROP FUNCTION begin_writing;

-- Begins a transaction that writes, when those of other processes have ended that write to the same workspaces: each statement of a function
-- that is volatile sees what was committed before that statement. Null stands for everything. The lock of everything belongs to the schema, of
-- which a database can have several; transactions that write to some workspaces share it. All take the locks of workspaces in the same order.
CREATE FUNCTION begin_writing(workspaces TEXT[], OUT number BIGINT, OUT priced BIGINT, OUT indexed BIGINT, OUT now BIGINT, OUT ahead BIGINT) LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    of_all CONSTANT INT := ('x' || left(md5(current_schema()), 8))::bit(32)::int;
    of_one BIGINT;
BEGIN
    IF workspaces IS NULL THEN
        PERFORM pg_advisory_xact_lock(x'6170'::int, of_all);
    ELSE
        PERFORM pg_advisory_xact_lock_shared(x'6170'::int, of_all);
        FOR of_one IN SELECT DISTINCT hashtextextended(w.id, of_all) FROM unnest(workspaces) AS w (id) ORDER BY 1 LOOP
            PERFORM pg_advisory_xact_lock(of_one);
        END LOOP;
    END IF;
    SELECT c.number, c.priced, c.indexed, extract(epoch FROM clock_timestamp()) * 1000000, coalesce((SELECT k.ahead FROM clock k), 0)
    INTO number, priced, indexed, now, ahead FROM commits c;
END $$;
