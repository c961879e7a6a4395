import { accessSync, constants, existsSync, statfsSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { dirname } from "node:path";
import type { DataPaths } from "../installation/data-dir.ts";
import { type CheckResult, fail, ok, warn } from "./check.ts";

const MB = 1024 * 1024;
/** With less, the engine cannot work reliably and the log soon refuses events. */
const LEAST_FREE_MB = 1024;
const NODE_MAJOR = 24;
/** The service queries its stores before it answers. */
const READY_TIMEOUT_MS = 5_000;

export function checkNode(version: string): CheckResult[] {
  const name = "node";
  if (Number(version.split(".")[0]) >= NODE_MAJOR) return [ok(name, version)];
  return [fail(name, `${version}, but Sextant needs ${NODE_MAJOR}`, "run it with `npx sextant` or `npm start`")];
}

/** The data directory must exist, be complete, be writable for us and be closed to others. */
export function checkDataDir(paths: DataPaths): CheckResult[] {
  const { root } = paths;
  const name = "data directory";
  const found = statSync(root, { throwIfNoEntry: false });
  if (found === undefined)
    return [warn(name, `${root} does not exist yet`, "start the service once, or set SEXTANT_DATA_DIR")];
  if (!found.isDirectory()) return [fail(name, `${root} is not a directory`, "set SEXTANT_DATA_DIR to one")];
  const me = process.getuid?.() ?? found.uid;
  if (me !== 0 && found.uid !== me)
    return [fail(name, `${root} belongs to user ${found.uid}, not to ${me}`, `chown -R ${me} ${root}`)];
  if (existsSync(paths.restoring))
    return [fail(name, `a restore into ${root} did not finish`, "empty it, and the databases, and restore again")];
  const locked = [root, paths.log, paths.engine, paths.control, paths.cursor].filter((path) => !isWritable(path));
  if (locked.length > 0) return [fail(name, `cannot write ${locked.join(", ")}`, `chmod u+rwX ${locked.join(" ")}`)];
  const open = [root, paths.secret, paths.control, paths.credentials].filter(
    (path) => existsSync(path) && (statSync(path).mode & 0o077) !== 0,
  );
  if (open.length === 0) return [ok(name, root)];
  return [warn(name, `others may read ${open.join(", ")}`, `chmod go= ${open.join(" ")}`)];
}

/** True for a path that does not exist yet: the service creates it. */
function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === "ENOENT";
  }
}

export function checkDisk(root: string, logMaxMb: number): CheckResult[] {
  const name = "disk space";
  let at = root;
  while (!existsSync(at)) at = dirname(at);
  const { bavail, blocks, bsize } = statfsSync(at);
  const freeMb = Math.floor((bavail * bsize) / MB);
  const message = `${freeMb} MB free of ${Math.floor((blocks * bsize) / MB)}`;
  if (freeMb < LEAST_FREE_MB)
    return [fail(name, message, "free some space, or shorten the retention with `sextant projects retention`")];
  if (freeMb < logMaxMb)
    return [
      warn(
        name,
        `${message}; the event log alone may take ${logMaxMb}`,
        "free some space, or lower SEXTANT_LOG_MAX_MB",
      ),
    ];
  return [ok(name, message)];
}

export interface Port {
  setting: string;
  host: string;
  port: number;
}

/** The ports must be free while the service does not run. */
export async function checkPorts(ports: readonly Port[]): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  for (const { setting, host, port } of ports) {
    const name = `port ${port === 0 ? setting : port}`;
    const problem = port === 0 ? undefined : await findListenProblem(host, port);
    if (problem === undefined) results.push(ok(name, port === 0 ? "any free port" : `free on ${host}`));
    else
      results.push(
        fail(name, `cannot be opened on ${host}: ${problem}`, `stop that process, or set SEXTANT_${setting}`),
      );
  }
  return results;
}

function findListenProblem(host: string, port: number): Promise<string | undefined> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once("error", (cause: NodeJS.ErrnoException) => resolve(cause.code ?? cause.message));
    server.listen(port, host, () => server.close(() => resolve(undefined)));
  });
}

/** A running service must be ready. Dependencies that it can do without for a while are reported as warnings. */
export async function checkReady(opsUrl: string): Promise<CheckResult[]> {
  const name = "service";
  const url = `${opsUrl}/readyz`;
  const advice = "docs/operations.md explains what to do";
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(READY_TIMEOUT_MS) });
    const body = readAnswer(await answer.text());
    if (!answer.ok) return [fail(name, body.error?.message ?? `${url} answers ${answer.status}`, advice)];
    const lacking = Object.entries(body.checks ?? {}).filter(([, state]) => state !== "ok");
    if (lacking.length === 0) return [ok(name, `is ready according to ${url}`)];
    return [warn(name, `is ready, but ${lacking.map(([what, state]) => `${what}: ${state}`).join(", ")}`, advice)];
  } catch (cause) {
    const code = ((cause as Error).cause as { code?: string } | undefined)?.code ?? (cause as Error).name;
    return [fail(name, `does not answer at ${url}: ${code}`, "read its logs, and restart it")];
  }
}

function readAnswer(body: string): { error?: { message?: string }; checks?: Record<string, string> } {
  try {
    return (JSON.parse(body) ?? {}) as object;
  } catch {
    // The body is not the service's JSON: only the status is reported.
    return {};
  }
}
