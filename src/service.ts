import { once } from "node:events";
import type { FastifyInstance } from "fastify";
import { pino } from "pino";
import { Registry } from "prom-client";
import { banner } from "./banner.ts";
import type { Config } from "./config.ts";
import { bootstrap, type FirstCredentials } from "./control/bootstrap.ts";
import { releaseAbandonedKeys } from "./control/idempotency.ts";
import { importProblem } from "./control/key-text.ts";
import type { ControlStore } from "./control/store.ts";
import { dataPaths, lockDataDir, prepareDataDir, writePrivateFile } from "./engines/data-dir.ts";
import { buildServers } from "./http/app.ts";
import { drainServers } from "./http/drain.ts";
import { systemClock } from "./lib/clock.ts";
import { openAnalytics } from "./open-analytics.ts";
import { openControl } from "./open-control.ts";
import { openIngest } from "./open-ingest.ts";
import { openLedgerMetrics } from "./open-ledger.ts";
import { openReports, startMaterializer } from "./open-reports.ts";
import { createRemovalObserver, startRetention } from "./open-retention.ts";
import { openWebhooks, targetPolicy } from "./open-webhooks.ts";
import { createStopper, type Stopper } from "./stopper.ts";

/** A start that cannot go on; the message is one line. */
class StartError extends Error {
  override readonly name = "StartError";
}

/** Starts everything in order, waits for a signal, and stops everything in reverse. */
export async function runService(config: Config, version: string): Promise<void> {
  const log = pino(
    { level: config.LOG_LEVEL, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination(2),
  );
  const stopper = createStopper(log);
  const signal = waitForSignal();
  try {
    // A signal ends a start that takes long or hangs, too: what it has opened by then is closed below.
    await Promise.race([start(config, version, log, stopper), signal]);
  } catch (cause) {
    await stopper.stop();
    throw cause;
  }
  log.info({ signal: await signal }, "stopping");
  const inTime = await stopper.stop();
  if (!inTime) log.warn("not everything closed within 10 s");
  // Whatever still holds the event loop open (a client that never ends its request) must not keep the process.
  process.exit(inTime ? 0 : 1);
}

async function start(config: Config, version: string, log: pino.Logger, stopper: Stopper): Promise<void> {
  const paths = dataPaths(config.DATA_DIR);
  prepareDataDir(paths);
  const lock = lockDataDir(paths);
  stopper.add("data directory", lock.release);

  const control = await openControl(config, log);
  stopper.add("control store", control.close);
  await releaseAbandonedKeys(control.store);

  // An ingest node can take events without it, and must: all of them may be restarted while it is unavailable.
  const mayBeUnavailable = config.CLICKHOUSE_URL !== undefined && config.ROLES.every((role) => role === "ingest");
  const analytics = await openAnalytics(config, paths, log, { mayBeUnavailable });
  stopper.add("analytics engine", analytics.close);

  const registry = new Registry();
  const ingest = config.ROLES.includes("ingest")
    ? await openIngest({
        paths,
        ...control,
        engine: analytics.engine,
        maxLogBytes: config.LOG_MAX_MB * 1024 * 1024,
        registry,
        logger: log,
      })
    : undefined;
  if (ingest) stopper.add("ingest", ingest.close);

  const policy = targetPolicy(config.HOST, config.WEBHOOK_ALLOW_NETWORKS);
  const observe = createRemovalObserver(control.store, registry, log);
  const webhooks = config.ROLES.includes("worker")
    ? await openWebhooks({
        ...control,
        ...{ policy, version, registry, log },
        onPurge: (removed) => observe("deliveries", removed),
      })
    : undefined;
  if (webhooks) stopper.add("webhooks", webhooks.close);

  const runReport = openReports({
    engine: analytics.engine,
    limits: {
      running: config.QUERY_PER_WORKSPACE,
      waiting: config.QUERY_QUEUE,
      waitMs: config.QUERY_TIMEOUT_MS,
    },
    registry,
  });
  if (config.ROLES.includes("worker")) {
    const materializer = startMaterializer({ engine: analytics.engine, registry, log });
    stopper.add("materializer", materializer.stop);
    const retention = startRetention({ ...control, engine: analytics.engine, observe, log });
    stopper.add("retention", retention.stop);
    stopper.add("ledger metrics", openLedgerMetrics({ engine: analytics.engine, registry, log }).stop);
  }

  const urls = { api: config.PUBLIC_API_URL, events: config.PUBLIC_EVENTS_URL, ops: "" };
  const servers = await buildServers(
    {
      version,
      apiUrl: () => urls.api,
      eventsUrl: () => urls.events,
      opsUrl: () => urls.ops,
      apiRate: { perSecond: config.API_RATE_PER_SECOND, burst: config.API_RATE_BURST },
      eventsRate: { perSecond: config.EVENTS_RATE_PER_SECOND, burst: config.EVENTS_RATE_BURST },
      countryHeader: config.COUNTRY_HEADER,
      failedAuthPerMinute: config.FAILED_AUTH_PER_MINUTE,
      formAddressPerMinute: config.FORM_ADDRESS_PER_MINUTE,
      formPerMinute: config.FORM_PER_MINUTE,
      trustedProxies: config.TRUSTED_PROXIES,
      apiCorsOrigins: config.API_CORS_ORIGINS,
    },
    {
      store: control.store,
      secret: control.secret,
      clock: systemClock,
      log,
      registry,
      ingest,
      checks: [
        // Write keys are in memory, so that events are taken while the control store is unavailable.
        { name: "control store", neededBy: ["api", "worker"], check: () => control.store.ping() },
        // Without it reports are refused one by one; everything else of the API goes on.
        { name: "analytics engine", neededBy: ["worker"], check: analytics.check },
        ...(ingest?.checks ?? []),
      ],
      roles: config.ROLES,
      isStopping: stopper.isStopping,
      wakeDelivery: () => webhooks?.wake(),
      targetPolicy: policy,
      runReport,
      isUnavailable: (cause) => control.store.isUnavailable(cause) || analytics.isUnavailable(cause),
    },
  );
  stopper.add("servers", () => drainServers(Object.values(servers)));
  const opened = { api: "", events: "" };
  urls.ops = await listen(servers.ops, config.OPS_HOST, config.OPS_PORT, "OPS_PORT");
  if (config.ROLES.includes("api")) opened.api = await listen(servers.api, config.HOST, config.API_PORT, "API_PORT");
  if (config.ROLES.includes("ingest"))
    opened.events = await listen(servers.events, config.HOST, config.EVENTS_PORT, "EVENTS_PORT");
  urls.api ||= opened.api || fallbackUrl(config.HOST, config.API_PORT);
  urls.events ||= opened.events || fallbackUrl(config.HOST, config.EVENTS_PORT);

  const credentials = await firstCredentials(config, control, (keys) =>
    writePrivateFile(
      paths.credentials,
      `${JSON.stringify({ ...keys, apiUrl: urls.api, eventsUrl: urls.events }, null, 2)}\n`,
    ),
  );
  // The banner invites to send an event at once, with a key that the ring has not seen yet.
  if (credentials) await ingest?.keys.refresh();
  const startedAt = new Date().toISOString();
  const announce = () =>
    lock.announce({ pid: process.pid, apiUrl: urls.api, opsUrl: urls.ops, startedAt, engine: analytics.credentials() });
  announce();
  stopper.add("announcement", analytics.onMove(announce));
  const stores = `${control.store.name === "sqlite" ? "SQLite" : "PostgreSQL"}, ${analytics.describe}`;
  process.stdout.write(
    banner({
      version,
      apiUrl: opened.api && urls.api,
      eventsUrl: opened.events && urls.events,
      opsUrl: urls.ops,
      dataDir: paths.root,
      credentialsFile: paths.credentials,
      credentials,
      isTerminal: process.stdout.isTTY,
      stores,
    }),
  );
}

async function firstCredentials(
  config: Config,
  control: { store: ControlStore; secret: Buffer },
  keep: (credentials: FirstCredentials) => void,
): Promise<FirstCredentials | undefined> {
  const presets = { api: config.BOOTSTRAP_API_KEY, write: config.BOOTSTRAP_WRITE_KEY } as const;
  for (const kind of ["api", "write"] as const) {
    const problem = presets[kind] === undefined ? undefined : importProblem(kind, presets[kind]);
    if (problem !== undefined)
      throw new StartError(`SEXTANT_BOOTSTRAP_${kind.toUpperCase()}_KEY cannot be used: ${problem}`);
  }
  return bootstrap(control.store, {
    secret: control.secret,
    clock: systemClock,
    presetApiKey: presets.api,
    presetWriteKey: presets.write,
    keep,
  });
}

async function listen(app: FastifyInstance, host: string, port: number, setting: string): Promise<string> {
  try {
    await app.listen({ host, port });
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    if (code === "EADDRINUSE")
      throw new StartError(`port ${port} on ${host} is taken: stop what runs there, or set SEXTANT_${setting}`);
    if (code === "EACCES")
      throw new StartError(`port ${port} on ${host} may not be opened by this user: set SEXTANT_${setting}`);
    throw new StartError(`cannot listen on ${host}:${port}: ${(cause as Error).message}`);
  }
  const address = app.server.address();
  return fallbackUrl(host, typeof address === "object" && address !== null ? address.port : port);
}

/** An address to paste: one that listens on every interface is reached on loopback from the same machine. */
function fallbackUrl(host: string, port: number): string {
  const shown = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return `http://${shown.includes(":") ? `[${shown}]` : shown}:${port}`;
}

/** The first signal asks for a clean stop; a second one means now. */
async function waitForSignal(): Promise<string> {
  const first = await Promise.race(["SIGINT", "SIGTERM"].map(async (name) => once(process, name).then(() => name)));
  for (const name of ["SIGINT", "SIGTERM"]) process.once(name, () => process.exit(130));
  return first;
}
