/**
 * The folders of src/, each with its content and the folders it may import. ARCHITECTURE.md shows this table, and
 * test/boundaries.test.ts checks every import against it. Every folder may import `contract` and `lib`. Only the
 * files of src/ itself may import everything.
 */
import { readFileSync } from "node:fs";

interface Room {
  readonly holds: string;
  readonly mayImport: readonly string[];
}

export const ROOMS: Readonly<Record<string, Room>> = {
  service: {
    holds: "start, roles, jobs (`jobs.ts`)",
    mayImport: [
      "routes",
      "http",
      "installation",
      "query",
      "warehouse",
      "ingest",
      "accounts",
      "forms",
      "webhooks",
      "alerts",
      "profiles",
      "providers",
      "control",
      "engines",
      "demo",
      "mail",
      "schedules",
      "boards",
      "imports",
    ],
  },
  routes: {
    holds: "route tables (`index.ts` lists them), a folder an area; `servers.ts`",
    mayImport: [
      "http",
      "ingest",
      "query",
      "control",
      "accounts",
      "boards",
      "profiles",
      "forms",
      "webhooks",
      "alerts",
      "demo",
      "mail",
      "schedules",
      "imports",
    ],
  },
  http: {
    holds: "the framework of routes (`route.ts`, `mount.ts`), and the protocols",
    mayImport: ["ingest", "query", "control", "accounts", "forms"],
  },
  ingest: { holds: "the event log; checking and unpacking a body (`accept.ts`)", mayImport: ["control"] },
  enrich: { holds: "event in, row out: an ordered list of pure steps (`pipeline.ts`)", mayImport: [] },
  warehouse: {
    holds: "`writer.ts`, ledger, replay, retention",
    mayImport: ["ingest", "enrich", "materialize", "engines"],
  },
  materialize: { holds: "SQL of sessions and rollups, revenue, time margins (`margins.ts`)", mayImport: [] },
  query: {
    holds: "reports (`reports/*.sql`), filters, query slots; `run/` runs them",
    mayImport: ["materialize", "engines"],
  },
  engines: {
    holds: "`port.ts`; `duckdb/` and `clickhouse/` with their `schema/`; SQLite, PostgreSQL",
    mayImport: ["materialize"],
  },
  control: { holds: "workspaces, keys, idempotency, rate limits, `migrations/`", mayImport: ["engines"] },
  accounts: { holds: "people: users, roles, sessions, ways to sign in, audit log", mayImport: ["control"] },
  webhooks: { holds: "subscriptions, outbox, delivery worker and log", mayImport: ["control"] },
  forms: { holds: "forms and submissions (`submit.ts`)", mayImport: ["control", "webhooks"] },
  boards: {
    holds: "boards, charts and public links; checking and running charts, sharing their answers; templates",
    mayImport: ["query", "control", "engines"],
  },
  profiles: {
    holds: "profiles of wallets: search, properties, labels, imported wallets",
    mayImport: ["query", "control", "engines", "materialize"],
  },
  mail: {
    holds: "mail: sending (`smtp.ts`), addresses that confirm themselves, links of mails",
    mayImport: ["control", "webhooks"],
  },
  schedules: {
    holds: "scheduled reports: when they are due (`due.ts`), what they say, sending them once",
    mayImport: ["query", "control", "boards", "webhooks", "mail"],
  },
  alerts: {
    holds: "alerts: conditions, looking at new events (`evaluate/`), firings; `metric/`: alerts on numbers",
    mayImport: ["query", "control", "boards", "profiles", "webhooks", "engines"],
  },
  providers: {
    holds: "what others tell about wallets: the interface (`provider.ts`), ENS, asking in the background",
    mayImport: ["profiles", "query", "webhooks", "engines"],
  },
  installation: {
    holds: "settings (`settings.ts`, read by `config.ts`), data directory, stores",
    mayImport: ["control", "engines"],
  },
  backup: {
    holds: "backup and restore",
    mayImport: ["installation", "ingest", "control", "warehouse", "engines"],
  },
  doctor: {
    holds: "checks that change nothing",
    mayImport: ["installation", "ingest", "control", "engines", "mail"],
  },
  demo: {
    holds: "the invented exchange of the demo, and sending its events",
    mayImport: ["control", "forms", "ingest"],
  },
  imports: {
    holds: "files of history: readers (`read/`), a mapper for each product (`from/`), sending and resuming",
    mayImport: ["query", "control", "ingest", "profiles", "engines"],
  },
  cli: {
    holds: "the `sextant` commands",
    mayImport: ["control", "accounts", "boards", "forms", "demo", "imports", "profiles"],
  },
  contract: { holds: "what clients see: error codes, scopes, limits, bodies", mayImport: [] },
  lib: { holds: "clock, ids, JSON, cache, semaphore, SQL files: no business words", mayImport: [] },
};

/**
 * The import rules inside a folder. A part is one of its folders with all below that is no part itself; `.` is its own
 * files, and `name/*` makes a part of each folder in `name`. A part imports itself and the parts that it lists, which
 * stand below it: so the parts have floors and no cycles. A rule says nothing of imports from outside the folder.
 */
export const PARTS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  "src/engines": {
    "duckdb/process": ["duckdb", ".", "user-sql"],
    duckdb: ["user-sql/check", ".", "user-sql"],
    clickhouse: ["user-sql/check", ".", "user-sql"],
    "user-sql/check": [".", "user-sql"],
    ".": ["user-sql"],
    "user-sql": [],
  },
  "src/query": {
    live: ["activity", "run", "report", "filters"],
    activity: ["run", "report", "filters"],
    profiles: ["run", "report", "filters"],
    values: ["run", "report", "filters"],
    ledger: ["run"],
    sql: ["run", "report"],
    windows: ["run", "reports", "report"],
    run: ["reports", "report"],
    reports: ["report", "filters"],
    report: ["filters"],
    filters: [],
  },
  // A page never imports another one: what two of them need is a chart, a panel, a part of the ui or an api.
  "dashboard/src": {
    ".": ["app", "state", "styles"],
    app: ["pages/*", "panels", "ui", "state", "api", "format"],
    "pages/*": ["panels", "charts", "ui", "state", "api", "format"],
    panels: ["charts", "ui", "state", "api", "format"],
    charts: ["ui", "map", "format"],
    ui: ["state", "api", "format"],
    map: ["format"],
    state: ["api", "format"],
    api: ["format"],
    format: [],
    styles: [],
  },
};

const START = "<!-- rooms: npm run generate -->";
const END = "<!-- end of rooms -->";

/** ARCHITECTURE.md with a current table between its two markers. */
export function architecturePage(): string {
  const page = readFileSync(new URL("../../ARCHITECTURE.md", import.meta.url), "utf8");
  const [before, rest] = page.split(`${START}\n`);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) throw new Error("ARCHITECTURE.md lacks a marker of its table");
  const rows = Object.entries(ROOMS).map(
    ([name, { holds, mayImport }]) => `| \`${name}/\` | ${holds} | ${describe(name, mayImport)} |`,
  );
  return `${before}${START}\n| \`src/\` | Holds | May import |\n|---|---|---|\n${rows.join("\n")}\n${END}${after}`;
}

/** Lists the imports, or the exceptions where that is shorter. */
function describe(name: string, mayImport: readonly string[]): string {
  const others = Object.keys(ROOMS).filter((room) => ![name, "contract", "lib", ...mayImport].includes(room));
  const [list, exceptions] = [mayImport.join(", "), `all but ${others.join(", ")}`];
  return exceptions.length < list.length ? exceptions : list;
}
