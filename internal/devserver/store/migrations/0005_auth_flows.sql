-- The flows of the Auth service, and what they end with. Columns whose name begins with sealed_ are encrypted.

ALTER TABLE oauth_providers ADD COLUMN sealed_client_secret BLOB;
ALTER TABLE oauth_providers ADD COLUMN mcp_server_url TEXT;
ALTER TABLE oauth_providers ADD COLUMN is_dynamic_client INTEGER NOT NULL DEFAULT 0;

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

-- A flow is kept until it expires, also when it has ended, for those who wait for it.
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
