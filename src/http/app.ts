import { fileURLToPath } from "node:url";
import type { FastifyBaseLogger, FastifyInstance } from "fastify";
import type { Registry } from "prom-client";
import { createAskContract } from "../accounts/ask-contract.ts";
import { createSessionAuth, type SessionAuth } from "../accounts/authenticate-session.ts";
import { createChallenges } from "../accounts/challenges.ts";
import { createOidc, type OidcSettings } from "../accounts/oidc.ts";
import { createPasswords, type Passwords } from "../accounts/passwords.ts";
import type { ErrorStyle } from "../contract/error-body.ts";
import { LIMITS } from "../contract/limits.ts";
import type { ReadyCheck } from "../contract/ready-check.ts";
import type { Role } from "../contract/roles.ts";
import type { SystemState } from "../contract/system.ts";
import { createAuthenticate, createAuthenticateBi } from "../control/authenticate.ts";
import { createTurns } from "../control/long-list.ts";
import {
  createBlockRateLimiter,
  createMemoryLimiter,
  createRateLimiter,
  type RatePolicy,
} from "../control/rate-limit.ts";
import { createSecretBox } from "../control/secret-box.ts";
import type { ControlStore } from "../control/store.ts";
import type { WriteKeyRing } from "../control/write-key-ring.ts";
import type { DemoRuns } from "../demo/runs.ts";
import { createPageTokens } from "../forms/page-token.ts";
import type { AcceptDeps } from "../ingest/accept.ts";
import type { Clock } from "../lib/clock.ts";
import type { AnswerThread } from "../query/answer-thread.ts";
import type { LiveHub } from "../query/live/hub.ts";
import type { RunReport } from "../query/run.ts";
import type { RunLookup } from "../query/run-lookup.ts";
import type { RunSql } from "../query/run-sql.ts";
import type { AddressPolicy } from "../webhooks/address-guard.ts";
import type { AccountDeps } from "./account/deps.ts";
import { createFailedAuth, type FailedAuth } from "./auth.ts";
import type { ClickHouseDeps } from "./clickhouse/mount.ts";
import { type DashboardFiles, listDashboardFiles } from "./dashboard/files.ts";
import { createBodyBudget } from "./events/body-budget.ts";
import { createCountryReader } from "./events/country.ts";
import type { EventsDeps } from "./events/deps.ts";
import { createUnknownKeys, type UnknownKeys } from "./events/unknown-keys.ts";
import { createKeptPages } from "./hosted/kept-pages.ts";
import { createHttpMetrics, type HttpMetrics } from "./metrics.ts";
import type { RouteDeps } from "./mount.ts";
import { buildOpenApi, type ServerDoc } from "./openapi.ts";
import { eventsBytesPerRequest } from "./request-cost.ts";
import type { HostedDeps, ReplayParked, Route } from "./route.ts";
import { apiRoutes, eventsRoutes } from "./routes/index.ts";
import { opsRoutes } from "./routes/ops.ts";
import { buildServer } from "./server.ts";

export interface AppOptions {
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
  /** Limits of posts to hosted forms, per client address and per form. */
  formAddressPerMinute: number;
  formPerMinute: number;
  formMbPerDay: number;
  /** The OpenID Connect provider. */
  oidc?: OidcSettings | undefined;
  /** The JSON-RPC of the chain of contract wallets that may sign in. */
  walletRpcUrl?: string | undefined;
  /** Requests to sign in, per client address. */
  signInAddressPerMinute: number;
  /** Hosted forms and pages of the documentation, per client address. */
  pageAddressPerMinute: number;
  trustedProxies: readonly string[];
  apiCorsOrigins: readonly string[];
}

export interface AppDeps {
  store: ControlStore;
  secret: Buffer;
  clock: Clock;
  log: FastifyBaseLogger;
  registry: Registry;
  checks: readonly ReadyCheck[];
  /** The roles of this node. */
  roles: readonly Role[];
  isStopping: () => boolean;
  isUnavailable: (cause: unknown) => boolean;
  /** Wakes the delivery worker of this process, if there is one. */
  wakeDelivery: () => void;
  /** Answers reports. */
  runReport: RunReport;
  runLookup: RunLookup;
  live: LiveHub;
  /** Answers statements of users. */
  runSql: RunSql;
  answerThread: AnswerThread;
  /** Versions, disk and checks. */
  describeSystem: () => Promise<SystemState>;
  /** Tries parked events again. */
  replayParked: ReplayParked;
  demos: DemoRuns;
  /** The networks that webhooks may reach. */
  targetPolicy: AddressPolicy;
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

export interface Servers {
  api: FastifyInstance;
  events: FastifyInstance;
  ops: FastifyInstance;
}

/** `npm start` builds nothing: the built files are part of the repository. */
const BUILT_DASHBOARD = fileURLToPath(new URL("../../dashboard/dist", import.meta.url));

/** Builds the three servers over one set of dependencies. */
export async function buildServers(options: AppOptions, deps: AppDeps): Promise<Servers> {
  const docs = describeServers(options, deps);
  const metrics = createHttpMetrics(deps.registry);
  const failures = createFailedAuth(
    metrics.counting("failed_auth", createMemoryLimiter()),
    perMinute(options.failedAuthPerMinute),
  );
  const perReader = {
    limiter: metrics.counting("page_address", createMemoryLimiter()),
    policy: perMinute(options.pageAddressPerMinute),
  };
  const sessions = createSessionAuth(deps);
  const unknownKeys = createUnknownKeys(deps.clock);
  const common = {
    publicApiUrl: options.apiUrl,
    trustedProxies: options.trustedProxies,
    bodyBytes: LIMITS.apiBodyBytes,
    urlChars: LIMITS.urlChars,
    isUnavailable: deps.isUnavailable,
    isStopping: deps.isStopping,
    log: deps.log,
    metrics,
    routeDeps: { ...toRouteDeps(options, deps, metrics, failures), sessions, perReader, unknownKeys },
    accountDeps: toAccountDeps(options, deps, metrics, sessions),
    hostedDeps: { ...toHostedDeps(options, deps, metrics), perReader },
  };
  const eventsDeps = toEventsDeps(options, deps, metrics, failures, unknownKeys);
  return {
    api: await buildServer({
      ...common,
      ...docs.api,
      routes: [...docs.api.routes, ...(deps.extraApiRoutes ?? [])],
      urlChars: LIMITS.apiUrlChars,
      corsOrigins: options.apiCorsOrigins,
      clickhouseDeps: toClickHouseDeps(deps, common.routeDeps, failures),
      dashboardDeps: {
        dashboard: deps.dashboard ?? listDashboardFiles(BUILT_DASHBOARD),
        publicApiUrl: options.apiUrl,
        eventsUrl: options.eventsUrl,
        perReader,
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

function toRouteDeps(
  options: AppOptions,
  deps: AppDeps,
  metrics: HttpMetrics,
  failures: FailedAuth,
): Omit<RouteDeps, "perReader" | "sessions" | "unknownKeys"> {
  const { store, secret, clock } = deps;
  return {
    store,
    clock,
    secret,
    auth: { authenticate: createAuthenticate({ db: store.read, secret, clock }), failures },
    limiter: metrics.counting("api", createRateLimiter(store)),
    ratePolicy: options.apiRate,
    publicApiUrl: options.apiUrl,
    wakeDelivery: deps.wakeDelivery,
    webhooks: {
      backend: store.backend,
      box: createSecretBox(secret, "webhook secrets"),
      policy: deps.targetPolicy,
    },
    runReport: deps.runReport,
    runLookup: deps.runLookup,
    live: deps.live,
    replayParked: deps.replayParked,
    demos: deps.demos,
    findLogLag: () => deps.ingest?.lagSeconds?.(),
    runSql: deps.runSql,
    describeSystem: deps.describeSystem,
    takeTurn: createTurns(),
    answerBox: createSecretBox(secret, "kept answers"),
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

function toHostedDeps(options: AppOptions, deps: AppDeps, metrics: HttpMetrics): Omit<HostedDeps, "perReader"> {
  return {
    store: deps.store,
    clock: deps.clock,
    tokens: createPageTokens(deps.secret),
    pages: createKeptPages(),
    // Addresses stay in this process's memory; all nodes share the limit of a form.
    perAddress: {
      limiter: metrics.counting("form_address", createMemoryLimiter()),
      policy: perMinute(options.formAddressPerMinute),
    },
    perForm: {
      limiter: metrics.counting("form", createRateLimiter(deps.store)),
      policy: perMinute(options.formPerMinute),
    },
    formBytes: {
      limiter: metrics.counting("form_bytes", createRateLimiter(deps.store)),
      policy: kibPerDay(options.formMbPerDay),
    },
    hasDiskRoom: deps.hasDiskRoom ?? (async () => true),
    givenBack: createMemoryLimiter(),
    wakeDelivery: deps.wakeDelivery,
    publicApiUrl: options.apiUrl,
    challenges: createChallenges(deps.secret),
    askContract: options.walletRpcUrl === undefined ? undefined : createAskContract(options.walletRpcUrl),
    contractAsks: { limiter: createMemoryLimiter(), policy: perMinute(CONTRACT_ASKS_PER_MINUTE) },
  };
}

/** Strangers cause them: a form would otherwise pass 6000 a minute on to somebody else's chain node. */
const CONTRACT_ASKS_PER_MINUTE = 120;

/** Guesses for one account: 10 at once and 2 a minute by one client, 100 at once and 100 an hour by all. */
const GUESSES_OF_CLIENT: RatePolicy = { perSecond: 2 / 60, burst: 10 };
const GUESSES_OF_ALL: RatePolicy = { perSecond: 100 / 3600, burst: 100 };
/** 380 a second of strangers made others wait 7 times as long; nobody has 20 people a second who sign in. */
const BEGINNINGS: RatePolicy = { perSecond: 20, burst: 100 };
const FAILURE_NOTES: RatePolicy = { perSecond: 20 / 3600, burst: 20 };

function toAccountDeps(options: AppOptions, deps: AppDeps, metrics: HttpMetrics, sessions: SessionAuth): AccountDeps {
  const { store, clock, secret } = deps;
  return {
    store,
    clock,
    secret,
    sessions,
    passwords: deps.passwords ?? createPasswords(),
    challenges: createChallenges(secret),
    oidc: options.oidc === undefined ? undefined : createOidc(options.oidc),
    askContract: options.walletRpcUrl === undefined ? undefined : createAskContract(options.walletRpcUrl),
    limits: {
      perAddress: {
        limiter: metrics.counting("sign_in_address", createMemoryLimiter()),
        policy: perMinute(options.signInAddressPerMinute),
      },
      perUser: { limiter: metrics.counting("user", createRateLimiter(store)), policy: options.apiRate },
      perAccount: { limiter: metrics.counting("account", createRateLimiter(store)), policy: GUESSES_OF_ALL },
      perAccountAndAddress: {
        limiter: metrics.counting("account_address", createMemoryLimiter()),
        policy: GUESSES_OF_CLIENT,
      },
      beginnings: { limiter: metrics.counting("sign_in_begin", createMemoryLimiter()), policy: BEGINNINGS },
      failureNotes: { limiter: createMemoryLimiter(), policy: FAILURE_NOTES },
    },
    publicApiUrl: options.apiUrl,
    eventsUrl: options.eventsUrl,
    version: options.version,
  };
}

/** Undefined on a node without the ingest role. */
function toEventsDeps(
  options: AppOptions,
  deps: AppDeps,
  metrics: HttpMetrics,
  failures: FailedAuth,
  unknownKeys: UnknownKeys,
): EventsDeps | undefined {
  if (deps.ingest === undefined) return undefined;
  return {
    keys: deps.ingest.keys,
    accept: deps.ingest.accept,
    budget: createBodyBudget(),
    countryOf: createCountryReader(options.trustedProxies, options.countryHeader),
    failures,
    unknownKeys,
    limiter: metrics.counting("events", createBlockRateLimiter(deps.store)),
    ratePolicy: options.eventsRate,
    bytesPerRequest: eventsBytesPerRequest(options.eventsBytesPerSecond, options.eventsRate.perSecond),
    store: deps.store,
    clock: deps.clock,
  };
}

/** Half at once and half over the day: no 24 hours have more than the whole. */
function kibPerDay(megabytes: number): RatePolicy {
  const half = (megabytes * 1024) / 2;
  return { perSecond: half / 86_400, burst: half };
}

function perMinute(count: number): RatePolicy {
  return { perSecond: count / 60, burst: count };
}

/** The servers with their routes: used to build them, for OpenAPI and for tests that cover all routes. */
export function describeServers(
  options: Pick<AppOptions, "version" | "apiUrl" | "eventsUrl" | "opsUrl">,
  deps: Pick<AppDeps, "checks" | "roles" | "registry" | "isStopping">,
): Record<ServerDoc["name"], ServerDoc> {
  let kept: { urls: string; document: object } | undefined;
  // Built once the ports are known, and again only if the addresses change.
  const openapi = (): object => {
    const urls = `${options.apiUrl()} ${options.eventsUrl()} ${options.opsUrl()}`;
    if (kept?.urls !== urls)
      kept = { urls, document: buildOpenApi([docs.api, docs.events, docs.ops], options.version) };
    return kept.document;
  };
  const docs: Record<ServerDoc["name"], ServerDoc> = {
    api: server("api", "API server", options.apiUrl, apiStyle, apiRoutes({ openapi })),
    events: server("events", "Events server", options.eventsUrl, () => "events", eventsRoutes()),
    ops: server("ops", "Operations port", options.opsUrl, () => "plain", opsRoutes(deps)),
  };
  return docs;
}

function server(
  name: ServerDoc["name"],
  about: string,
  url: () => string,
  style: ServerDoc["style"],
  routes: Route[],
): ServerDoc {
  return {
    name,
    about,
    style,
    routes,
    get url() {
      return url();
    },
  };
}

/** Hosted forms belong to the form endpoints, so a program gets the same error envelope from both. */
function apiStyle(path: string): ErrorStyle {
  return /^\/(api|f)([/?]|$)/.test(path) ? "api" : "plain";
}
