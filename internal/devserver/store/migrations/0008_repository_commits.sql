-- Commits of repositories. Before, a repository had every ref that was asked for.

CREATE TABLE repo_commits (
    workspace_id TEXT NOT NULL,
    repo_url     TEXT NOT NULL,
    sha          TEXT NOT NULL,
    build_error  TEXT, -- What the builder says; null if the commit can be built.
    PRIMARY KEY (workspace_id, repo_url, sha)
) STRICT, WITHOUT ROWID;

-- What deployments have been made from exists.
CREATE TEMPORARY TABLE used AS
SELECT d.id, d.workspace_id, d.integration_id,
       CASE WHEN rtrim(d.repo_url, '/') LIKE '%.git' THEN substr(rtrim(d.repo_url, '/'), 1, length(rtrim(d.repo_url, '/')) - 4)
            ELSE rtrim(d.repo_url, '/') END AS url
FROM deployments d
WHERE d.repo_url IS NOT NULL;

INSERT OR IGNORE INTO repositories (id, integration_id, owner, name, url, default_branch)
SELECT DISTINCT 10000000 + abs(random() % 1000000000), u.integration_id,
       replace(u.account, rtrim(u.account, replace(u.account, '/', '')), ''), -- The last segment.
       replace(u.url, rtrim(u.url, replace(u.url, '/', '')), ''), u.url, 'main'
FROM (SELECT *, rtrim(rtrim(url, replace(url, '/', '')), '/') AS account FROM used) u
JOIN integrations i ON i.id = u.integration_id
WHERE NOT EXISTS (SELECT 1 FROM repositories r WHERE r.integration_id = u.integration_id AND r.url = u.url);

INSERT OR IGNORE INTO repo_heads (workspace_id, repo_url, ref, sha)
SELECT u.workspace_id, u.url, r.repo_ref, r.repo_commit_sha
FROM revisions r
JOIN used u ON u.id = r.deployment_id
WHERE r.repo_ref IS NOT NULL AND r.repo_commit_sha IS NOT NULL
ORDER BY r.seq DESC;

INSERT OR IGNORE INTO repo_heads (workspace_id, repo_url, ref, sha)
SELECT i.workspace_id, r.url, r.default_branch, lower(hex(randomblob(20)))
FROM repositories r
JOIN integrations i ON i.id = r.integration_id;

DROP TABLE used;
