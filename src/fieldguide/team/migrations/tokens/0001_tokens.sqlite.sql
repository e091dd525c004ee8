-- A token itself is kept nowhere: `digest` is the SHA-256 of its secret part, `id` the part that is no secret.
CREATE TABLE access_token (
    id TEXT PRIMARY KEY,
    digest TEXT NOT NULL,
    principal TEXT NOT NULL,
    scopes TEXT NOT NULL,
    note TEXT NOT NULL DEFAULT '',
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    revoked_at BIGINT,
    used_at BIGINT
);

CREATE INDEX access_token_by_principal ON access_token (principal);
