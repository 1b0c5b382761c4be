-- The schema of a data file of version 22, as SQLite stores it: a file that was written by commit 34937c3 has these statements, character for
-- character, and columns that were added later stand where SQLite has put them. It is never changed: later files add to it.

CREATE TABLE listeners (
    seq            INTEGER PRIMARY KEY AUTOINCREMENT,
    id             TEXT    NOT NULL UNIQUE,
    workspace_id   TEXT    NOT NULL,
    compute_type   TEXT    NOT NULL,
    compute_id     TEXT    NOT NULL,
    k8s_namespaces TEXT, -- A JSON array; null when the listener reports none.
    created_at     INTEGER NOT NULL,
    updated_at     INTEGER NOT NULL, version TEXT,
    UNIQUE (workspace_id, compute_id)
) STRICT;

CREATE TABLE integrations (
    seq             INTEGER PRIMARY KEY AUTOINCREMENT,
    id              TEXT    NOT NULL UNIQUE,
    workspace_id    TEXT    NOT NULL,
    installation_id INTEGER NOT NULL,
    name            TEXT    NOT NULL, forge INTEGER NOT NULL DEFAULT 0,
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
    status          TEXT    NOT NULL,
    due_at          INTEGER, -- When the status ends by itself; null when it lasts.
    created_at      INTEGER NOT NULL,
    updated_at      INTEGER NOT NULL, display_name TEXT, secret_references TEXT, shareable INTEGER NOT NULL DEFAULT 0, template_id TEXT, graph_config_path TEXT, deployment_tier TEXT, compute_tier TEXT, database_tier TEXT, route_through_gateway INTEGER NOT NULL DEFAULT 0, tracked_repo_ref TEXT, sealed_secrets BLOB, plain_secrets TEXT,
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
, source_tarball_path TEXT, install_command TEXT, build_command TEXT, due_at INTEGER) STRICT;

CREATE INDEX revisions_of_deployment ON revisions (deployment_id, seq);
CREATE INDEX revisions_unfinished ON revisions (seq) WHERE finished_at IS NULL;

CREATE TABLE projects (
    seq          INTEGER PRIMARY KEY AUTOINCREMENT,
    id           TEXT    NOT NULL UNIQUE,
    workspace_id TEXT    NOT NULL,
    name         TEXT    NOT NULL,
    start_time   INTEGER NOT NULL, end_time INTEGER, description TEXT, extra TEXT, reference_dataset_id TEXT, trace_tier TEXT, longlived_ttl_days INTEGER,
    UNIQUE (workspace_id, name)
) STRICT;

CREATE TABLE repo_heads (
    workspace_id TEXT NOT NULL,
    repo_url     TEXT NOT NULL,
    ref          TEXT NOT NULL,
    sha          TEXT NOT NULL,
    PRIMARY KEY (workspace_id, repo_url, ref)
) STRICT, WITHOUT ROWID;

CREATE INDEX deployments_of_listener ON deployments (listener_id) WHERE listener_id IS NOT NULL;

CREATE TABLE repositories (
    seq            INTEGER PRIMARY KEY AUTOINCREMENT,
    id             INTEGER NOT NULL, -- The git host's own number.
    integration_id TEXT    NOT NULL REFERENCES integrations (id) ON DELETE CASCADE,
    owner          TEXT    NOT NULL,
    name           TEXT    NOT NULL,
    url            TEXT    NOT NULL,
    default_branch TEXT    NOT NULL,
    UNIQUE (integration_id, owner, name)
) STRICT;

CREATE TABLE oauth_providers (
    seq                        INTEGER PRIMARY KEY AUTOINCREMENT,
    id                         TEXT    NOT NULL UNIQUE,
    workspace_id               TEXT    NOT NULL,
    provider_id                TEXT    NOT NULL,
    name                       TEXT    NOT NULL,
    client_id                  TEXT    NOT NULL,
    auth_url                   TEXT    NOT NULL,
    token_url                  TEXT    NOT NULL,
    uses_pkce                  INTEGER NOT NULL,
    code_challenge_method      TEXT    NOT NULL,
    provider_type              TEXT,
    token_endpoint_auth_method TEXT    NOT NULL,
    authorization_params       TEXT    NOT NULL, -- A JSON object.
    allowed_redirect_uris      TEXT    NOT NULL, -- A JSON array.
    created_at                 INTEGER NOT NULL,
    updated_at                 INTEGER NOT NULL, sealed_client_secret BLOB, mcp_server_url TEXT, is_dynamic_client INTEGER NOT NULL DEFAULT 0,
    UNIQUE (workspace_id, provider_id)
) STRICT;

CREATE TABLE attachments (
    seq          INTEGER PRIMARY KEY AUTOINCREMENT,
    id           TEXT    NOT NULL UNIQUE,
    workspace_id TEXT    NOT NULL,
    run_id       TEXT,
    name         TEXT    NOT NULL,
    mime_type    TEXT    NOT NULL,
    size         INTEGER NOT NULL,
    created_at   INTEGER NOT NULL, stored INTEGER NOT NULL DEFAULT 0,
    UNIQUE (workspace_id, run_id, name)
) STRICT;

CREATE TABLE attachment_pieces (
    attachment INTEGER NOT NULL REFERENCES attachments (seq) ON DELETE CASCADE,
    number     INTEGER NOT NULL,
    content    BLOB    NOT NULL, packed INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (attachment, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE model_prices (
    seq          INTEGER PRIMARY KEY AUTOINCREMENT,
    id           TEXT    NOT NULL UNIQUE,
    workspace_id TEXT    NOT NULL,
    entry        TEXT    NOT NULL, -- A JSON object.
    identity     TEXT    NOT NULL, -- What no two entries of a workspace have in common.
    created_at   INTEGER NOT NULL,
    UNIQUE (workspace_id, identity)
) STRICT;

CREATE TABLE oauth_tokens (
    seq            INTEGER PRIMARY KEY AUTOINCREMENT,
    id             TEXT    NOT NULL UNIQUE,
    workspace_id   TEXT    NOT NULL,
    user_id        TEXT    NOT NULL,
    provider_id    TEXT    NOT NULL,
    agent_id       TEXT, -- Of a token that belongs to an agent, not to its user.
    label          TEXT,
    scopes         TEXT    NOT NULL, -- A JSON array.
    metadata       TEXT, -- A JSON object.
    sealed_access  BLOB    NOT NULL,
    sealed_refresh BLOB,
    expires_at     INTEGER,
    is_default     INTEGER NOT NULL,
    created_at     INTEGER NOT NULL,
    updated_at     INTEGER NOT NULL,
    FOREIGN KEY (workspace_id, provider_id) REFERENCES oauth_providers (workspace_id, provider_id) ON DELETE CASCADE
) STRICT;

CREATE INDEX oauth_tokens_of_user ON oauth_tokens (workspace_id, user_id, provider_id);

CREATE TABLE oauth_flows (
    seq              INTEGER PRIMARY KEY AUTOINCREMENT,
    id               TEXT    NOT NULL UNIQUE,
    state_digest     BLOB    NOT NULL UNIQUE,
    workspace_id     TEXT    NOT NULL,
    user_id          TEXT    NOT NULL,
    provider_id      TEXT    NOT NULL,
    agent_id         TEXT, -- Gets a connection to the token.
    token_id         TEXT, -- At first the token that is renewed, if any; when the flow is completed, the one that it has made.
    scopes           TEXT    NOT NULL, -- A JSON array.
    is_default       INTEGER NOT NULL,
    redirect_uri     TEXT    NOT NULL,
    sealed_verifier  BLOB, -- Of PKCE.
    status           TEXT    NOT NULL, -- pending, exchanging, completed or failed.
    created_at       INTEGER NOT NULL,
    expires_at       INTEGER NOT NULL,
    FOREIGN KEY (workspace_id, provider_id) REFERENCES oauth_providers (workspace_id, provider_id) ON DELETE CASCADE
) STRICT;

CREATE INDEX oauth_flows_of_user ON oauth_flows (workspace_id, user_id);
CREATE INDEX oauth_flows_by_end ON oauth_flows (expires_at);

CREATE TABLE oauth_token_events (
    seq          INTEGER PRIMARY KEY AUTOINCREMENT,
    id           TEXT    NOT NULL UNIQUE,
    workspace_id TEXT    NOT NULL,
    user_id      TEXT    NOT NULL,
    provider_id  TEXT    NOT NULL,
    agent_id     TEXT,
    event_type   TEXT    NOT NULL,
    reason       TEXT,
    source       TEXT    NOT NULL,
    label        TEXT,
    scopes       TEXT    NOT NULL, -- A JSON array.
    created_at   INTEGER NOT NULL
) STRICT;

CREATE INDEX oauth_token_events_of_user ON oauth_token_events (workspace_id, user_id, seq);

CREATE TABLE agent_connections (
    seq            INTEGER PRIMARY KEY AUTOINCREMENT,
    id             TEXT    NOT NULL UNIQUE,
    workspace_id   TEXT    NOT NULL,
    agent_id       TEXT    NOT NULL,
    oauth_token_id TEXT    NOT NULL REFERENCES oauth_tokens (id) ON DELETE CASCADE,
    created_by     TEXT    NOT NULL,
    created_at     INTEGER NOT NULL,
    UNIQUE (workspace_id, agent_id, oauth_token_id)
) STRICT;

CREATE INDEX agent_connections_of_token ON agent_connections (oauth_token_id);

CREATE TABLE feedback (
    seq          INTEGER PRIMARY KEY AUTOINCREMENT,
    workspace_id TEXT    NOT NULL,
    id           TEXT    NOT NULL,
    run_id       TEXT, -- Null for feedback on a project. The run may not have arrived.
    project_id   TEXT    REFERENCES projects (id) ON DELETE CASCADE, -- Of feedback on a project.
    key          TEXT    NOT NULL,
    score        REAL,
    value        TEXT, -- A text as it is, anything else as JSON.
    comment      TEXT,
    source       TEXT    NOT NULL,
    body         TEXT    NOT NULL, -- A JSON object: all that was said.
    created_at   INTEGER NOT NULL,
    modified_at  INTEGER NOT NULL,
    UNIQUE (workspace_id, id)
) STRICT;

CREATE INDEX feedback_of_run ON feedback (run_id, key);
CREATE INDEX feedback_of_project ON feedback (project_id) WHERE project_id IS NOT NULL;

CREATE TABLE feedback_configs (
    workspace_id TEXT    NOT NULL,
    key          TEXT    NOT NULL,
    config       TEXT    NOT NULL, -- A JSON object.
    lower_better INTEGER,
    modified_at  INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE run_shares (
    token        TEXT    NOT NULL PRIMARY KEY,
    workspace_id TEXT    NOT NULL,
    run_id       TEXT    NOT NULL,
    UNIQUE (workspace_id, run_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE runs (
    seq               INTEGER PRIMARY KEY AUTOINCREMENT,
    workspace_id      TEXT    NOT NULL,
    id                TEXT    NOT NULL,
    project           INTEGER NOT NULL REFERENCES projects (seq) ON DELETE CASCADE,
    trace_id          TEXT    NOT NULL,
    parent_run_id     TEXT,
    dotted_order      TEXT, -- Null while the parent that it begins with is not known.
    name              TEXT    NOT NULL,
    run_type          TEXT    NOT NULL,
    status            TEXT    NOT NULL,
    is_root           INTEGER NOT NULL,
    start_time        INTEGER NOT NULL,
    end_time          INTEGER,
    first_token_time  INTEGER,
    error             TEXT,
    thread_id         TEXT,
    prompt_tokens     INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL,
    total_tokens      INTEGER NOT NULL,
    prompt_cost       TEXT, -- US dollars, as exact decimals.
    completion_cost   TEXT,
    total_cost        TEXT,
    figures           TEXT    NOT NULL, -- A JSON object: details of tokens and costs, and what went wrong with them.
    price_id          TEXT, -- The price that the costs were made with.
    received_at       INTEGER NOT NULL, row_bytes INTEGER, body_bytes INTEGER, label_bytes INTEGER,
    UNIQUE (workspace_id, id)
) STRICT;

CREATE TABLE run_bodies (
    run   INTEGER PRIMARY KEY REFERENCES runs (seq) ON DELETE CASCADE,
    post  BLOB NOT NULL,
    patch BLOB NOT NULL
) STRICT;

CREATE TABLE run_labels (
    run   INTEGER NOT NULL REFERENCES runs (seq) ON DELETE CASCADE,
    kind  INTEGER NOT NULL,
    key   TEXT    NOT NULL,
    value TEXT    NOT NULL,
    PRIMARY KEY (run, kind, key, value)
) STRICT, WITHOUT ROWID;

CREATE INDEX run_labels_by_value ON run_labels (kind, key, value, run);
CREATE INDEX runs_by_place ON runs (project, is_root, start_time, seq);
CREATE INDEX runs_by_time ON runs (project, start_time, seq);
CREATE INDEX runs_of_workspace ON runs (workspace_id, start_time, seq);
CREATE INDEX runs_by_type ON runs (project, run_type, start_time);
CREATE INDEX runs_of_trace ON runs (trace_id, dotted_order);
CREATE INDEX runs_of_parent ON runs (parent_run_id) WHERE parent_run_id IS NOT NULL;
CREATE INDEX runs_of_thread ON runs (project, thread_id, start_time) WHERE thread_id IS NOT NULL;
CREATE INDEX runs_failed ON runs (project, start_time) WHERE error IS NOT NULL;

CREATE TABLE repo_commits (
    workspace_id TEXT NOT NULL,
    repo_url     TEXT NOT NULL,
    sha          TEXT NOT NULL,
    build_error  TEXT, -- What the builder says; null if the commit can be built.
    PRIMARY KEY (workspace_id, repo_url, sha)
) STRICT, WITHOUT ROWID;

CREATE TABLE feedback_tokens (
    seq          INTEGER PRIMARY KEY AUTOINCREMENT,
    token        TEXT    NOT NULL UNIQUE,
    workspace_id TEXT    NOT NULL,
    run_id       TEXT    NOT NULL, -- The run may not have arrived.
    key          TEXT    NOT NULL,
    expires_at   INTEGER NOT NULL,
    uses         INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX feedback_tokens_of_run ON feedback_tokens (workspace_id, run_id);
CREATE INDEX feedback_tokens_by_end ON feedback_tokens (expires_at);
CREATE INDEX revisions_due ON revisions (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE rollup_trace_marks (
    workspace_id TEXT    NOT NULL,
    trace_id     TEXT    NOT NULL,
    changes      INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, trace_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE search_blocks (
    block      INTEGER PRIMARY KEY, -- Its runs are those from block * 2048 on.
    through    INTEGER NOT NULL, -- Runs from this number on are not indexed.
    start_from INTEGER NOT NULL, -- The earliest and the latest start of its runs.
    start_to   INTEGER NOT NULL,
    parts      INTEGER NOT NULL, -- How many it has.
    unread     BLOB    NOT NULL -- The runs that are too long to be indexed.
, merged INTEGER NOT NULL DEFAULT 0) STRICT;

CREATE TABLE search_parts (
    id     INTEGER PRIMARY KEY, -- block * 256 + the number of the part.
    slices BLOB NOT NULL
) STRICT;

CREATE TABLE search_changed (
    run   INTEGER PRIMARY KEY REFERENCES runs (seq) ON DELETE CASCADE,
    times INTEGER NOT NULL
) STRICT;

CREATE TABLE deleted_projects (
    project INTEGER PRIMARY KEY REFERENCES projects (seq) ON DELETE CASCADE
) STRICT;

CREATE TABLE space (
    workspace_id TEXT    NOT NULL,
    project      INTEGER NOT NULL,
    runs         INTEGER NOT NULL,
    row_bytes    INTEGER NOT NULL,
    body_bytes   INTEGER NOT NULL,
    label_bytes  INTEGER NOT NULL,
    attachments  INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, project)
) STRICT, WITHOUT ROWID;

CREATE TABLE uncounted (
    last INTEGER NOT NULL
) STRICT;

CREATE TABLE rollup_marks (
    project INTEGER NOT NULL REFERENCES projects (seq) ON DELETE CASCADE,
    span    INTEGER NOT NULL, -- In quarters of an hour: 1, 16 or 96.
    number  INTEGER NOT NULL, -- Of the span, since 1970.
    changes INTEGER NOT NULL, -- Grows while the mark exists.
    PRIMARY KEY (project, span, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE rollups (
    project  INTEGER NOT NULL REFERENCES projects (seq) ON DELETE CASCADE,
    runs     INTEGER NOT NULL, -- 0: all, 1: roots of traces, 2: tools, 3: those directly below a root.
    property INTEGER NOT NULL, -- 0: none, 1: type, 2: status, 3: name, 4: model, 5: calls without a cost. Negative: some values have no row.
    value    TEXT    NOT NULL, -- Of the property. Of 5: the number of the span in which the trace began.
    span     INTEGER NOT NULL, -- In quarters of an hour: 1, 16 or 96.
    number   INTEGER NOT NULL, -- Of the span, since 1970.
    figures  INTEGER NOT NULL, -- Of rollup_figures. Several rows of a number may have the same, such as a name and the type of all runs with it.
    PRIMARY KEY (project, runs, property, value, span, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE rollup_figures (
    seq      INTEGER PRIMARY KEY,
    figures  TEXT NOT NULL, -- A JSON object.
    sketches BLOB,          -- How values are distributed; null if there are only a few.
    samples  BLOB           -- The values themselves; null if there are too many.
) STRICT;

CREATE INDEX rollups_by_number ON rollups (project, span, number);

CREATE TABLE wide_traces (
    workspace_id TEXT NOT NULL,
    trace_id     TEXT NOT NULL,
    PRIMARY KEY (workspace_id, trace_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX attachments_of_nobody ON attachments (created_at) WHERE run_id IS NULL;

CREATE TABLE saved_views (
    seq          INTEGER PRIMARY KEY AUTOINCREMENT,
    workspace_id TEXT    NOT NULL,
    user_id      TEXT    NOT NULL,
    project      INTEGER NOT NULL REFERENCES projects (seq) ON DELETE CASCADE,
    name         TEXT    NOT NULL,
    query        TEXT    NOT NULL, -- That of the project's page.
    UNIQUE (workspace_id, user_id, project, name)
) STRICT;

CREATE INDEX saved_views_of_project ON saved_views (project);

CREATE TABLE search_grams (
    id     INTEGER PRIMARY KEY, -- block / 32 * 8192 + the hash.
    slices BLOB NOT NULL
) STRICT;

CREATE TABLE unplaced (
    seq          INTEGER PRIMARY KEY AUTOINCREMENT,
    workspace_id TEXT    NOT NULL,
    run_id       TEXT    NOT NULL, -- The run below which they belong.
    kind         INTEGER NOT NULL, -- 0: they name it as their parent, 1: they are roots made from spans that do, 2: they are below it, but in its former trace.
    through      INTEGER NOT NULL, -- Of 0 and 1: those with numbers up to this one have been placed.
    trace_id     TEXT, -- Of 2: the former trace, and the former place of the run.
    dotted_order TEXT
) STRICT;

CREATE INDEX unplaced_of_workspace ON unplaced (workspace_id, seq);

CREATE TABLE clock (
    ahead INTEGER NOT NULL -- Microseconds.
) STRICT;
