import type { ColumnType } from "kysely";

/** Epoch milliseconds, everywhere below the HTTP layer: one integer type in both stores, and no time zones. */
type Millis = number;
/** Set at creation and never changed. */
type Fixed<T> = ColumnType<T, T, never>;

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

interface WriteChecks {
  /** Always "this": the table has one row. */
  id: Fixed<string>;
  checked_at: Millis;
  filler: string;
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

interface Annotations {
  id: Fixed<string>;
  workspace_id: Fixed<string>;
  project_id: Fixed<string>;
  /** YYYY-MM-DD, UTC. */
  day: Fixed<string>;
  note: Fixed<string>;
  created_at: Fixed<Millis>;
}

interface SavedQueries {
  id: Fixed<string>;
  workspace_id: Fixed<string>;
  project_id: Fixed<string>;
  name: string;
  query: string;
  /** The user who saved it; null for an API key. */
  created_by: Fixed<string | null>;
  created_at: Fixed<Millis>;
  updated_at: Millis;
}

interface Idempotency {
  workspace_id: Fixed<string>;
  /** Empty for a credential that is not bound to a project: a primary key cannot contain null. */
  project_id: Fixed<string>;
  key: Fixed<string>;
  fingerprint: string;
  /** The claim that runs the request; only its owner may settle the record. */
  owner: string;
  lease_until: Millis;
  /** Null while the request runs. */
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
  /** Empty if there is none. */
  description: string;
  /** JSON: the fields in order, each with its id and key. */
  fields: string;
  /** Incremented by every change: of two concurrent changes to one version, only one succeeds. */
  version: number;
  created_at: Fixed<Millis>;
  updated_at: Millis;
  /** A deleted form is invisible at once. Its submissions are erased in the background. */
  deleted_at: Millis | null;
}

interface Submissions {
  id: Fixed<string>;
  workspace_id: Fixed<string>;
  form_id: Fixed<string>;
  submitted_at: Fixed<Millis>;
  /** JSON: the answers under their keys, by the form of that time. */
  item: Fixed<string>;
  /** The token of the hosted page; null if there was no page. One submission per page. */
  token_hash: Fixed<string | null>;
  /** 1 for suspected spam, which is listed separately and creates no deliveries. */
  spam: Fixed<number>;
  spam_reason: Fixed<string | null>;
}

interface Webhooks {
  id: Fixed<string>;
  workspace_id: Fixed<string>;
  form_id: Fixed<string>;
  target_url: Fixed<string>;
  /** Scheme, host and port. Lanes of one origin share its slots and usually fail together. */
  target_origin: Fixed<string>;
  /** One bit per event type, so that a merge is one statement that loses nothing; see webhooks/event-mask.ts. */
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
  /** When this lane next has a delivery to send: 0 for at once, null for nothing. */
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
  /** Sent as webhook-id, the same for all attempts. */
  id: Fixed<string>;
  workspace_id: Fixed<string>;
  webhook_id: Fixed<string>;
  event_type: Fixed<string>;
  sequence: Fixed<number>;
  /** The body, byte for byte as it is signed and sent. */
  payload: Fixed<string>;
  /** See webhooks/delivery-states.ts. */
  state: "pending" | "sending" | "delivered" | "failed" | "skipped" | "ended";
  /** 0 for new and redelivered ones, 1 for retries: the lane sends tier 0 first. */
  tier: number;
  due_at: Millis;
  /** Attempts of this round; a redelivery starts a new round. */
  tries: number;
  /** Attempts of all rounds. */
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

/** Kept by triggers on SQLite, a view on PostgreSQL. Without a row there are none. */
interface SubmissionCounts {
  workspace_id: ColumnType<string, never, never>;
  form_id: ColumnType<string, never, never>;
  spam: ColumnType<number, never, never>;
  n: ColumnType<number, never, never>;
}

/** As SubmissionCounts. */
interface DeliveryCounts {
  workspace_id: ColumnType<string, never, never>;
  webhook_id: ColumnType<string, never, never>;
  n: ColumnType<number, never, never>;
}

interface Users {
  id: Fixed<string>;
  /** A name or an email address, as its owner writes it. */
  name: string;
  /** The name as it is compared: see accounts/users.ts. */
  name_key: string;
  /** A PHC string; null for people who sign in by other means. */
  password_hash: string | null;
  created_at: Fixed<Millis>;
  disabled_at: Millis | null;
}

interface Members {
  workspace_id: Fixed<string>;
  user_id: Fixed<string>;
  /** See contract/member-roles.ts. */
  role: string;
  created_at: Fixed<Millis>;
}

interface Sessions {
  /** For lists; the cookie holds another text, of which only `hash` is stored. */
  id: Fixed<string>;
  hash: Fixed<string>;
  user_id: Fixed<string>;
  method: Fixed<string>;
  user_agent: Fixed<string>;
  created_at: Fixed<Millis>;
  last_seen_at: Millis;
  expires_at: Millis;
}

interface Passkeys {
  id: Fixed<string>;
  user_id: Fixed<string>;
  credential_id: Fixed<string>;
  /** COSE, in base64url. */
  public_key: Fixed<string>;
  /** Uses that the authenticator has counted; many count none and stay at 0. */
  counter: number;
  /** Space-separated. */
  transports: Fixed<string>;
  name: string;
  created_at: Fixed<Millis>;
  last_used_at: Millis | null;
}

interface Wallets {
  id: Fixed<string>;
  user_id: Fixed<string>;
  /** In lower case. */
  address: Fixed<string>;
  /** The chain of a contract wallet; 0 for an ordinary account, which is the same on every chain. */
  chain_id: Fixed<number>;
  created_at: Fixed<Millis>;
}

/** Accounts at an OpenID Connect provider. */
interface Identities {
  issuer: Fixed<string>;
  subject: Fixed<string>;
  user_id: Fixed<string>;
  created_at: Fixed<Millis>;
}

/** Challenges are signed, not stored. A used one is kept here until it expires, so that it is used once. */
interface UsedChallenges {
  id: Fixed<string>;
  expires_at: Fixed<Millis>;
}

interface OneTimeLinks {
  id: Fixed<string>;
  hash: Fixed<string>;
  kind: Fixed<"invite" | "reset">;
  /** Of an invite. */
  workspace_id: Fixed<string | null>;
  role: Fixed<string | null>;
  /** Of a reset. */
  user_id: Fixed<string | null>;
  note: Fixed<string>;
  created_by: Fixed<string>;
  created_at: Fixed<Millis>;
  expires_at: Fixed<Millis>;
}

interface AuditLog {
  id: Fixed<string>;
  /** Null for what a user does to their own account. */
  workspace_id: Fixed<string | null>;
  at: Fixed<Millis>;
  /** Null for the command line. */
  user_id: Fixed<string | null>;
  /** The user's name at that time. */
  actor: Fixed<string>;
  action: Fixed<string>;
  /** The id of what was changed. */
  target: Fixed<string>;
  /** JSON. */
  details: Fixed<string>;
}

interface SchemaMigrations {
  version: Fixed<number>;
  name: Fixed<string>;
  applied_at: Fixed<Millis>;
}

/** The control store's tables as the code sees them. migrations/ creates them, and the files schema.* list them. */
export interface ControlSchema {
  installation: Installation;
  workspaces: Workspaces;
  projects: Projects;
  api_keys: ApiKeys;
  write_keys: WriteKeys;
  bi_tokens: BiTokens;
  annotations: Annotations;
  saved_queries: SavedQueries;
  idempotency: Idempotency;
  rate_limits: RateLimits;
  forms: Forms;
  submissions: Submissions;
  webhooks: Webhooks;
  deliveries: Deliveries;
  delivery_attempts: DeliveryAttempts;
  retention_runs: RetentionRuns;
  write_checks: WriteChecks;
  submission_counts: SubmissionCounts;
  delivery_counts: DeliveryCounts;
  users: Users;
  members: Members;
  sessions: Sessions;
  passkeys: Passkeys;
  wallets: Wallets;
  identities: Identities;
  used_challenges: UsedChallenges;
  one_time_links: OneTimeLinks;
  audit_log: AuditLog;
  schema_migrations: SchemaMigrations;
}
