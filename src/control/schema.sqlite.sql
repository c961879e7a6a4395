-- What src/control/migrations make of an empty sqlite database. Generated (npm run generate), compared by a test.
CREATE TABLE "annotations" ("id" text not null primary key, "workspace_id" text not null references "workspaces" ("id"), "project_id" text not null references "projects" ("id"), "day" text not null, "note" text not null, "created_at" bigint not null);
CREATE INDEX "annotations_day" on "annotations" ("workspace_id", "project_id", "day");
CREATE TABLE "api_keys" ("id" text not null primary key, "workspace_id" text not null references "workspaces" ("id"), "project_id" text references "projects" ("id"), "name" text not null, "prefix" text not null, "hash" text not null unique, "scopes" text not null, "created_at" bigint not null, "expires_at" bigint, "revoked_at" bigint);
CREATE INDEX "api_keys_workspace" on "api_keys" ("workspace_id");
CREATE TABLE "audit_log" ("id" text not null primary key, "workspace_id" text references "workspaces" ("id"), "at" bigint not null, "user_id" text, "actor" text not null, "action" text not null, "target" text not null, "details" text not null);
CREATE INDEX "audit_log_age" on "audit_log" ("at");
CREATE INDEX "audit_log_newest" on "audit_log" ("workspace_id", "at", "id");
CREATE TABLE "bi_tokens" ("id" text not null primary key, "workspace_id" text not null references "workspaces" ("id"), "project_id" text not null references "projects" ("id"), "name" text not null, "prefix" text not null, "hash" text not null unique, "created_at" bigint not null, "expires_at" bigint, "revoked_at" bigint, "last_used_at" bigint);
CREATE INDEX "bi_tokens_workspace" on "bi_tokens" ("workspace_id");
CREATE TRIGGER "delivery_counts_delete" after delete on "deliveries" begin
    update "delivery_counts" set n = n - 1 where ("workspace_id", "webhook_id") = ("old"."workspace_id", "old"."webhook_id");
    delete from "delivery_counts" where ("workspace_id", "webhook_id") = ("old"."workspace_id", "old"."webhook_id") and n = 0; end;
CREATE TRIGGER "delivery_counts_insert" after insert on "deliveries" begin
    insert into "delivery_counts" ("workspace_id", "webhook_id", n) values ("new"."workspace_id", "new"."webhook_id", 1)
      on conflict do update set n = n + 1; end;
CREATE TABLE "deliveries" ("id" text not null primary key, "workspace_id" text not null, "webhook_id" text not null references "webhooks" ("id"), "event_type" text not null, "sequence" bigint not null, "payload" text not null, "state" text not null, "tier" integer not null, "due_at" bigint not null, "tries" integer not null, "attempts" integer not null, "lease_owner" text, "lease_until" bigint, "created_at" bigint not null, "settled_at" bigint, constraint "deliveries_sequence_unique" unique ("webhook_id", "sequence"));
CREATE INDEX "deliveries_age" on "deliveries" ("created_at");
CREATE INDEX "deliveries_pending" on "deliveries" ("webhook_id", "tier", "due_at", "sequence") where "state" = 'pending';
CREATE INDEX "deliveries_recoverable" on "deliveries" ("webhook_id", "created_at") where "state" in ('failed', 'skipped');
CREATE INDEX "deliveries_sending" on "deliveries" ("lease_until") where "state" = 'sending';
CREATE TABLE "delivery_attempts" ("delivery_id" text not null references "deliveries" ("id") on delete cascade, "number" integer not null, "started_at" bigint not null, "duration_ms" integer not null, "outcome" text not null, "status" integer, "reason" text, "response" text, constraint "delivery_attempts_pkey" primary key ("delivery_id", "number"));
CREATE TABLE "delivery_counts" ("workspace_id" text not null, "webhook_id" text not null, "n" bigint not null, constraint "delivery_counts_pkey" primary key ("workspace_id", "webhook_id"));
CREATE TABLE "forms" ("id" text not null primary key, "workspace_id" text not null references "workspaces" ("id"), "title" text not null, "description" text not null, "fields" text not null, "version" integer not null, "created_at" bigint not null, "updated_at" bigint not null, "deleted_at" bigint);
CREATE INDEX "forms_workspace" on "forms" ("workspace_id", "created_at", "id") where "deleted_at" is null;
CREATE TABLE "idempotency" ("workspace_id" text not null, "project_id" text not null, "key" text not null, "fingerprint" text not null, "owner" text not null, "lease_until" bigint not null, "status" integer, "content_type" text, "body" text, "expires_at" bigint not null, constraint "idempotency_pkey" primary key ("workspace_id", "project_id", "key"));
CREATE INDEX "idempotency_expiry" on "idempotency" ("expires_at");
CREATE TABLE "identities" ("issuer" text not null, "subject" text not null, "user_id" text not null references "users" ("id"), "created_at" bigint not null, constraint "identities_pkey" primary key ("issuer", "subject"));
CREATE INDEX "identities_user" on "identities" ("user_id");
CREATE TABLE "installation" ("id" text not null primary key, "secret_check" text not null);
CREATE TABLE "members" ("workspace_id" text not null references "workspaces" ("id"), "user_id" text not null references "users" ("id"), "role" text not null, "created_at" bigint not null, constraint "members_pkey" primary key ("workspace_id", "user_id"));
CREATE INDEX "members_user" on "members" ("user_id");
CREATE TABLE "one_time_links" ("id" text not null primary key, "hash" text not null unique, "kind" text not null, "workspace_id" text references "workspaces" ("id"), "role" text, "user_id" text references "users" ("id"), "note" text not null, "created_by" text not null, "created_at" bigint not null, "expires_at" bigint not null);
CREATE INDEX "one_time_links_expiry" on "one_time_links" ("expires_at");
CREATE INDEX "one_time_links_workspace" on "one_time_links" ("workspace_id");
CREATE TABLE "passkeys" ("id" text not null primary key, "user_id" text not null references "users" ("id"), "credential_id" text not null unique, "public_key" text not null, "counter" bigint not null, "transports" text not null, "name" text not null, "created_at" bigint not null, "last_used_at" bigint);
CREATE INDEX "passkeys_user" on "passkeys" ("user_id");
CREATE TABLE "projects" ("id" text not null primary key, "workspace_id" text not null references "workspaces" ("id"), "name" text not null, "created_at" bigint not null, "exclude_bots" integer default 0 not null, "retention_days" integer, "is_demo" integer default 0 not null, "deleted_at" bigint, "money_unit" text default 'USD' not null, constraint "projects_name_unique" unique ("workspace_id", "name"));
CREATE TABLE "rate_limits" ("subject" text not null primary key, "tat_us" bigint not null);
CREATE TABLE "retention_runs" ("what" text not null primary key, "ran_at" bigint not null, "removed" bigint not null);
CREATE TABLE "saved_queries" ("id" text not null primary key, "workspace_id" text not null references "workspaces" ("id"), "project_id" text not null references "projects" ("id"), "name" text not null, "query" text not null, "created_by" text, "created_at" bigint not null, "updated_at" bigint not null);
CREATE INDEX "saved_queries_project" on "saved_queries" ("workspace_id", "project_id");
CREATE TABLE "schema_migrations" ("version" integer not null primary key, "name" text not null, "applied_at" bigint not null);
CREATE TABLE "sessions" ("id" text not null primary key, "hash" text not null unique, "user_id" text not null references "users" ("id"), "method" text not null, "user_agent" text not null, "created_at" bigint not null, "last_seen_at" bigint not null, "expires_at" bigint not null);
CREATE INDEX "sessions_expiry" on "sessions" ("expires_at");
CREATE INDEX "sessions_user" on "sessions" ("user_id");
CREATE TABLE "submission_counts" ("workspace_id" text not null, "form_id" text not null, "spam" integer not null, "n" bigint not null, constraint "submission_counts_pkey" primary key ("workspace_id", "form_id", "spam"));
CREATE TRIGGER "submission_counts_delete" after delete on "submissions" begin
    update "submission_counts" set n = n - 1 where ("workspace_id", "form_id", "spam") = ("old"."workspace_id", "old"."form_id", "old"."spam");
    delete from "submission_counts" where ("workspace_id", "form_id", "spam") = ("old"."workspace_id", "old"."form_id", "old"."spam") and n = 0; end;
CREATE TRIGGER "submission_counts_insert" after insert on "submissions" begin
    insert into "submission_counts" ("workspace_id", "form_id", "spam", n) values ("new"."workspace_id", "new"."form_id", "new"."spam", 1)
      on conflict do update set n = n + 1; end;
CREATE TABLE "submissions" ("id" text collate "BINARY" not null primary key, "workspace_id" text not null references "workspaces" ("id"), "form_id" text not null references "forms" ("id"), "submitted_at" bigint not null, "item" text not null, "token_hash" text unique, "spam" integer not null, "spam_reason" text);
CREATE INDEX "submissions_newest" on "submissions" ("workspace_id", "form_id", "spam", "submitted_at", "id");
CREATE INDEX "submissions_spam" on "submissions" ("submitted_at") where "spam" = 1;
CREATE TABLE "used_challenges" ("id" text not null primary key, "expires_at" bigint not null);
CREATE INDEX "used_challenges_expiry" on "used_challenges" ("expires_at");
CREATE TABLE "users" ("id" text not null primary key, "name" text not null, "name_key" text not null unique, "password_hash" text, "created_at" bigint not null, "disabled_at" bigint);
CREATE TABLE "wallets" ("id" text not null primary key, "user_id" text not null references "users" ("id"), "address" text not null, "chain_id" bigint not null, "created_at" bigint not null, constraint "wallets_address_unique" unique ("address", "chain_id"));
CREATE INDEX "wallets_user" on "wallets" ("user_id");
CREATE TABLE "webhooks" ("id" text not null primary key, "workspace_id" text not null references "workspaces" ("id"), "form_id" text not null references "forms" ("id"), "target_url" text not null, "target_origin" text not null, "event_types" integer not null, "status" text not null, "status_reason" text, "status_since" bigint not null, "secret" text not null, "previous_secret" text, "previous_secret_until" bigint, "next_sequence" bigint not null, "next_due_at" bigint, "last_success_at" bigint, "last_failure_at" bigint, "failing_since" bigint, "failures" integer not null, "created_at" bigint not null, "updated_at" bigint not null, "deleted_at" bigint);
CREATE INDEX "webhooks_deleted" on "webhooks" ("deleted_at") where "deleted_at" is not null;
CREATE INDEX "webhooks_due" on "webhooks" ("next_due_at") where "next_due_at" is not null;
CREATE INDEX "webhooks_listed" on "webhooks" ("workspace_id", "created_at", "id") where "deleted_at" is null;
CREATE UNIQUE INDEX "webhooks_target_unique" on "webhooks" ("form_id", "target_url") where "deleted_at" is null;
CREATE TABLE "workspaces" ("id" text not null primary key, "name" text not null, "created_at" bigint not null);
CREATE TABLE "write_checks" ("id" text not null primary key, "checked_at" bigint not null, "filler" text not null);
CREATE TABLE "write_keys" ("id" text not null primary key, "workspace_id" text not null references "workspaces" ("id"), "project_id" text not null references "projects" ("id"), "name" text not null, "prefix" text not null, "hash" text not null unique, "created_at" bigint not null, "expires_at" bigint, "revoked_at" bigint);
CREATE INDEX "write_keys_workspace" on "write_keys" ("workspace_id");
