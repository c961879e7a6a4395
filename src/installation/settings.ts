/**
 * THE table of settings: each once with its default, unit and reason. `npm run generate` prints the table in
 * docs/configuration.md from it, and a test compares the two.
 */
import { resolve } from "node:path";
import { ROLES, type Role } from "../contract/roles.ts";
import { readMailFrom, readSmtpUrl, type SmtpServer } from "./mail-settings.ts";
import {
  databaseUrl,
  oneOf,
  optionalUrl,
  port,
  readHeaderName,
  readHost,
  readName,
  readNetworks,
  readOrigins,
  readRoles,
  readRpcUrls,
  type Setting,
  secret,
  text,
  url,
  whole,
} from "./setting-kinds.ts";

const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;

export const SETTINGS = {
  HOST: text(
    "127.0.0.1",
    "Address the API and events servers listen on. `0.0.0.0` opens them to the network.",
    readHost,
  ),
  API_PORT: port(3000, "Port of the API server. 0 chooses a free port and prints it."),
  EVENTS_PORT: port(3001, "Port of the events server. 0 chooses a free port."),
  OPS_HOST: text(
    "127.0.0.1",
    "Address the operations port listens on. The port has no authentication: keep it private.",
    readHost,
  ),
  OPS_PORT: port(3002, "Port for health checks and metrics. 0 chooses a free port."),
  PUBLIC_API_URL: url(
    "",
    "URL under which clients reach the API server; links such as `doc_url` use it. It may end in a path below which a proxy publishes the service. Default: its own address.",
  ),
  PUBLIC_EVENTS_URL: url("", "URL under which clients reach the events server. Default: its own address."),
  DATA_DIR: text(
    "./data",
    "Directory for all data on this machine: event log, embedded engine, control store, secret.",
    resolve,
  ),
  DATABASE_URL: databaseUrl(
    "PostgreSQL for the control store, shared by all nodes. Default: SQLite in the data directory.",
  ),
  CLICKHOUSE_URL: optionalUrl(
    "ClickHouse for events and reports, for example `http://user:password@host:8123/sextant`. Default: the embedded engine.",
  ),
  CLICKHOUSE_CLUSTER: text(
    "",
    "Name of the ClickHouse cluster. Tables are then created `ON CLUSTER`, replicated and distributed.",
    readName,
  ),
  ROLES: {
    fallback: ROLES.join(","),
    about:
      "Roles of this process: `api` (reports, forms), `ingest` (events server), `worker` (background jobs, webhooks).",
    read: readRoles,
  } satisfies Setting<readonly Role[]>,
  SECRET: secret(
    "Secret behind all stored key hashes, at least 32 characters, the same on every node. Default: created at the first start and kept in the data directory.",
    32,
  ),
  BOOTSTRAP_API_KEY: secret(
    "The first API key, instead of a random one. Only read while the control store is empty.",
    16,
  ),
  BOOTSTRAP_WRITE_KEY: secret(
    "The first SDK write key, instead of a random one. Only read while the control store is empty.",
    16,
  ),
  API_RATE_PER_SECOND: whole(
    100,
    1,
    1_000_000,
    "Requests per second and workspace on the API server, all its keys together.",
  ),
  API_RATE_BURST: whole(200, 1, 10_000_000, "Requests a workspace may send at once on the API server after a pause."),
  EVENTS_RATE_PER_SECOND: whole(1000, 1, 1_000_000, "Requests per second and workspace on the events server."),
  EVENTS_RATE_BURST: whole(
    2000,
    1,
    10_000_000,
    "Requests a workspace may send at once on the events server after a pause.",
  ),
  EVENTS_MB_PER_SECOND: whole(
    60,
    1,
    100_000,
    "Decoded megabytes of events per second and workspace. A request counts once for itself and once more for each `EVENTS_MB_PER_SECOND` / `EVENTS_RATE_PER_SECOND` of its body: 60 KB by default.",
  ),
  FAILED_AUTH_PER_MINUTE: whole(
    60,
    1,
    1_000_000,
    "Failed authentications per minute and client address; beyond it the address gets 429.",
  ),
  WALLET_RPC_URL: optionalUrl(
    "JSON-RPC of a chain whose contract wallets may sign in, for example a Safe. Default: only ordinary accounts sign in, which needs no connection.",
  ),
  RPC_URLS: {
    fallback: "",
    about:
      "JSON-RPC of chains, as comma-separated `chain=URL`, for example `1=https://node.example.com`. With chain 1, names and pictures of wallets come from ENS. Default: nothing is asked of anybody.",
    secret: true,
    read: readRpcUrls,
  } satisfies Setting<ReadonlyMap<number, string>>,
  RPC_ALLOW_NETWORKS: {
    fallback: "",
    about:
      "Networks, as comma-separated CIDRs or addresses, in which nodes of `RPC_URLS` may be although they are private. Empty: public addresses of other machines only, and loopback while the service is a private trial.",
    read: readNetworks,
  } satisfies Setting<readonly string[]>,
  OIDC_ISSUER: optionalUrl(
    "OpenID Connect provider with which people may sign in, for example `https://login.example.com`. Needs `OIDC_CLIENT_ID` and `OIDC_CLIENT_SECRET`. Its redirect URL is `PUBLIC_API_URL` with `/api/sign-in/oidc/callback`.",
  ),
  OIDC_CLIENT_ID: text("", "The client id at the OpenID Connect provider.", (value) => value),
  OIDC_CLIENT_SECRET: secret("The client secret at the OpenID Connect provider.", 1),
  OIDC_NAME: text("Single sign-on", "The provider's name on the sign-in page.", (value) => value),
  SIGN_IN_ADDRESS_PER_MINUTE: whole(
    60,
    1,
    1_000_000,
    "Requests per minute and client address to the sign-in of people. Counted in memory; no address is stored.",
  ),
  FORM_ADDRESS_PER_MINUTE: whole(
    60,
    1,
    10_000_000,
    "Submissions per minute and client address to all hosted forms together. Counted in memory; no address is stored.",
  ),
  FORM_MB_PER_DAY: whole(
    2_000,
    1,
    10_000_000,
    "Megabytes of submissions to one form in 24 hours, all clients together. Beyond it the form gets 429.",
  ),
  DISK_RESERVE_MB: whole(
    1_000,
    0,
    10_000_000,
    "Free megabytes on the disk of the data directory that are kept for the event log. With less, forms get 503. 0: no reserve. With `DATABASE_URL` submissions are on another disk, and this does not apply.",
  ),
  IMPORT_DIR: text(
    "",
    "Directory for files that people send in order to import them. Nodes that do not share a machine need one that all of them can reach. Default: `imports` in the data directory.",
    resolve,
  ),
  IMPORT_MAX_GB: whole(
    100,
    0,
    1_000_000,
    "Gigabytes of such files of one workspace at once. 0: files are imported by the command alone. The reserve of `DISK_RESERVE_MB` stays free.",
  ),
  FORM_PER_MINUTE: whole(6000, 1, 10_000_000, "Submissions per minute to one form, all clients together."),
  PAGE_ADDRESS_PER_MINUTE: whole(
    1200,
    1,
    10_000_000,
    "Pages for people without an account that one client address may open per minute: hosted forms, documentation, public links, with the files of the dashboard and the charts of a link.",
  ),
  WEBHOOK_ALLOW_NETWORKS: {
    fallback: "",
    about:
      "Networks, as comma-separated CIDRs or addresses, that webhooks may reach although they are private. Empty: public addresses of other machines only, and loopback while the service is a private trial: `HOST` is a loopback address, no public URL is set, and there is no trusted proxy.",
    read: readNetworks,
  } satisfies Setting<readonly string[]>,
  SMTP_URL: {
    fallback: "",
    about:
      "Mail server for alerts and scheduled reports, as `smtps://user:password@host` (TLS, port 465) or `smtp://user:password@host` (STARTTLS, port 587). `?tls=off` allows a connection without TLS, as one to this machine is. Needs `MAIL_FROM`. Default: no mail is sent.",
    secret: true,
    read: readSmtpUrl,
  } satisfies Setting<SmtpServer | undefined>,
  MAIL_FROM: text("", "The sender of mails: `reports@example.com`, or `Sextant <reports@example.com>`.", readMailFrom),
  MAIL_PER_DAY: whole(
    500,
    1,
    1_000_000,
    "Mails that one workspace may send in 24 hours. Further ones wait, and are given up as failed ones are.",
  ),
  TRUSTED_PROXIES: {
    fallback: "",
    about:
      "Addresses or CIDRs of proxies, comma-separated, whose `X-Forwarded-For` is trusted. Empty: the header is ignored.",
    read: readNetworks,
  } satisfies Setting<readonly string[]>,
  COUNTRY_HEADER: text(
    "",
    "Header in which a trusted proxy sends the visitor's country, for example `cf-ipcountry`. Empty: no header is read.",
    readHeaderName,
  ),
  API_CORS_ORIGINS: {
    fallback: "",
    about:
      "Origins, comma-separated, whose pages may call the API server. Empty: none. The events server allows any origin.",
    read: readOrigins,
  } satisfies Setting<readonly string[]>,
  LOG_MAX_MB: whole(
    8192,
    64,
    16_777_216,
    "Disk space the event log may use while the warehouse is unavailable; beyond it the events server answers 503.",
  ),
  QUERY_TIMEOUT_MS: whole(30_000, 100, 600_000, "Time limit of one analytics query."),
  QUERY_MEMORY_MB: whole(
    1024,
    64,
    1_048_576,
    "Memory for analytics queries: of all queries together in the embedded engine, of each query in ClickHouse.",
  ),
  KEPT_ANSWERS_MB: whole(
    32,
    0,
    4096,
    "Memory for answers of reports, which are kept while the events of their days are the same. 0 keeps none.",
  ),
  QUERY_CONCURRENCY: whole(8, 1, 1000, "Analytics queries that the embedded engine runs at once."),
  QUERY_PER_WORKSPACE: whole(4, 1, 1000, "Reports of one workspace that run at once; further ones wait."),
  SQL_TIMEOUT_MS: whole(
    30_000,
    100,
    600_000,
    "Time limit of one SQL statement of a user, up to the last byte of its answer.",
  ),
  SQL_CONCURRENCY: whole(3, 1, 1000, "SQL statements of users that the embedded engine runs at once, beside reports."),
  QUERY_QUEUE: whole(32, 0, 100_000, "Reports of one workspace that may wait; further ones get 429."),
  LOG_LEVEL: {
    fallback: "info",
    about: `One of ${LOG_LEVELS.join(", ")}. Logs are JSON lines on standard error.`,
    read: (value) => oneOf(LOG_LEVELS, value ?? "info"),
  } satisfies Setting<(typeof LOG_LEVELS)[number]>,
} as const;
