/**
 * `npm run bench:beside`: what reports and events leave each other, as ratios of one run.
 *
 *   --events N    number of events (200,000), over 90 days up to now
 *   --seconds N   length of each ingest run (8)
 *   --rounds N    rounds of each comparison (3)
 *   --kept N      SEXTANT_KEPT_ANSWERS_MB (32); 0 shows what is left when every question is a new one
 *   --only PART   reports or ingest
 *
 * Eight reports of one project, which is the one that receives the events. Alone and at once they are asked for days
 * that nobody has asked for; beside ingest always for the same days up to today, as open dashboards do.
 */
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { startLoad } from "./load-process.ts";
import { askInLoop, compareUnasked, connectProject } from "./query-journeys.ts";
import { fileOf, loadEvents, materializeAll } from "./query-load.ts";
import { createProjects, type QueryService, startQueryService } from "./query-service.ts";
import { type OnEnd, print, runBench } from "./run-bench.ts";
import { median } from "./statistics.ts";
import { sustain } from "./sustain.ts";
import { readUsage } from "./usage.ts";
import { line, type Verdict } from "./verdict.ts";

const GIVE_UP_MS = 1_800_000;
const INGEST = { form: "object", connections: 64, window: 60_000 } as const;
const REPORTS = 8;
/** Rounds of reports take a second. */
const ROUNDS_OF_REPORTS = 4;
const { values } = parseArgs({
  options: {
    events: { type: "string", default: "200000" },
    seconds: { type: "string", default: "8" },
    rounds: { type: "string", default: "3" },
    kept: { type: "string", default: "32" },
    only: { type: "string", default: "" },
  },
});
const [events, seconds, rounds] = [Number(values.events), Number(values.seconds), Number(values.rounds)];

async function measure(onEnd: OnEnd): Promise<readonly Verdict[]> {
  const dataset = await createProjects(1, onEnd);
  print(`${availableParallelism()} cores, the load generator included; ${events} events, kept ${values.kept} MB`);
  const path = fileOf(dataset.engineDir);
  await loadEvents(path, { load: 1, events, projects: dataset.projects }, () => undefined);
  await materializeAll(path, dataset.projects, () => undefined);
  const settings = { SEXTANT_KEPT_ANSWERS_MB: values.kept };
  const service = await startQueryService(dataset.root, dataset.projects, onEnd, settings);
  return [
    ...(values.only === "ingest" ? [] : await compareReports(service)),
    ...(values.only === "reports" ? [] : await compareIngest(service, onEnd)),
  ];
}

async function compareReports(service: QueryService): Promise<Verdict[]> {
  const project = await connectProject(service);
  const used = () => readUsage(service.pid).cpuSeconds;
  await compareUnasked(project, 1, used);
  const { slowest, atOnce, again, beyond, cpu } = await compareUnasked(project, rounds * ROUNDS_OF_REPORTS, used);
  print(
    `8 reports nobody has asked: the slowest alone ${median(slowest).toFixed(0)} ms, at once ` +
      `${median(atOnce).toFixed(0)} ms, again ${median(again).toFixed(0)} ms; processor alone ` +
      `${cpu.alone.toFixed(2)} s, at once ${cpu.atOnce.toFixed(2)} s`,
  );
  return [
    line("8 reports at once / the slowest alone", median(atOnce) / median(slowest), 2, "", { atMost: 2 }),
    line("the same 8 asked again / the slowest alone", median(again) / median(slowest), 2, "", { atMost: 1 }),
    line("processor time of 8 at once / one after the other", cpu.atOnce / cpu.alone, 2, "", { atMost: 1.1 }),
    line("HTTP beyond the engine's own time, p50", median(beyond), 1, " ms", { atMost: 2 }),
  ];
}

async function compareIngest(service: QueryService, onEnd: OnEnd): Promise<Verdict[]> {
  const load = await startLoad();
  onEnd(load.close);
  const project = await connectProject(service);
  await sustain(load, service, { ...INGEST, seconds: Math.min(3, seconds) });
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const alone = await sustain(load, service, { ...INGEST, seconds });
    const loop = askInLoop(project, REPORTS);
    const beside = await sustain(load, service, { ...INGEST, seconds });
    const asked = await loop.end();
    ratios.push(beside.storedPerSecond / alone.storedPerSecond);
    print(
      `${Math.round(alone.storedPerSecond)} events/s alone, ${Math.round(beside.storedPerSecond)} beside ` +
        `${REPORTS * asked.length} reports, ${REPORTS} at once, p50 ${median(asked).toFixed(0)} ms`,
    );
  }
  load.close();
  return [line("ingest with 8 reports at once in a loop / alone", median(ratios), 2, "", { atLeast: 0.7 })];
}

await runBench(measure, GIVE_UP_MS);
