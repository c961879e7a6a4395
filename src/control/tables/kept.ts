/** What people keep in a project. */
import type { Fixed, Millis } from "./column.ts";

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

interface Segments {
  id: Fixed<string>;
  workspace_id: Fixed<string>;
  project_id: Fixed<string>;
  title: string;
  /** JSON: a list of conditions. */
  filters: string;
  /** The user who saved it; null for an API key. */
  created_by: Fixed<string | null>;
  created_at: Fixed<Millis>;
  updated_at: Millis;
}

interface Boards {
  id: Fixed<string>;
  workspace_id: Fixed<string>;
  project_id: Fixed<string>;
  title: string;
  description: string | null;
  /** The user who created it; null for an API key. */
  created_by: Fixed<string | null>;
  created_at: Fixed<Millis>;
  /** Null: never changed. */
  updated_at: Millis | null;
}

interface Charts {
  id: Fixed<string>;
  workspace_id: Fixed<string>;
  project_id: Fixed<string>;
  board_id: string;
  /** Ascending on its board; gaps mean nothing. */
  position: number;
  chart_type: string;
  title: string;
  description: string | null;
  /** JSON: what it asks and how it is drawn (boards/chart.ts). */
  spec: string;
  created_by: Fixed<string | null>;
  created_at: Fixed<Millis>;
  updated_at: Millis | null;
}

interface BoardLinks {
  id: Fixed<string>;
  workspace_id: Fixed<string>;
  project_id: Fixed<string>;
  board_id: Fixed<string>;
  /** What members call it. */
  title: string | null;
  /** Keyed hash of its token. */
  hash: Fixed<string>;
  /** The token, encrypted. */
  sealed: Fixed<string>;
  password_hash: string | null;
  /** JSON: conditions that hold for all that it shows. */
  filters: string | null;
  segment_id: string | null;
  /** The days that it shows: from and to, or the last ones. All null: any. */
  date_from: string | null;
  date_to: string | null;
  days: number | null;
  /** JSON: the origins of pages that may embed it. */
  frame_ancestors: string;
  expires_at: Millis | null;
  created_by: Fixed<string | null>;
  created_at: Fixed<Millis>;
  updated_at: Millis | null;
  last_used_at: Millis | null;
  uses: number;
}

export interface KeptTables {
  annotations: Annotations;
  saved_queries: SavedQueries;
  segments: Segments;
  boards: Boards;
  charts: Charts;
  board_links: BoardLinks;
}
