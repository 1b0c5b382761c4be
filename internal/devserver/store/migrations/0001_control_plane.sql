-- Times are microseconds since 1970 in UTC. seq orders rows that were created in the same microsecond.

CREATE TABLE listeners (
    seq            INTEGER PRIMARY KEY AUTOINCREMENT,
    id             TEXT    NOT NULL UNIQUE,
    workspace_id   TEXT    NOT NULL,
    compute_type   TEXT    NOT NULL,
    compute_id     TEXT    NOT NULL,
    k8s_namespaces TEXT, -- A JSON array; null when the listener reports none.
    created_at     INTEGER NOT NULL,
    updated_at     INTEGER NOT NULL,
    UNIQUE (workspace_id, compute_id)
) STRICT;

CREATE TABLE integrations (
    seq             INTEGER PRIMARY KEY AUTOINCREMENT,
    id              TEXT    NOT NULL UNIQUE,
    workspace_id    TEXT    NOT NULL,
    installation_id INTEGER NOT NULL,
    name            TEXT    NOT NULL,
    UNIQUE (workspace_id, name)
) STRICT;

CREATE TABLE deployments (
    seq             INTEGER PRIMARY KEY AUTOINCREMENT,
    id              TEXT    NOT NULL UNIQUE,
    workspace_id    TEXT    NOT NULL,
    name            TEXT    NOT NULL,
    source          TEXT    NOT NULL,
    integration_id  TEXT REFERENCES integrations (id),
    repo_url        TEXT,
    deployment_type TEXT,
    build_on_push   INTEGER,
    custom_url      TEXT,
    resource_spec   TEXT, -- A JSON object, as it was sent.
    listener_id     TEXT REFERENCES listeners (id),
    k8s_namespace   TEXT,
    install_command TEXT,
    build_command   TEXT,
    secrets         TEXT    NOT NULL, -- A JSON array.
    status          TEXT    NOT NULL,
    due_at          INTEGER, -- When the status ends by itself; null when it lasts.
    created_at      INTEGER NOT NULL,
    updated_at      INTEGER NOT NULL,
    UNIQUE (workspace_id, name)
) STRICT;

CREATE INDEX deployments_due ON deployments (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE revisions (
    seq               INTEGER PRIMARY KEY AUTOINCREMENT,
    id                TEXT    NOT NULL UNIQUE,
    deployment_id     TEXT    NOT NULL REFERENCES deployments (id) ON DELETE CASCADE,
    source            TEXT    NOT NULL,
    repo_ref          TEXT,
    graph_config_path TEXT,
    image_uri         TEXT,
    repo_commit_sha   TEXT,
    image_version     TEXT,
    status            TEXT    NOT NULL,
    status_message    TEXT,
    rollout           INTEGER NOT NULL, -- Microseconds from creation to the end of the rollout.
    fault             TEXT, -- A JSON object: what goes wrong with the rollout.
    created_at        INTEGER NOT NULL,
    updated_at        INTEGER NOT NULL,
    superseded_at     INTEGER, -- When a newer revision was created while this one was unfinished.
    finished_at       INTEGER, -- When the status became final.
    deployed_at       INTEGER  -- When it was deployed; the newest such revision is the active one.
) STRICT;

CREATE INDEX revisions_of_deployment ON revisions (deployment_id, seq);
CREATE INDEX revisions_unfinished ON revisions (seq) WHERE finished_at IS NULL;

CREATE TABLE projects (
    seq          INTEGER PRIMARY KEY AUTOINCREMENT,
    id           TEXT    NOT NULL UNIQUE,
    workspace_id TEXT    NOT NULL,
    name         TEXT    NOT NULL,
    start_time   INTEGER NOT NULL,
    UNIQUE (workspace_id, name)
) STRICT;

-- The commit that a branch or tag of a repository points to.
CREATE TABLE repo_heads (
    workspace_id TEXT NOT NULL,
    repo_url     TEXT NOT NULL,
    ref          TEXT NOT NULL,
    sha          TEXT NOT NULL,
    PRIMARY KEY (workspace_id, repo_url, ref)
) STRICT, WITHOUT ROWID;
