ALTER TABLE listeners ADD COLUMN version TEXT;

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
    updated_at                 INTEGER NOT NULL,
    UNIQUE (workspace_id, provider_id)
) STRICT;
