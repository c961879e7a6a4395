/** Alerts: see alerts/ for what their rows mean. */
import type { Fixed, Millis } from "./column.ts";

interface Owned {
  workspace_id: Fixed<string>;
  project_id: Fixed<string>;
}

interface Alerts extends Owned {
  id: Fixed<string>;
  name: string;
  trigger_type: "event" | "user" | "metric";
  /** JSON: its conditions. */
  filters: string;
  /** JSON, of a metric alert. */
  metric: string | null;
  /** JSON: types and values as answers show them. Their subscriptions are rows of `webhooks`. */
  recipients: string;
  /** JSON: the properties that messages for people show. */
  property_keys: string;
  /** Encrypted: see secret-box.ts. Null: none. */
  secret: string | null;
  include_imported: 0 | 1;
  status: "active" | "inactive";
  /** Why it became inactive by itself. */
  status_reason: string | null;
  /** Of a metric alert. */
  state: string | null;
  muted_until: Millis | null;
  /** It looks at what is received from here on. */
  active_since: Millis;
  /** In a row. */
  failures: number;
  last_fired_at: Millis | null;
  /** The start of its last storm, and how many matches of it were sent and are to be told as a number. */
  storm_at: Millis;
  storm_items: number;
  storm_more: number;
  /** The start of its current 24 hours, and how many matches were sent one by one in them. */
  day_at: Millis;
  day_items: number;
  created_by: Fixed<string | null>;
  created_at: Fixed<Millis>;
  updated_at: Millis | null;
}

interface AlertFirings extends Owned {
  /** Made of the alert and its match: see alerts/firing-id.ts. */
  id: Fixed<string>;
  alert_id: Fixed<string>;
  kind: Fixed<"event" | "user" | "metric">;
  /** One that was muted may be sent later. */
  state: "sent" | "muted" | "counted";
  /** How many matches it tells about. */
  count: Fixed<number>;
  /** JSON: what a list of firings shows. */
  details: Fixed<string>;
  /** When it fired; of one that was muted and is told later, when it was told. */
  created_at: Millis;
}

/** Of two evaluations of one version, one commits. */
interface AlertCursors extends Owned {
  version: number;
}

/** How many events of a minute of receipt are looked at, as the ledger counts them. */
interface AlertMinutes extends Owned {
  minute: Fixed<Millis>;
  events: number;
}

interface AlertCounts extends Owned {
  alert_id: Fixed<string>;
  minute: Fixed<Millis>;
  matches: number;
}

/** When a user alert last told about a wallet. */
interface AlertWallets extends Owned {
  alert_id: Fixed<string>;
  address: Fixed<string>;
  fired_at: Millis;
}

/** The last evaluation of a metric alert. Of two evaluations of one window, one commits. */
interface AlertMetrics extends Owned {
  alert_id: Fixed<string>;
  /** That of the alert: what is remembered of an alert before it was changed is void. */
  active_since: Millis;
  /** The end of the last evaluated window. */
  evaluated_to: Millis;
  due_at: Millis;
  /** JSON: see alerts/metric/states.ts. */
  memory: string;
}

/** Up to when a person has seen the notifications of a project. */
interface AlertReads extends Owned {
  user_id: Fixed<string>;
  read_at: Millis;
}

export interface AlertTables {
  alert_metrics: AlertMetrics;
  alerts: Alerts;
  alert_firings: AlertFirings;
  alert_cursors: AlertCursors;
  alert_minutes: AlertMinutes;
  alert_counts: AlertCounts;
  alert_wallets: AlertWallets;
  alert_reads: AlertReads;
}
