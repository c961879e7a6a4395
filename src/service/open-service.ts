import { createDemoRuns } from "../demo/runs.ts";
import type { EmbeddedEngine } from "../engines/duckdb/process/supervisor.ts";
import { drainServers } from "../http/drain.ts";
import { createDaysWarehouse } from "../imports/days/warehouse.ts";
import { createDeleteImport } from "../imports/delete-import.ts";
import type { Config } from "../installation/config.ts";
import type { DataDirLock, DataPaths } from "../installation/data-dir.ts";
import { systemClock } from "../lib/clock.ts";
import { createDiskRoom } from "../lib/disk-room.ts";
import { createEraseWallet } from "../profiles/erase.ts";
import { createWriteWallets } from "../profiles/write-wallets.ts";
import { type AppDeps, type AppOptions, buildServers } from "../routes/servers.ts";
import { replayParked } from "../warehouse/replay.ts";
import { banner } from "./banner.ts";
import { createDescribeSystem } from "./describe-system.ts";
import { createFirstCredentials, findSetupUrl } from "./first-credentials.ts";
import { configuredUrls, listenAll, type Urls } from "./listen.ts";
import type { ServiceLog } from "./log.ts";
import { openRoles, type Roles } from "./roles/open-roles.ts";
import type { Stopper } from "./stopper.ts";
import { openStores, type Stores } from "./stores.ts";

export interface ServiceParts {
  config: Config;
  version: string;
  paths: DataPaths;
  lock: DataDirLock;
  /** Undefined if the settings name another engine. */
  embedded: Promise<EmbeddedEngine> | undefined;
  log: ServiceLog;
  stopper: Stopper;
}

/** Opens stores, roles and servers in order, and says where they are. */
export async function openService(parts: ServiceParts): Promise<void> {
  const { config, version, paths, lock, embedded, log, stopper } = parts;
  const stores = await openStores(config, paths, embedded, { log, stopper });
  const urls = configuredUrls(config);
  const roles = await openRoles(config, paths, stores, { version, log, stopper, publicUrl: () => urls.api });

  let localEvents = "";
  const demos = createDemoRuns(
    // A server often cannot reach its own public address.
    () => localEvents || urls.events,
  );
  const servers = await buildServers(serverOptions(config, version, urls), {
    ...serverDeps(config, stores, roles, log, stopper),
    demos,
  });
  stopper.add("demo", demos.close);
  stopper.add("servers", () => drainServers(Object.values(servers)));
  // Closed before the servers, which would wait for them.
  stopper.add("live streams", roles.api.live.close);
  const opened = await listenAll(servers, config, urls);
  localEvents = opened.localEvents;

  const credentials = await createFirstCredentials(config, stores, paths.credentials, urls);
  // The banner invites people to send an event at once, with a key that the key ring may not have read yet.
  if (credentials) await roles.ingest?.keys.refresh();
  const setupUrl = opened.api === "" ? undefined : await findSetupUrl(stores, paths.credentials, urls);
  stopper.add("announcement", keepAnnounced(lock, urls, stores));
  process.stdout.write(
    banner({
      version,
      apiUrl: opened.api,
      eventsUrl: opened.events,
      opsUrl: urls.ops,
      dataDir: paths.root,
      credentialsFile: paths.credentials,
      credentials,
      setupUrl,
      isTerminal: process.stdout.isTTY,
      stores: stores.describe,
    }),
  );
}

/** Tells commands where the service is, again whenever its engine has moved. Returns what ends this. */
function keepAnnounced(lock: DataDirLock, urls: Urls, { analytics }: Stores) {
  const startedAt = new Date().toISOString();
  const announce = () =>
    lock.announce({
      pid: process.pid,
      apiUrl: urls.api,
      eventsUrl: urls.events,
      opsUrl: urls.ops,
      startedAt,
      engine: analytics.credentials(),
    });
  announce();
  return analytics.onMove(announce);
}

function serverOptions(config: Config, version: string, urls: Urls): AppOptions {
  return {
    version,
    apiUrl: () => urls.api,
    eventsUrl: () => urls.events,
    opsUrl: () => urls.ops,
    apiRate: { perSecond: config.API_RATE_PER_SECOND, burst: config.API_RATE_BURST },
    eventsBytesPerSecond: config.EVENTS_MB_PER_SECOND * 1_000_000,
    eventsRate: { perSecond: config.EVENTS_RATE_PER_SECOND, burst: config.EVENTS_RATE_BURST },
    countryHeader: config.COUNTRY_HEADER,
    failedAuthPerMinute: config.FAILED_AUTH_PER_MINUTE,
    walletRpcUrl: config.WALLET_RPC_URL,
    oidc: toOidc(config),
    signInAddressPerMinute: config.SIGN_IN_ADDRESS_PER_MINUTE,
    formAddressPerMinute: config.FORM_ADDRESS_PER_MINUTE,
    formPerMinute: config.FORM_PER_MINUTE,
    formMbPerDay: config.FORM_MB_PER_DAY,
    pageAddressPerMinute: config.PAGE_ADDRESS_PER_MINUTE,
    hasMail: config.SMTP_URL !== undefined,
    querySlots: config.QUERY_PER_WORKSPACE,
    trustedProxies: config.TRUSTED_PROXIES,
    apiCorsOrigins: config.API_CORS_ORIGINS,
  };
}

function toOidc(config: Config): AppOptions["oidc"] {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret, OIDC_NAME: name } = config;
  return issuer === undefined || clientSecret === undefined ? undefined : { issuer, clientId, clientSecret, name };
}

function serverDeps(
  config: Config,
  stores: Stores,
  roles: Roles,
  log: ServiceLog,
  stopper: Stopper,
): Omit<AppDeps, "demos"> {
  const checks = [...stores.checks, ...roles.checks];
  return {
    store: stores.store,
    secret: stores.secret,
    clock: systemClock,
    log,
    registry: roles.metrics,
    ingest: roles.ingest,
    checks,
    describeSystem: createDescribeSystem({ stores, checks, dataDir: config.DATA_DIR }),
    roles: config.ROLES,
    isStopping: stopper.isStopping,
    wakeDelivery: () => roles.worker?.wakeDelivery(),
    targetPolicy: roles.policy,
    ...(roles.sendMail === undefined ? {} : { sendMail: roles.sendMail }),
    runReport: roles.api.runReport,
    runOther: roles.api.runOther,
    runLookup: roles.api.runLookup,
    runSql: roles.api.runSql,
    answerThread: roles.api.answerThread,
    live: roles.api.live,
    writeWallets: createWriteWallets(stores.analytics.engine),
    noteWallets: roles.noteWallets,
    eraseWallet: createEraseWallet(stores.analytics.engine, roles.forgetWallet),
    uploadFiles: roles.uploadFiles,
    deleteImport: createDeleteImport({
      store: stores.store,
      clock: systemClock,
      warehouse: createDaysWarehouse(stores.analytics.engine),
    }),
    replayParked: (projects, filter) => replayParked(stores.analytics.engine, projects, filter),
    isUnavailable: stores.isUnavailable,
    ...(config.DATABASE_URL === undefined && config.DISK_RESERVE_MB > 0
      ? { hasDiskRoom: createDiskRoom(config.DATA_DIR, config.DISK_RESERVE_MB * 1024 * 1024) }
      : {}),
  };
}
