-- What src/control/migrations make of an empty sqlite database. Generated (npm run generate), compared by a test.
CREATE TABLE "api_keys" ("id" text not null primary key, "workspace_id" text not null references "workspaces" ("id"), "project_id" text references "projects" ("id"), "name" text not null, "prefix" text not null, "hash" text not null unique, "scopes" text not null, "created_at" bigint not null, "expires_at" bigint, "revoked_at" bigint);
CREATE INDEX "api_keys_workspace" on "api_keys" ("workspace_id");
CREATE TABLE "forms" ("id" text not null primary key, "workspace_id" text not null references "workspaces" ("id"), "title" text not null, "description" text not null, "fields" text not null, "version" integer not null, "created_at" bigint not null, "updated_at" bigint not null, "deleted_at" bigint);
CREATE INDEX "forms_workspace" on "forms" ("workspace_id", "created_at", "id") where "deleted_at" is null;
CREATE TABLE "idempotency" ("workspace_id" text not null, "project_id" text not null, "key" text not null, "fingerprint" text not null, "owner" text not null, "lease_until" bigint not null, "status" integer, "content_type" text, "body" text, "expires_at" bigint not null, constraint "idempotency_pkey" primary key ("workspace_id", "project_id", "key"));
CREATE INDEX "idempotency_expiry" on "idempotency" ("expires_at");
CREATE TABLE "installation" ("id" text not null primary key, "secret_check" text not null);
CREATE TABLE "projects" ("id" text not null primary key, "workspace_id" text not null references "workspaces" ("id"), "name" text not null, "created_at" bigint not null, constraint "projects_name_unique" unique ("workspace_id", "name"));
CREATE TABLE "rate_limits" ("subject" text not null primary key, "tat_us" bigint not null);
CREATE TABLE "schema_migrations" ("version" integer not null primary key, "name" text not null, "applied_at" bigint not null);
CREATE TABLE "submissions" ("id" text not null primary key, "workspace_id" text not null references "workspaces" ("id"), "form_id" text not null references "forms" ("id"), "submitted_at" bigint not null, "item" text not null, "token_hash" text, "spam" integer not null, "spam_reason" text, constraint "submissions_token_unique" unique ("form_id", "token_hash"));
CREATE INDEX "submissions_newest" on "submissions" ("form_id", "spam", "submitted_at", "id");
CREATE TABLE "workspaces" ("id" text not null primary key, "name" text not null, "created_at" bigint not null);
CREATE TABLE "write_keys" ("id" text not null primary key, "workspace_id" text not null references "workspaces" ("id"), "project_id" text not null references "projects" ("id"), "name" text not null, "prefix" text not null, "hash" text not null unique, "created_at" bigint not null, "expires_at" bigint, "revoked_at" bigint);
CREATE INDEX "write_keys_workspace" on "write_keys" ("workspace_id");
