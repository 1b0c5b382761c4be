-- Figures also count the runs whose cost is incomplete. What was rolled up lacks these, and is rolled up again.

INSERT INTO rollup_marks (project, span, number, changes) SELECT DISTINCT r.project, 1, r.number, 1 FROM rollups r WHERE r.span = 1
ON CONFLICT (project, span, number) DO NOTHING;
