/**
 * A whole cluster in processes: two ingest nodes, two API nodes and two workers over one PostgreSQL and one ClickHouse.
 * Every node has its own data directory and ports, as on separate machines.
 */
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { ControlSchema } from "../../src/control/schema.ts";
import type { ControlStore } from "../../src/control/store.ts";
import { openPostgres } from "../../src/engines/control-postgres.ts";
import type { AnalyticsEngine } from "../../src/engines/port.ts";
import { startClickhouseEngine } from "./clickhouse-engine.ts";
import { quietLog } from "./control.ts";
import { temporaryDir } from "./engine.ts";
import { createDatabase } from "./postgres.ts";
import { type Credentials, readCredentials, startService, type TestService } from "./service.ts";

export const CLUSTER_ROLES = ["ingest", "api", "worker"] as const;
export type ClusterRole = (typeof CLUSTER_ROLES)[number];
const NODES_PER_ROLE = 2;
export const CLUSTER_SECRET = "one secret for all nodes of the cluster";

export interface ClusterNode {
  name: string;
  role: ClusterRole;
  dir: string;
  /** Of the current process; changes with a restart. */
  service(): TestService;
  /** Ends the process and starts it again on the same directory. */
  restart(signal: "SIGTERM" | "SIGKILL"): Promise<number | string>;
}

export interface Cluster {
  nodes: Record<ClusterRole, readonly ClusterNode[]>;
  all: readonly ClusterNode[];
  /** Settings for one more node. */
  env: Record<string, string>;
  credentials: Credentials;
  store: ControlStore;
  /** Materializes events that were just stored, unlike the nodes' own engines. */
  engine: AnalyticsEngine;
  stop(): Promise<void>;
}

/** All nodes start at once on empty stores, as with `docker compose up`. */
export async function startCluster(): Promise<Cluster> {
  const home = temporaryDir();
  const database = await createDatabase();
  const host = await startClickhouseEngine();
  const env = {
    SEXTANT_DATABASE_URL: database.url,
    SEXTANT_CLICKHOUSE_URL: host.url,
    SEXTANT_SECRET: CLUSTER_SECRET,
    SEXTANT_FORM_ADDRESS_PER_MINUTE: "1000000",
    SEXTANT_FORM_PER_MINUTE: "1000000",
    SEXTANT_LOG_LEVEL: "warn",
    // The ClickHouse may be emulated, and busy with the statements of other tests.
    SEXTANT_QUERY_TIMEOUT_MS: "600000",
  };
  const names = CLUSTER_ROLES.flatMap((role) =>
    Array.from({ length: NODES_PER_ROLE }, (_, i) => ({ role, name: `${role}-${i + 1}` })),
  );
  const started = await Promise.allSettled(names.map(({ role, name }) => startNode(join(home, name), name, role, env)));
  const all = started.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  const store = await openPostgres<ControlSchema>(database.url, quietLog);
  const stop = async () => {
    await Promise.all(all.map((node) => node.service().kill("SIGKILL")));
    await store.close();
    await host.stop();
    await database.drop();
    rmSync(home, { recursive: true, force: true });
  };
  const failed = started.find((one) => one.status === "rejected");
  if (failed) {
    await stop();
    throw failed.reason;
  }
  const of = (role: ClusterRole) => all.filter((node) => node.role === role);
  const first = all.find((node) => hasCredentials(node));
  return {
    nodes: { ingest: of("ingest"), api: of("api"), worker: of("worker") },
    all,
    env,
    credentials: readCredentials(first?.dir ?? ""),
    store,
    engine: host.engine,
    stop,
  };
}

/** Whether it created the workspace and has its keys. An API node keeps the link to the first account in that file, too. */
export function hasCredentials({ dir }: ClusterNode): boolean {
  return existsSync(join(dir, "credentials.json")) && (readCredentials(dir).apiKey ?? "") !== "";
}

async function startNode(
  dir: string,
  name: string,
  role: ClusterRole,
  env: Record<string, string>,
): Promise<ClusterNode> {
  const start = () => startService(dir, { ...env, SEXTANT_ROLES: role });
  let service = await start();
  return {
    name,
    role,
    dir,
    service: () => service,
    async restart(signal) {
      const code = await service.kill(signal);
      service = await start();
      return code;
    },
  };
}
