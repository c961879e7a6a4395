/**
 * `npm run dev`: the service, started again after every change in src/, with logs for people; the dashboard from its
 * sources, with hot reload; on the first start an account and demo data. Everything is in data-dev/: delete it to start
 * over. Settings of the service and DEV_PORT may be given as usual.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { readConfig } from "../src/installation/config.ts";
import { toReadable } from "./readable-log.ts";

const ROOT = resolve(import.meta.dirname, "..");
const MAIN = join(ROOT, "src/main.ts");
const ACCOUNT = { name: "dev", password: "only for development" };

const { DEV_PORT = "5173" } = process.env;
/** Vite serves the pages and passes other requests on: to the service this is the address that people open. */
const dashboard = `http://127.0.0.1:${DEV_PORT}`;
const env = {
  SEXTANT_DATA_DIR: join(ROOT, "data-dev"),
  // With a public URL webhooks may not reach this machine, where a developer's receivers are.
  SEXTANT_WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8",
  ...process.env,
  SEXTANT_PUBLIC_API_URL: dashboard,
};
const config = readConfig(env);
const api = `http://127.0.0.1:${config.API_PORT}`;

const children = [startService(), startVite()];
const ended = Promise.race(children.map(async (child) => once(child, "exit")));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void stop(0));
void ended.then(() => stop(1));

await ready(`http://127.0.0.1:${config.OPS_PORT}/readyz`);
await ready(dashboard);
const isNew = await createAccount();
say(`
  Dashboard   ${dashboard}   sign in as "${ACCOUNT.name}" with the password "${ACCOUNT.password}"
  API         ${api}   documentation at /docs, keys in ${join(config.DATA_DIR, "credentials.json")}
  Events      http://127.0.0.1:${config.EVENTS_PORT}
  Sources     a change in src/ starts the service again, one in dashboard/src/ shows at once
`);
if (isNew) {
  const demo = run([MAIN, "demo"], "inherit");
  children.push(demo);
  await once(demo, "exit");
}
const project = await findDemoProject();
if (project !== undefined) say(`  Demo data   ${dashboard}/app?project=${project}\n`);

function startService(): ChildProcess {
  // The whole folder: Node by itself watches only modules, and the SQL is in files. For that it makes worker threads
  // report their modules in messages, which end a service that expects only its own; so the request is taken back.
  const quiet = "--import=data:text/javascript,delete process.env.WATCH_REPORT_DEPENDENCIES";
  const watch = ["--watch", `--watch-path=${join(ROOT, "src")}`, "--watch-preserve-output", quiet];
  const child = run([...watch, MAIN, "serve"], "pipe");
  if (child.stderr) createInterface(child.stderr).on("line", (line) => say(`${toReadable(line)}\n`));
  // Not the banner, which would come with every start.
  if (child.stdout)
    createInterface(child.stdout).on("line", (line) => line.startsWith("Restarting") && say(`${line}\n`));
  return child;
}

function startVite(): ChildProcess {
  const vite = join(ROOT, "node_modules/vite/bin/vite.js");
  const options = ["--host", "127.0.0.1", "--port", DEV_PORT, "--strictPort", "--logLevel", "warn"];
  return run([vite, join(ROOT, "dashboard"), ...options], "inherit", { DEV_SERVICE_URL: api });
}

function run(args: readonly string[], output: "inherit" | "pipe", more: Record<string, string> = {}): ChildProcess {
  return spawn(process.execPath, args, { env: { ...env, ...more }, stdio: ["ignore", output, output] });
}

async function ready(url: string): Promise<void> {
  for (;;) {
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.ok) return;
    await delay(200);
  }
}

/** False if there is one. */
async function createAccount(): Promise<boolean> {
  const file = join(config.DATA_DIR, "credentials.json");
  if (!existsSync(file)) return false;
  const { setupUrl = "" } = JSON.parse(readFileSync(file, "utf8")) as { setupUrl?: string };
  const [, token = ""] = setupUrl.split("#token=");
  return (await post("/api/setup", { ...ACCOUNT, token })).ok;
}

/** Undefined also if the account of this script is not there, or has another password by now. */
async function findDemoProject(): Promise<string | undefined> {
  const answer = await post("/api/sign-in/password", ACCOUNT);
  if (!answer.ok) return undefined;
  const { data } = (await answer.json()) as {
    data: { workspaces: { projects: { id: string; isDemo: boolean }[] }[] };
  };
  return data.workspaces.flatMap(({ projects }) => projects).find(({ isDemo }) => isDemo)?.id;
}

async function post(path: string, body: object): Promise<Response> {
  const headers = { "content-type": "application/json" };
  return fetch(`${api}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
}

async function stop(code: number): Promise<void> {
  if (process.exitCode !== undefined) return;
  process.exitCode = code;
  const running = children.filter((child) => child.exitCode === null && child.signalCode === null);
  const ends = running.map((child) => once(child, "exit"));
  for (const child of running) child.kill("SIGTERM");
  await Promise.all(ends);
  process.exit();
}

function say(text: string): void {
  process.stdout.write(text);
}
