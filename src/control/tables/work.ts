/** What requests and jobs of all nodes share. */
import type { Fixed, Millis } from "./column.ts";

interface WriteChecks {
  /** Always "this": the table has one row. */
  id: Fixed<string>;
  checked_at: Millis;
  filler: string;
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

/** Work that one node does for all: see leases.ts. */
interface Leases {
  name: Fixed<string>;
  owner: string;
  /** Nobody else begins the work before. */
  until: Millis;
}

/** Long work for a project: see tasks.ts. */
interface Tasks {
  id: Fixed<string>;
  workspace_id: Fixed<string>;
  project_id: Fixed<string>;
  kind: Fixed<string>;
  state: "waiting" | "running" | "done" | "failed" | "cancelled";
  /** Of `total`, in the unit of its kind. */
  done: number;
  total: number;
  /** Where the next holder of the lease goes on. */
  cursor: string | null;
  /** Why it failed. */
  message: string | null;
  lease_owner: string | null;
  lease_until: Millis | null;
  created_at: Fixed<Millis>;
  ended_at: Millis | null;
}

/** Files of history: see imports/imports-table.ts. */
interface Imports {
  id: Fixed<string>;
  workspace_id: Fixed<string>;
  project_id: Fixed<string>;
  source: Fixed<string>;
  file_name: string;
  file_bytes: Fixed<number>;
  /** What the file holds and how it is read: the same file under another name goes on. */
  content_id: Fixed<string>;
  state: "running" | "done" | "failed";
  rows_done: number;
  events: number;
  refused: number;
  /** Of the file with the refused rows, so that a second start writes none of them twice. */
  refused_bytes: number;
  /** 1 once a row without a key was read: the occurrences before it have to be counted again. */
  has_keyless: 0 | 1;
  created_at: Fixed<Millis>;
  saved_at: Millis;
  ended_at: Millis | null;
  /** The process that imports it now: see imports/claim-import.ts. */
  lease_owner: string | null;
  lease_until: Millis | null;
  /** Of imported days: the first and the last of them. While it runs they are claimed, and reports read none. */
  first_day: string | null;
  last_day: string | null;
  /** Why the file was refused. */
  message: string | null;
  /** Of a file that was sent to the service. */
  upload_id: string | null;
}

/** Files that people have sent: see imports/uploads.ts. */
interface Uploads {
  id: Fixed<string>;
  workspace_id: Fixed<string>;
  project_id: Fixed<string>;
  file_name: Fixed<string>;
  file_bytes: Fixed<number>;
  received_bytes: number;
  /** Null until the import is started. */
  source: string | null;
  /** JSON: which column is which field. */
  mapping: string | null;
  task_id: string | null;
  /** What the task has made: its counts. */
  import_id: string | null;
  created_at: Fixed<Millis>;
  changed_at: Millis;
}

export interface WorkTables {
  idempotency: Idempotency;
  rate_limits: RateLimits;
  write_checks: WriteChecks;
  leases: Leases;
  tasks: Tasks;
  imports: Imports;
  uploads: Uploads;
}
