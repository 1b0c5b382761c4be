-- 600 traces of a root and a model call. They start a quarter of an hour after each other.
INSERT INTO projects (seq, id, workspace_id, name, start_time)
VALUES (1, 'eeeeeeee-0000-4000-8000-000000000000', '00000000-0000-4000-8000-000000000001', 'old', 1777716000000000);

WITH RECURSIVE
    traces (n, at, root, place) AS (
        VALUES (0, 1777716000000000, '00000000-0000-4000-8000-000000000000', '20260502T100000000000Z00000000-0000-4000-8000-000000000000')
        UNION ALL
        SELECT n + 1, at + 900000000, printf('%08x-0000-4000-8000-000000000000', n + 1),
            printf('20260502T100000000000Z%08x-0000-4000-8000-000000000000', n + 1)
        FROM traces WHERE n < 599
    ),
    both (child) AS (VALUES (0), (1))
INSERT INTO runs (seq, workspace_id, id, project, trace_id, parent_run_id, dotted_order, name, run_type, status, is_root, start_time,
    end_time, error, prompt_tokens, completion_tokens, total_tokens, total_cost, figures, received_at)
SELECT 1 + 2 * n + child, '00000000-0000-4000-8000-000000000001', printf('%08x-000%d-4000-8000-000000000000', n, child), 1, root,
    iif(child, root, NULL),
    place || iif(child, printf('.20260502T100000000000Z%08x-0001-4000-8000-000000000000', n), ''),
    iif(child, 'model', 'agent'), iif(child, 'llm', 'chain'), iif(n % 10, 'success', 'error'), 1 - child, at, at + 1000000,
    iif(n % 10, NULL, 'boom'), child * n, child, child * (n + 1), iif(child, '0.000003', NULL), '{}', at
FROM traces, both ORDER BY n, child;

INSERT INTO run_bodies (run, post, patch)
SELECT seq, CAST(printf('{"inputs": {"question": "word%d."}}', seq) AS BLOB), CAST('{}' AS BLOB) FROM runs;
