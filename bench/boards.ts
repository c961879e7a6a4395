/**
 * `npm run bench:boards`: twenty viewers of one public board against one. The engine's processor time for both is
 * compared: who asks the same question while the data is the same waits for the same answer.
 *
 *   --events N    number of events (1,000,000), over 90 days up to now
 *   --viewers N   viewers at the same time (20)
 */
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { DAY_MS, dayOf } from "../src/lib/time.ts";
import { CHARTS, makeBoard } from "./board.ts";
import { fileOf, loadEvents, materializeAll } from "./query-load.ts";
import { createProjects, startQueryService } from "./query-service.ts";
import { type OnEnd, print, runBench } from "./run-bench.ts";
import { median } from "./statistics.ts";
import { readUsage } from "./usage.ts";
import { line, type Verdict } from "./verdict.ts";

const GIVE_UP_MS = 1_800_000;
const ROUNDS = 5;
const SHOWN_DAYS = 30;
const { values } = parseArgs({
  options: { events: { type: "string", default: "1000000" }, viewers: { type: "string", default: "20" } },
});

async function measure(onEnd: OnEnd): Promise<readonly Verdict[]> {
  const dataset = await createProjects(1, onEnd);
  const [events, viewers] = [Number(values.events), Number(values.viewers)];
  print(`${availableParallelism()} cores; ${events} events, a board of ${CHARTS} charts, ${SHOWN_DAYS} days`);
  const path = fileOf(dataset.engineDir);
  await loadEvents(path, { load: 1, events, projects: dataset.projects }, () => undefined);
  await materializeAll(path, dataset.projects, () => undefined);
  const service = await startQueryService(dataset.root, dataset.projects, onEnd);
  const { id, call } = await makeBoard(service);
  const { url: link } = await call<{ url: string }>("POST", `/v0/boards/${id}/links`, {});
  const url = `${service.credentials.apiUrl}/api/shared/${link.split("/").at(-1)}`;
  let daysAgo = 1;
  // Days that nobody has asked for yet, always as many.
  const look = async (count: number) => {
    daysAgo += 1;
    const days = { from: dayBefore(daysAgo + SHOWN_DAYS - 1), to: dayBefore(daysAgo) };
    const before = readUsage(service.pid).engineSeconds;
    const startedAt = performance.now();
    await Promise.all(Array.from({ length: count }, () => viewBoard(url, days)));
    return { cpu: readUsage(service.pid).engineSeconds - before, ms: performance.now() - startedAt };
  };
  await look(1);
  const [one, many]: { cpu: number; ms: number }[][] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    one?.push(await look(1));
    many?.push(await look(viewers));
  }
  const sum = (looks: typeof one = []) => looks.reduce((total, { cpu }) => total + cpu, 0);
  const time = (looks: typeof one = []) => median(looks.map(({ ms }) => ms));
  print(
    `the engine worked ${sum(one).toFixed(2)} s for one viewer at a time, ${sum(many).toFixed(2)} s for ${viewers}`,
  );
  print(`one viewer: ${time(one).toFixed(0)} ms; ${viewers} at once: ${time(many).toFixed(0)} ms`);
  return [line(`engine work of ${viewers} viewers against one`, sum(many) / sum(one), 2, "x", { atMost: 1.5 })];
}

const dayBefore = (days: number) => dayOf(Date.now() - days * DAY_MS);

/** As the page does: the board, then its charts, a few at a time. */
async function viewBoard(url: string, { from, to }: { from: string; to: string }): Promise<void> {
  const get = async <T>(at: string): Promise<T> => {
    const answer = await fetch(at);
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${answer.status} ${text}`);
    return (JSON.parse(text) as { data: T }).data;
  };
  const { charts } = await get<{ charts: { id: string }[] }>(url);
  if (charts.length !== CHARTS) throw new Error(`the board has ${charts.length} charts`);
  const waiting = [...charts];
  const work = async () => {
    for (let chart = waiting.shift(); chart !== undefined; chart = waiting.shift())
      await get(`${url}/charts/${chart.id}?date_from=${from}&date_to=${to}`);
  };
  await Promise.all(Array.from({ length: 4 }, work));
}

await runBench(measure, GIVE_UP_MS);
