import { readFileSync } from "node:fs";
import { sql } from "kysely";
import { Registry } from "prom-client";
import { ERRORS } from "../../src/contract/errors.ts";
import type { ControlStore } from "../../src/control/store.ts";
import { describeServers } from "../../src/http/app.ts";
import { buildOpenApi, type ServerDoc } from "../../src/http/openapi.ts";
import { SETTINGS } from "../../src/installation/config.ts";
import { clickhouseStatements } from "./clickhouse-statements.ts";
import { clusterStatements } from "./cluster-statements.ts";
import { createControl } from "./control.ts";

/** Every file that is generated and committed, as it should be now. */
export async function generatedFiles(): Promise<Record<string, string>> {
  return {
    "openapi.json": `${JSON.stringify(openapiDocument(), null, 2)}\n`,
    "docs/configuration.md": configurationPage(),
    "docs/errors.md": errorsPage(),
    "test/engines/clickhouse/cluster-ddl.golden.sql": await clusterStatements(),
    "test/engines/clickhouse/partitions.golden.sql": await clickhouseStatements(),
    "src/control/schema.sqlite.sql": await dump("sqlite", dumpSqlite),
    "src/control/schema.postgres.txt": await dump("postgres", dumpPostgres),
  };
}

/** The route tables with the default addresses. */
export function defaultServers(): Record<ServerDoc["name"], ServerDoc> {
  const urls = {
    apiUrl: () => "http://127.0.0.1:3000",
    eventsUrl: () => "http://127.0.0.1:3001",
    opsUrl: () => "http://127.0.0.1:3002",
  };
  return describeServers(
    { version: packageVersion(), ...urls },
    { checks: [], roles: [], registry: new Registry(), isStopping: () => false },
  );
}

export function openapiDocument(): object {
  const { api, events, ops } = defaultServers();
  return buildOpenApi([api, events, ops], packageVersion());
}

function packageVersion(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}

function configurationPage(): string {
  const rows = Object.entries(SETTINGS).map(([name, setting]) => {
    const fallback = setting.fallback === "" ? "" : `\`${setting.fallback}\``;
    return `| \`SEXTANT_${name}\` | ${fallback} | ${setting.about} |`;
  });
  return `# Configuration

Settings are environment variables. The service reads them once at start. An unknown or malformed
\`SEXTANT_\` variable stops the start with a message that names it. On Kubernetes a Service called
\`sextant\` puts variables with that prefix into every pod of its namespace: set
\`enableServiceLinks: false\` in the spec of the pod. \`npm run generate\` writes this table from
\`src/installation/config.ts\`.

| Setting | Default | About |
|---|---|---|
${rows.join("\n")}
`;
}

function errorsPage(): string {
  const sections = Object.entries(ERRORS).map(
    ([code, error]) => `## ${code}

HTTP ${error.status}, ${error.retry ? "safe to retry" : "do not retry unchanged"}. ${error.title}.

${wrap(error.advice)}
`,
  );
  return `# Errors

Every answer other than 2xx has \`error.code\` (stable: branch on it), \`error.message\` (for people),
\`error.doc_url\`, and where they help \`error.param\` and \`error.details\`. The service shows this
page at \`/docs/errors\`. \`npm run generate\` writes it from \`src/contract/errors.ts\`.

${sections.join("\n")}`;
}

function wrap(text: string): string {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1) ?? "";
    if (line === "") lines[lines.length - 1] = word;
    else if (line.length + 1 + word.length <= 100) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines.join("\n");
}

async function dump(backend: "sqlite" | "postgres", read: (store: ControlStore) => Promise<string[]>): Promise<string> {
  const control = await createControl(backend);
  try {
    const head = `-- What src/control/migrations make of an empty ${backend} database. Generated (npm run generate), compared by a test.`;
    return `${head}\n${(await read(control.store)).join("\n")}\n`;
  } finally {
    await control.drop();
  }
}

async function dumpSqlite(store: ControlStore): Promise<string[]> {
  const { rows } = await sql<{ sql: string }>`
    select sql from sqlite_schema where sql is not null order by tbl_name, type desc, name`.execute(store.read);
  return rows.map((row) => `${row.sql};`);
}

async function dumpPostgres(store: ControlStore): Promise<string[]> {
  const { rows } = await sql<{ line: string }>`
    select line from (
      select c.relname as t, 1 as k, a.attnum as n,
        format('%s %s.%s %s%s%s', case c.relpersistence when 'u' then 'unlogged table' else 'table' end, c.relname, a.attname,
          format_type(a.atttypid, a.atttypmod), case when a.attnotnull then ' not null' else '' end,
          coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '')) as line
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
      where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
      union all
      select c.relname, 2, 0, format('constraint %s.%s %s', c.relname, o.conname, pg_get_constraintdef(o.oid))
      from pg_constraint o join pg_class c on c.oid = o.conrelid
      where c.relnamespace = 'public'::regnamespace and o.contype <> 'n'
      union all
      select tablename, 3, 0, indexdef from pg_indexes where schemaname = 'public'
    ) s order by t, k, n, line`.execute(store.read);
  return rows.map((row) => row.line);
}
