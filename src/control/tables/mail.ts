/** Addresses of mail, and reports that are sent by a schedule. */
import type { Fixed, Millis } from "./column.ts";

interface MailAddresses {
  id: Fixed<string>;
  workspace_id: Fixed<string>;
  /** As it was written. */
  address: Fixed<string>;
  /** As it is compared: in lower case. */
  mailbox: Fixed<string>;
  /** See mail/addresses.ts. */
  state: "asked" | "confirmed" | "stopped";
  asks: number;
  asked_at: Millis;
  confirmed_at: Millis | null;
  stopped_at: Millis | null;
  /** The user who asked; null for an API key or a message. */
  created_by: Fixed<string | null>;
  created_at: Fixed<Millis>;
}

interface ReportSchedules {
  id: Fixed<string>;
  workspace_id: Fixed<string>;
  project_id: Fixed<string>;
  /** Null: the report is about the project. */
  board_id: string | null;
  title: string;
  every: "week" | "month";
  /** Of a weekly one; 1 is Monday. */
  weekday: number;
  hour: number;
  timezone: string;
  active: 0 | 1;
  /** When it is next due; null while it is not active. */
  next_at: Millis | null;
  /** After a failure: not before. */
  retry_at: Millis;
  failures: number;
  /** What is wrong with it, for people. */
  last_error: string | null;
  created_by: Fixed<string | null>;
  created_at: Fixed<Millis>;
  updated_at: Millis | null;
}

/** One for each schedule and period: what makes a report come once. */
interface ReportRuns {
  id: Fixed<string>;
  workspace_id: Fixed<string>;
  project_id: Fixed<string>;
  schedule_id: Fixed<string>;
  date_from: Fixed<string>;
  date_to: Fixed<string>;
  due_at: Fixed<Millis>;
  created_at: Fixed<Millis>;
  /** Deliveries in the outbox. */
  deliveries: Fixed<number>;
}

export interface MailTables {
  mail_addresses: MailAddresses;
  report_schedules: ReportSchedules;
  report_runs: ReportRuns;
}
