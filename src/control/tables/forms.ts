/** Forms, and the deliveries of webhooks. */
import type { ColumnType } from "kysely";
import type { Fixed, Millis } from "./column.ts";

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

/** Kept by triggers on SQLite, a view on PostgreSQL. Without a row there are none. */
interface SubmissionCounts {
  workspace_id: ColumnType<string, never, never>;
  form_id: ColumnType<string, never, never>;
  spam: ColumnType<number, never, never>;
  n: ColumnType<number, never, never>;
}

interface Webhooks {
  id: Fixed<string>;
  workspace_id: Fixed<string>;
  /** What causes its events: see webhooks/sources.ts. */
  source_kind: Fixed<"form" | "alert" | "report_schedule" | "mail_address">;
  source_id: Fixed<string>;
  /** How its requests are shaped and signed: see webhooks/styles.ts. */
  style: Fixed<"standard_webhooks" | "alert_webhook" | "slack" | "discord" | "telegram" | "email">;
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
  /** The firing of an alert that it tells about. */
  cause_id: Fixed<string | null>;
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

/** As SubmissionCounts. */
interface DeliveryCounts {
  workspace_id: ColumnType<string, never, never>;
  webhook_id: ColumnType<string, never, never>;
  n: ColumnType<number, never, never>;
}

export interface FormTables {
  forms: Forms;
  submissions: Submissions;
  webhooks: Webhooks;
  deliveries: Deliveries;
  delivery_attempts: DeliveryAttempts;
  submission_counts: SubmissionCounts;
  delivery_counts: DeliveryCounts;
}
