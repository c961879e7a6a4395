/**
 * `npm run bench:overview`: the first screen of a project with many events and a board of twelve charts, each
 * compared with the slowest of its requests alone.
 *
 *   --events N    number of events (10,000,000), over 90 days up to now and 5 projects
 */
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { whyNoChromium } from "../test/support/platform.ts";
import { openDashboard } from "./dashboard-page.ts";
import { describeBoard, judgeBoard, measureBoard } from "./query-board.ts";
import { DAYS, fileOf, loadEvents, materializeAll } from "./query-load.ts";
import { describeOverview, judgeOverview, measureOverview } from "./query-overview.ts";
import { createProjects, startQueryService } from "./query-service.ts";
import { type OnEnd, print, runBench } from "./run-bench.ts";
import type { Verdict } from "./verdict.ts";

const PROJECTS = 5;
const GIVE_UP_MS = 3_600_000;
const { values } = parseArgs({ options: { events: { type: "string", default: "10000000" } } });

async function measure(onEnd: OnEnd): Promise<readonly Verdict[]> {
  const why = whyNoChromium();
  if (why !== undefined) throw new Error(why);
  const dataset = await createProjects(PROJECTS, onEnd);
  const events = Number(values.events);
  print(
    `${availableParallelism()} cores, the browser included; ${events} events of ${PROJECTS} projects, ${DAYS} days`,
  );
  const path = fileOf(dataset.engineDir);
  await loadEvents(path, { load: 1, events, projects: dataset.projects }, () => undefined);
  print(`materialized ${await materializeAll(path, dataset.projects, () => undefined)} partitions`);
  const service = await startQueryService(dataset.root, dataset.projects, onEnd);
  const dashboard = await openDashboard(service, onEnd);
  const overview = await measureOverview(service, dashboard);
  print(describeOverview({ overview }));
  const board = await measureBoard(service, dashboard);
  print(describeBoard(board));
  return [...judgeOverview({ overview }), ...judgeBoard(board)];
}

await runBench(measure, GIVE_UP_MS);
