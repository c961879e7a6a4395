import type { ColumnType } from "kysely";

/** Times are epoch milliseconds everywhere below the edge: one integer type in both stores, and no time zone to get wrong. */
type Millis = number;
/** Set at creation and never changed. */
type Fixed<T> = ColumnType<T, T, never>;

interface Installation {
  /** Always "this": there is one row. */
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
  /** 1 when reports leave bots out. */
  exclude_bots: ColumnType<number, number | undefined, number>;
  /** Days its events are kept; null: for ever. */
  retention_days: ColumnType<number | null, number | null | undefined, number | null>;
}

interface RetentionRuns {
  /** What was looked through; see retention.ts. */
  what: Fixed<string>;
  ran_at: Millis;
  removed: number;
}

interface WriteChecks {
  /** Always "this": there is one row. */
  id: Fixed<string>;
  checked_at: Millis;
  filler: string;
}

interface ApiKeys {
  id: Fixed<string>;
  workspace_id: Fixed<string>;
  /** The one project the key is bound to, or null for the whole workspace. */
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

interface Idempotency {
  workspace_id: Fixed<string>;
  /** Empty for a credential that is not bound to a project, so that the primary key has no null. */
  project_id: Fixed<string>;
  key: Fixed<string>;
  fingerprint: string;
  /** Who runs the request now; only the owner may settle the row. */
  owner: string;
  lease_until: Millis;
  /** Null while in progress. */
  status: number | null;
  content_type: string | null;
  body: string | null;
  expires_at: Millis;
}

interface RateLimits {
  subject: Fixed<string>;
  /** Theoretical arrival time of the next request under the plain rate, in epoch microseconds (GCRA). */
  tat_us: number;
}

interface Forms {
  id: Fixed<string>;
  workspace_id: Fixed<string>;
  title: string;
  /** Empty for none. */
  description: string;
  /** JSON: the fields in their order, each with its id and key. */
  fields: string;
  /** Grows with every change, so that of two who change the same version only one wins. */
  version: number;
  created_at: Fixed<Millis>;
  updated_at: Millis;
  /** A deleted form is invisible at once; its submissions are erased in the background. */
  deleted_at: Millis | null;
}

interface Submissions {
  id: Fixed<string>;
  workspace_id: Fixed<string>;
  form_id: Fixed<string>;
  submitted_at: Fixed<Millis>;
  /** JSON: the answers under their keys, as the form was when they came. */
  item: Fixed<string>;
  /** Of the page the answers were typed into; null for those that came without. One submission per page. */
  token_hash: Fixed<string | null>;
  /** 1 for suspected spam: kept apart, fires nothing. */
  spam: Fixed<number>;
  spam_reason: Fixed<string | null>;
}

interface Webhooks {
  id: Fixed<string>;
  workspace_id: Fixed<string>;
  form_id: Fixed<string>;
  target_url: Fixed<string>;
  /** Scheme, host and port: what shares its connections, and hangs together. */
  target_origin: Fixed<string>;
  /** One bit per event type, so that a merge is one statement that loses nothing; see webhooks/event-types.ts. */
  event_types: number;
  /** See webhooks/subscriptions.ts. */
  status: "active" | "disabled" | "ended";
  status_reason: "user" | "failures" | "gone" | null;
  status_since: Millis;
  /** Encrypted: see secret-box.ts. */
  secret: string;
  previous_secret: string | null;
  previous_secret_until: Millis | null;
  next_sequence: number;
  /** When this lane next has something to send; 0 for at once, null for nothing. */
  next_due_at: Millis | null;
  last_success_at: Millis | null;
  last_failure_at: Millis | null;
  /** First failure since the last success. */
  failing_since: Millis | null;
  failures: number;
  created_at: Fixed<Millis>;
  updated_at: Millis;
  deleted_at: Millis | null;
}

interface Deliveries {
  /** Sent as webhook-id, the same over all attempts. */
  id: Fixed<string>;
  workspace_id: Fixed<string>;
  webhook_id: Fixed<string>;
  event_type: Fixed<string>;
  sequence: Fixed<number>;
  /** The body, byte for byte as it is signed and sent. */
  payload: Fixed<string>;
  /** See webhooks/delivery-states.ts. */
  state: "pending" | "sending" | "delivered" | "failed" | "skipped" | "ended";
  /** 0 for what is new or asked for by hand, 1 for what waits: the lane sends 0 first. */
  tier: number;
  due_at: Millis;
  /** Attempts of this round; a redelivery starts a new one. */
  tries: number;
  /** Attempts ever. */
  attempts: number;
  lease_owner: string | null;
  lease_until: Millis | null;
  created_at: Fixed<Millis>;
  settled_at: Millis | null;
}

interface DeliveryAttempts {
  delivery_id: Fixed<string>;
  number: Fixed<number>;
  started_at: Fixed<Millis>;
  duration_ms: Fixed<number>;
  outcome: Fixed<"answered" | "refused" | "failed">;
  status: Fixed<number | null>;
  reason: Fixed<string | null>;
  response: Fixed<string | null>;
}

interface SchemaMigrations {
  version: Fixed<number>;
  name: Fixed<string>;
  applied_at: Fixed<Millis>;
}

/** The control store's tables as the code sees them; migrations/ makes them, schema.* shows them. */
export interface ControlSchema {
  installation: Installation;
  workspaces: Workspaces;
  projects: Projects;
  api_keys: ApiKeys;
  write_keys: WriteKeys;
  idempotency: Idempotency;
  rate_limits: RateLimits;
  forms: Forms;
  submissions: Submissions;
  webhooks: Webhooks;
  deliveries: Deliveries;
  delivery_attempts: DeliveryAttempts;
  retention_runs: RetentionRuns;
  write_checks: WriteChecks;
  schema_migrations: SchemaMigrations;
}
