/** Workspaces and projects, their keys, and what the store knows of itself. */
import type { ColumnType } from "kysely";
import type { Fixed, Millis } from "./column.ts";

interface Installation {
  /** Always "this": the table has one row. */
  id: Fixed<string>;
  secret_check: Fixed<string>;
}

interface Workspaces {
  id: Fixed<string>;
  name: string;
  created_at: Fixed<Millis>;
}

interface Projects {
  id: Fixed<string>;
  workspace_id: Fixed<string>;
  name: string;
  created_at: Fixed<Millis>;
  /** 1 if reports exclude bots. */
  exclude_bots: ColumnType<number, number | undefined, number>;
  /** Days that its events are kept; null: forever. */
  retention_days: ColumnType<number | null, number | null | undefined, number | null>;
  /** What revenue and volume are counted in. */
  money_unit: ColumnType<string, string | undefined, string>;
  /** The name of the time zone whose days its reports count. */
  timezone: ColumnType<string, string | undefined, string>;
  /** 1 for a project of invented events. */
  is_demo: ColumnType<number, number | undefined, never>;
  deleted_at: ColumnType<Millis | null, never, Millis>;
}

interface RetentionRuns {
  /** The kind of rows; see retention.ts. */
  what: Fixed<string>;
  ran_at: Millis;
  removed: number;
}

interface ApiKeys {
  id: Fixed<string>;
  workspace_id: Fixed<string>;
  /** The one project the key is bound to; null for the whole workspace. */
  project_id: Fixed<string | null>;
  name: string;
  prefix: Fixed<string>;
  hash: Fixed<string>;
  /** Space-separated scopes. */
  scopes: Fixed<string>;
  created_at: Fixed<Millis>;
  expires_at: Fixed<Millis | null>;
  revoked_at: Millis | null;
}

interface WriteKeys {
  id: Fixed<string>;
  workspace_id: Fixed<string>;
  project_id: Fixed<string>;
  name: string;
  prefix: Fixed<string>;
  hash: Fixed<string>;
  created_at: Fixed<Millis>;
  expires_at: Fixed<Millis | null>;
  revoked_at: Millis | null;
}

interface BiTokens {
  id: Fixed<string>;
  workspace_id: Fixed<string>;
  project_id: Fixed<string>;
  name: string;
  prefix: Fixed<string>;
  hash: Fixed<string>;
  created_at: Fixed<Millis>;
  expires_at: Fixed<Millis | null>;
  revoked_at: Millis | null;
  /** The hour of the last use; null for never. */
  last_used_at: Millis | null;
}

interface SchemaMigrations {
  version: Fixed<number>;
  name: Fixed<string>;
  applied_at: Fixed<Millis>;
}

export interface TenantTables {
  installation: Installation;
  workspaces: Workspaces;
  projects: Projects;
  api_keys: ApiKeys;
  write_keys: WriteKeys;
  bi_tokens: BiTokens;
  retention_runs: RetentionRuns;
  schema_migrations: SchemaMigrations;
}
