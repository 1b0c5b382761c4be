INSERT INTO projects (seq, id, workspace_id, name, start_time) VALUES (1, 'p1', 'w', 'first', 0), (3, 'p2', 'w', 'second', 0);

INSERT INTO runs (seq, workspace_id, id, project_id, trace_id, parent_run_id, dotted_order, name, run_type, status, is_root,
    start_time, end_time, first_token_time, error, thread_id, prompt_tokens, completion_tokens, total_tokens, prompt_cost,
    completion_cost, total_cost, figures, price_id, received_at)
VALUES
    (2, 'w', 'root', 'p1', 'root', NULL, '1root', 'chain', 'chain', 'success', 1, 1777715999000000, NULL, NULL, NULL, NULL, 0, 0, 0,
        NULL, NULL, NULL, '{}', NULL, 1777716001000000),
    (5, 'w', 'child', 'p2', 'root', 'root', '1root.2child', 'model', 'llm', 'error', 0, 1777716000000000, 1777716001000000,
        1777716001000000, 'boom', 't', 1, 2, 3, '0.1', '0.2', '0.3', '{"basis":"b"}', 'price', 1777716001000000);

INSERT INTO run_bodies (run, post, patch)
VALUES (2, CAST('{}' AS BLOB), CAST('{}' AS BLOB)), (5, CAST('{"inputs":{"q":1}}' AS BLOB), CAST('{"error":"boom"}' AS BLOB));

INSERT INTO run_labels (run, kind, key, value) VALUES (5, 0, '', 'smoke'), (5, 1, 'ls_provider', 'example');
