import { fileURLToPath } from "node:url";
import type { FastifyBaseLogger, FastifyInstance } from "fastify";
import { createSessionAuth, type SessionAuth } from "../accounts/authenticate-session.ts";
import type { Passwords } from "../accounts/passwords.ts";
import { createGetChartNumber } from "../alerts/metric/chart-number.ts";
import { createPageUrl } from "../alerts/page-url.ts";
import { findChartsOfSegment } from "../boards/chart-segments.ts";
import { createLinkKeys, createOpenings } from "../boards/link-keys.ts";
import { createLinkUses } from "../boards/link-uses.ts";
import { findLinkByHash, findLinksOfSegment } from "../boards/links.ts";
import { LIMITS } from "../contract/limits.ts";
import { createAuthenticate, createAuthenticateBi } from "../control/authenticate.ts";
import { createTurns } from "../control/long-list.ts";
import {
  createBlockRateLimiter,
  createMemoryLimiter,
  createRateLimiter,
  type RatePolicy,
} from "../control/rate-limit.ts";
import { createSecretBox } from "../control/secret-box.ts";
import { createFindSegment, createFindSegmentTitles } from "../control/segments.ts";
import type { ControlStore } from "../control/store.ts";
import type { WriteKeyRing } from "../control/write-key-ring.ts";
import { type AuthDeps, createFailedAuth, type FailedAuth } from "../http/auth.ts";
import type { ClickHouseDeps } from "../http/clickhouse/mount.ts";
import { type DashboardFiles, listDashboardFiles } from "../http/dashboard/files.ts";
import { createBodyBudget } from "../http/events/body-budget.ts";
import { createCountryReader } from "../http/events/country.ts";
import type { EventsDeps } from "../http/events/deps.ts";
import { createUnknownKeys, type UnknownKeys } from "../http/events/unknown-keys.ts";
import { createFingerprintKey } from "../http/idempotency.ts";
import { createHttpMetrics, type HttpMetrics } from "../http/metrics.ts";
import type { RouteDeps } from "../http/mount.ts";
import type { AddressLimit } from "../http/rate-limit.ts";
import { eventsBytesPerRequest } from "../http/request-cost.ts";
import type { Route } from "../http/route.ts";
import { buildServer } from "../http/server.ts";
import { createIsStillAllowed } from "../http/still-allowed.ts";
import type { AcceptDeps } from "../ingest/accept.ts";
import type { Clock } from "../lib/clock.ts";
import { createMailLinks } from "../mail/links.ts";
import { createReports } from "../query/run/ask.ts";
import type { RunOther, RunReport } from "../query/run/run-report.ts";
import type { AnswerThread } from "../query/sql/answer-thread.ts";
import { createAskWindows } from "../query/windows/ask-windows.ts";
import type { AddressPolicy } from "../webhooks/address-guard.ts";
import { createSender } from "../webhooks/send.ts";
import type { SendMail } from "../webhooks/worker.ts";
import { type AccountOptions, makeAccountNeeds } from "./accounts/make-account-needs.ts";
import { makeSharedLimits } from "./boards/make-shared-needs.ts";
import { createSharedTurns } from "./boards/shared-turns.ts";
import { describeServers } from "./describe-servers.ts";
import { type HostedOptions, makeHosted } from "./forms/make-hosted.ts";
import type { ApiNeeds } from "./index.ts";
import type { OpsNeeds } from "./ops/ops.ts";
import { perMinute } from "./rate-policies.ts";

export interface AppOptions extends AccountOptions, HostedOptions {
  version: string;
  apiUrl: () => string;
  eventsUrl: () => string;
  opsUrl: () => string;
  apiRate: RatePolicy;
  eventsRate: RatePolicy;
  /** Decoded bytes per second and workspace. */
  eventsBytesPerSecond: number;
  /** Name of the header in which a trusted proxy sends the visitor's country; empty for none. */
  countryHeader: string;
  failedAuthPerMinute: number;
  /** Pages for people without an account, and what these pages ask, per client address. */
  pageAddressPerMinute: number;
  /** Whether a mail server is set. */
  hasMail?: boolean;
  /** Of one workspace. */
  querySlots: number;
  trustedProxies: readonly string[];
  apiCorsOrigins: readonly string[];
}

interface ServerDeps extends OpsNeeds {
  store: ControlStore;
  secret: Buffer;
  clock: Clock;
  log: FastifyBaseLogger;
  isUnavailable: (cause: unknown) => boolean;
  /** Wakes the delivery worker of this process, if there is one. */
  wakeDelivery: () => void;
  answerThread: AnswerThread;
  /** The networks that webhooks may reach. */
  targetPolicy: AddressPolicy;
  /** Sends the mails of tests of alerts; absent where no mail server is set. */
  sendMail?: SendMail;
  /** Present when this process has the ingest role. */
  ingest?: { keys: WriteKeyRing; accept: AcceptDeps; lagSeconds?: () => number } | undefined;
  /** False while the disk of the control store has only its reserve left; by default there is always room. */
  hasDiskRoom?: () => Promise<boolean>;
  /** Hashes passwords; only tests set it, to a cheaper one. */
  passwords?: Passwords;
  /** The lease of idempotency keys; only tests set it. */
  keyLeaseMs?: number;
  /** The dashboard; by default the built one of this checkout. */
  dashboard?: DashboardFiles;
  /** Routes in addition to the tables; only tests set them. */
  extraApiRoutes?: readonly Route[];
}

interface RunDeps {
  runReport: RunReport;
  runOther: RunOther;
}

/** What the route tables need and `makeNeeds` does not make, and what it makes them of. */
export type ServiceNeeds = Omit<ApiNeeds, keyof MadeNeeds | keyof ServerDeps | "openapi"> & RunDeps;

export type AppDeps = ServerDeps & ServiceNeeds;

export interface Servers {
  api: FastifyInstance;
  events: FastifyInstance;
  ops: FastifyInstance;
}

/** `npm start` builds nothing: the built files are part of the repository. */
const BUILT_DASHBOARD = fileURLToPath(new URL("../../dashboard/dist", import.meta.url));

/** Builds the three servers over one set of dependencies. */
export async function buildServers(options: AppOptions, deps: AppDeps): Promise<Servers> {
  const shared = makeShared(options, deps);
  const { metrics, perReader } = shared;
  const made = makeNeeds(options, deps, shared);
  const docs = describeServers(options, { ...deps, ...made }, deps);
  const common = {
    publicApiUrl: options.apiUrl,
    trustedProxies: options.trustedProxies,
    bodyBytes: LIMITS.apiBodyBytes,
    urlChars: LIMITS.urlChars,
    isUnavailable: deps.isUnavailable,
    isStopping: deps.isStopping,
    log: deps.log,
    metrics,
    routeDeps: toRouteDeps(options, deps, shared),
    accountDeps: made,
    hostedDeps: made.hosted,
  };
  const eventsDeps = toEventsDeps(options, deps, shared);
  return {
    api: await buildServer({
      ...common,
      ...docs.api,
      routes: [...docs.api.routes, ...(deps.extraApiRoutes ?? [])],
      urlChars: LIMITS.apiUrlChars,
      corsOrigins: options.apiCorsOrigins,
      clickhouseDeps: toClickHouseDeps(deps, common.routeDeps, shared.auth.failures),
      dashboardDeps: {
        dashboard: deps.dashboard ?? listDashboardFiles(BUILT_DASHBOARD),
        publicApiUrl: options.apiUrl,
        eventsUrl: options.eventsUrl,
        perReader,
        async findFrameAncestors(token) {
          const hash = made.linkKeys.hash(token);
          return (await findLinkByHash(deps.store.read, hash, deps.clock.nowMs()))?.frameAncestors;
        },
      },
    }),
    events: await buildServer({
      ...common,
      ...docs.events,
      bodyBytes: LIMITS.eventsBodyBytes,
      corsOrigins: "*",
      ...(eventsDeps ? { eventsDeps } : {}),
    }),
    ops: await buildServer({ ...common, ...docs.ops, corsOrigins: [] }),
  };
}

/** What several servers or tables use, and must be the same one for all of them. */
interface Shared {
  metrics: HttpMetrics;
  auth: AuthDeps;
  sessions: SessionAuth;
  perReader: AddressLimit;
  unknownKeys: UnknownKeys;
}

function makeShared(options: AppOptions, deps: ServerDeps): Shared {
  const metrics = createHttpMetrics(deps.registry);
  const failures = createFailedAuth(
    metrics.counting("failed_auth", createMemoryLimiter()),
    perMinute(options.failedAuthPerMinute),
  );
  return {
    metrics,
    auth: {
      authenticate: createAuthenticate({ db: deps.store.read, secret: deps.secret, clock: deps.clock }),
      failures,
    },
    sessions: createSessionAuth(deps),
    perReader: {
      limiter: metrics.counting("page_address", createMemoryLimiter()),
      policy: perMinute(options.pageAddressPerMinute),
    },
    unknownKeys: createUnknownKeys(deps.clock),
  };
}

/** Of tests of alerts, for which people wait. */
const TEST_LIMITS = { perTarget: 4, total: 16 };

type MadeNeeds = ReturnType<typeof makeNeeds>;

/** The needs of route tables that are made of the store and the settings. The others come from the service. */
function makeNeeds(options: AppOptions, deps: ServerDeps & RunDeps, shared: Shared) {
  const { store, clock, secret, runReport, runOther } = deps;
  const findSegment = createFindSegment(store.read);
  const { metrics, auth, sessions, perReader, unknownKeys } = shared;
  const publicApiUrl = options.apiUrl;
  const account = { ...deps, sessions, publicApiUrl, eventsUrl: options.eventsUrl, version: options.version };
  return {
    ...makeAccountNeeds(options, account, metrics),
    hosted: makeHosted(options, { ...deps, publicApiUrl, perReader }, metrics),
    webhooks: { backend: store.backend, box: createSecretBox(secret, "webhook secrets"), policy: deps.targetPolicy },
    alerts: {
      box: createSecretBox(secret, "webhook secrets"),
      policy: deps.targetPolicy,
      send: createSender({ ...deps.targetPolicy, clock, version: options.version, limits: TEST_LIMITS }).send,
      ...(deps.sendMail === undefined ? {} : { sendMail: deps.sendMail }),
      pageUrl: createPageUrl(publicApiUrl),
    },
    mail: { box: createSecretBox(secret, "webhook secrets"), isConfigured: options.hasMail ?? false },
    mailLinks: createMailLinks(secret),
    isStillAllowed: createIsStillAllowed({ authenticate: auth.authenticate, sessions, publicApiUrl }),
    findLogLag: () => deps.ingest?.lagSeconds?.(),
    takeTurn: createTurns(),
    reports: createReports({ runReport, findSegment, clock }),
    runOther,
    windows: createAskWindows({ runOther, findSegment, clock }),
    getChartNumber: createGetChartNumber(store.read),
    findSegment,
    findSegmentTitles: createFindSegmentTitles(store.read),
    findSegmentUsers: findUsersOfSegment,
    linkKeys: createLinkKeys(secret),
    linkUses: createLinkUses(store),
    openings: createOpenings(secret),
    sharedLimits: makeSharedLimits(store, metrics),
    sharedTurns: createSharedTurns(options.querySlots),
    unknownKeys,
    clock,
  };
}

/** Charts and links that would fail without it. */
async function findUsersOfSegment(...[db, workspaceId, segment]: Parameters<typeof findChartsOfSegment>) {
  const charts = await findChartsOfSegment(db, workspaceId, segment);
  return { charts, links: await findLinksOfSegment(db, workspaceId, segment.id) };
}

function toRouteDeps(options: AppOptions, deps: ServerDeps, shared: Shared): RouteDeps {
  const { store, clock } = deps;
  const { metrics, auth, sessions, perReader } = shared;
  return {
    store,
    clock,
    auth,
    sessions,
    limiter: metrics.counting("api", createRateLimiter(store)),
    ratePolicy: options.apiRate,
    publicApiUrl: options.apiUrl,
    wakeDelivery: deps.wakeDelivery,
    perReader,
    answerBox: createSecretBox(deps.secret, "kept answers"),
    fingerprintKey: createFingerprintKey(deps.secret),
    keyLeaseMs: deps.keyLeaseMs,
  };
}

function toClickHouseDeps(
  { store, secret, clock, runSql, answerThread }: AppDeps,
  route: RouteDeps,
  failures: FailedAuth,
): ClickHouseDeps {
  const { limiter, ratePolicy } = route;
  const authenticate = createAuthenticateBi({ db: store.read, secret, clock });
  return { auth: { authenticate, failures }, store, clock, limiter, ratePolicy, runSql, answerThread };
}

/** Undefined on a node without the ingest role. */
function toEventsDeps(
  options: AppOptions,
  deps: ServerDeps,
  { metrics, auth, unknownKeys }: Shared,
): EventsDeps | undefined {
  if (deps.ingest === undefined) return undefined;
  return {
    keys: deps.ingest.keys,
    accept: deps.ingest.accept,
    budget: createBodyBudget(),
    countryOf: createCountryReader(options.trustedProxies, options.countryHeader),
    failures: auth.failures,
    unknownKeys,
    limiter: metrics.counting("events", createBlockRateLimiter(deps.store)),
    ratePolicy: options.eventsRate,
    bytesPerRequest: eventsBytesPerRequest(options.eventsBytesPerSecond, options.eventsRate.perSecond),
    store: deps.store,
    clock: deps.clock,
  };
}
