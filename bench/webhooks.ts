/**
 * `npm run bench:webhooks`: the cost of reliable delivery, as ratios to a bare sender measured in the same run.
 *
 *   --seconds N   length of each phase (10)
 *
 * Phases: submissions accepted per second by Sextant and by the floors (bare-sender.ts: the same 201 and the same POST,
 * without and with an fsync per submission); the delay from the 201 to the first attempt at 50 submissions/s with 20
 * targets; the same with all 20 targets on one form; and the same while one more target hangs with 1,000 deliveries in
 * its queue.
 */
import { type ChildProcess, fork } from "node:child_process";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { callApi, makeForm } from "../test/support/forms.ts";
import { startBenchService } from "./bench-service.ts";
import { Histogram } from "./histogram.ts";
import { type OnEnd, print, runBench } from "./run-bench.ts";
import { type Acknowledged, type SubmitPlan, submitAll } from "./submit.ts";
import { line, type Verdict } from "./verdict.ts";

const TARGETS = 20;
const PER_SECOND = 50;
const CONNECTIONS = 16;
const QUEUED = 1_000;
/** Deliveries that arrive later count as missing. */
const ARRIVE_MS = 20_000;
const GIVE_UP_MS = 170_000;
const FORM = {
  title: "Contact",
  fields: [
    { label: "Name", type: "short_text" },
    { label: "Email", type: "email" },
    { label: "Message", type: "long_text" },
  ],
};
const SETTINGS = {
  SEXTANT_API_RATE_PER_SECOND: "100000",
  SEXTANT_API_RATE_BURST: "100000",
  SEXTANT_FORM_ADDRESS_PER_MINUTE: "10000000",
  SEXTANT_FORM_PER_MINUTE: "10000000",
};

const { values: options } = parseArgs({ options: { seconds: { type: "string", default: "10" } } });
const seconds = Number(options.seconds);
interface Targets {
  ports: number[];
  hangingPort: number;
  arrivals(): Promise<[submissionId: string, target: number, atMs: number][]>;
}

interface Sextant {
  /** Removed at the end. */
  dir: string;
  apiUrl: string;
  key: { text: string };
  newForm(ports: readonly number[]): Promise<string>;
}

interface Delays {
  p50: number;
  p99: number;
  missing: number;
}

async function measure(onEnd: OnEnd): Promise<readonly Verdict[]> {
  const targets = await startTargets(onEnd);
  const sextant = await startSextant(onEnd);
  const one = targets.ports.slice(0, 1);
  const barePort = await startBare("", one, onEnd);
  const syncedPort = await startBare(join(sextant.dir, "floor.log"), one, onEnd);
  const bareMany = await startBare("", targets.ports, onEnd);
  print(`${availableParallelism()} cores, load generator and targets included; SQLite; ${CONNECTIONS} connections`);

  const single = await sextant.newForm(one);
  const bare = await run("accepted/s by the bare sender", `http://127.0.0.1:${barePort}`, ["/"], targets, 1);
  const synced = await run("the same with an fsync each", `http://127.0.0.1:${syncedPort}`, ["/"], targets, 1);
  const full = await run("accepted/s by Sextant", sextant.apiUrl, [`/f/${single}`], targets, 1);

  const forms = [];
  for (const port of targets.ports) forms.push(`/f/${await sextant.newForm([port])}`);
  const wide = `/f/${await sextant.newForm(targets.ports)}`;
  const rate = { perSecond: PER_SECOND };
  const floor = await run(
    "50/s, each to 20 targets, floor",
    `http://127.0.0.1:${bareMany}`,
    ["/"],
    targets,
    TARGETS,
    rate,
  );
  const spread = await run("50/s over 20 forms with a target each", sextant.apiUrl, forms, targets, 1, rate);
  const fanned = await run("50/s to one form with 20 targets", sextant.apiUrl, [wide], targets, TARGETS, rate);

  const hanging = `/f/${await sextant.newForm([targets.hangingPort])}`;
  await fill(sextant, hanging);
  const beside = await run("50/s over 20 forms while a target hangs", sextant.apiUrl, forms, targets, 1, rate);
  return [
    line("submissions/s accepted, Sextant / bare sender", full.perSecond / bare.perSecond, 2, "", { atLeast: 0.2 }),
    line("submissions/s accepted, Sextant / the same with an fsync each", full.perSecond / synced.perSecond, 2, "", {
      atLeast: 0.2,
    }),
    line("first attempt after the 201, p99 at 50/s and 20 targets", spread.delays.p99, 0, " ms", { atMost: 1_000 }),
    line("the same with 20 targets on one form (1,000 deliveries/s)", fanned.delays.p99, 0, " ms", { atMost: 1_000 }),
    line("the same while one target hangs with 1,000 deliveries", beside.delays.p99, 0, " ms", { atMost: 2_000 }),
    line("p50, hanging target / none", beside.delays.p50 / spread.delays.p50, 2, "", { atMost: 2 }),
    line("p99 to 20 targets on one form, Sextant / bare sender", fanned.delays.p99 / floor.delays.p99, 1, "", {
      atMost: 10,
    }),
    line(
      "acknowledged and not delivered",
      full.delays.missing + spread.delays.missing + fanned.delays.missing + beside.delays.missing,
      0,
      "",
      {
        exactly: 0,
      },
    ),
  ];
}

async function run(
  name: string,
  origin: string,
  paths: readonly string[],
  targets: Targets,
  perSubmission: number,
  rate: Pick<SubmitPlan, "perSecond"> = {},
) {
  await targets.arrivals();
  await submitAll({ origin, paths, seconds: 1, connections: CONNECTIONS, perSecond: PER_SECOND });
  await delay(500);
  await targets.arrivals();
  const { acknowledged, perSecond } = await submitAll({ origin, paths, seconds, connections: CONNECTIONS, ...rate });
  const delays = await collect(targets, acknowledged, perSubmission);
  const shown = `p50 ${delays.p50.toFixed(1)} ms, p99 ${delays.p99.toFixed(1)} ms`;
  print(`  ${name.padEnd(44)} ${perSecond.toFixed(0).padStart(6)}/s   first attempt after the 201: ${shown}`);
  return { perSecond, delays };
}

/**
 * Waits for every delivery. Returns the delays from the 201 to the first attempt; an attempt before the 201 counts as
 * 0.
 */
async function collect(targets: Targets, acknowledged: Acknowledged, perSubmission: number): Promise<Delays> {
  const histogram = new Histogram();
  const seen = new Set<string>();
  const wanted = acknowledged.size * perSubmission;
  const giveUpAt = performance.now() + ARRIVE_MS;
  while (seen.size < wanted && performance.now() < giveUpAt) {
    for (const [submissionId, target, atMs] of await targets.arrivals()) {
      const answeredMs = acknowledged.get(submissionId);
      const name = `${submissionId} ${target}`;
      if (answeredMs === undefined || seen.has(name)) continue;
      seen.add(name);
      histogram.add(Math.max(0, atMs - answeredMs));
    }
    await delay(50);
  }
  return { p50: histogram.quantile(0.5), p99: histogram.quantile(0.99), missing: wanted - seen.size };
}

async function fill(sextant: Sextant, path: string): Promise<void> {
  let queued = 0;
  while (queued < QUEUED) {
    const { acknowledged } = await submitAll({
      origin: sextant.apiUrl,
      paths: [path],
      seconds: 1,
      connections: CONNECTIONS,
    });
    queued += acknowledged.size;
  }
}

async function startTargets(onEnd: OnEnd): Promise<Targets> {
  const child = forkHere("webhook-targets.ts", [String(TARGETS)], onEnd);
  const { ports } = await ask<{ ports: number[] }>(child);
  return {
    ports: ports.slice(0, TARGETS),
    hangingPort: ports[TARGETS] ?? 0,
    async arrivals() {
      const answer = ask<{ arrivals: [string, number, number][] }>(child);
      child.send("arrivals");
      return (await answer).arrivals;
    },
  };
}

async function startBare(file: string, ports: readonly number[], onEnd: OnEnd): Promise<number> {
  const child = forkHere("bare-sender.ts", [file, ...ports.map(String)], onEnd);
  return (await ask<{ port: number }>(child)).port;
}

function forkHere(file: string, args: readonly string[], onEnd: OnEnd): ChildProcess {
  const child = fork(join(import.meta.dirname, file), [...args]);
  onEnd(() => void child.kill("SIGKILL"));
  return child;
}

async function ask<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    const ended = () => reject(new Error("a process of the benchmark ended"));
    child.once("exit", ended);
    child.once("message", (message) => {
      child.off("exit", ended);
      resolve(message as T);
    });
  });
}

async function startSextant(onEnd: OnEnd): Promise<Sextant> {
  const { root, credentials } = await startBenchService(SETTINGS, onEnd);
  const { apiKey, apiUrl } = credentials;
  const key = { text: apiKey };
  return {
    dir: root,
    apiUrl,
    key,
    async newForm(ports) {
      const { id } = await makeForm({ apiUrl }, key, FORM);
      for (const port of ports) {
        const wanted = { formId: id, targetUrl: `http://127.0.0.1:${port}/`, eventTypes: ["FORM_SUBMISSION"] };
        const made = await callApi({ apiUrl }, key, "POST", "/api/webhooks", wanted);
        if (made.status !== 201) throw new Error(`cannot create a webhook: ${await made.text()}`);
      }
      return id;
    },
  };
}

await runBench(measure, GIVE_UP_MS);
