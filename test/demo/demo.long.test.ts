import assert from "node:assert/strict";
import { after, before, describe, type TestContext, test } from "node:test";
import { createDemoEvents, type DemoEvent } from "../../src/demo/events.ts";
import { runHere } from "../support/command.ts";
import { expectStream } from "../support/event-stream.ts";
import { newPerson } from "../support/people.ts";
import { startProcess } from "../support/process.ts";
import { MAIN, makeDataDir, readCredentials, serviceEnv, startService, type TestService } from "../support/service.ts";
import { waitFor } from "../support/wait.ts";

const DAY_MS = 86_400_000;
const NOW_MS = Date.parse("2026-03-10T15:30:00Z");

describe("the demo's events", () => {
  const events = [...createDemoEvents(NOW_MS)].flat();
  const timeOf = ({ original_timestamp }: DemoEvent) => Date.parse(original_timestamp);
  const dayOf = (event: DemoEvent) => Math.floor((timeOf(event) - (NOW_MS - (NOW_MS % DAY_MS))) / DAY_MS) + 99;

  test("are the same whenever they are made for the same time", () => {
    assert.deepEqual([...createDemoEvents(NOW_MS)].flat(), events);
  });

  test("are about 25,000 over 100 days that end now, each with an id of its own", () => {
    assert.ok(events.length > 20_000 && events.length < 30_000, `${events.length} events`);
    assert.ok(events.every((event) => timeOf(event) < NOW_MS));
    assert.deepEqual(
      [...new Set(events.map(dayOf))].sort((a, b) => a - b),
      Array.from({ length: 100 }, (_, i) => i),
    );
    assert.equal(new Set(events.map(({ message_id }) => message_id)).size, events.length);
  });

  test("hold a bot wave on one day, an outage of four hours and campaigns of a week", () => {
    const botDays = events.filter(({ anonymous_id }) => String(anonymous_id).startsWith("demo-bot")).map(dayOf);
    assert.deepEqual([...new Set(botDays)], [81]);
    const hours = new Set(
      events.filter((event) => dayOf(event) === 90).map((event) => new Date(timeOf(event)).getUTCHours()),
    );
    assert.deepEqual(
      [13, 14, 15, 16].filter((hour) => hours.has(hour)),
      [],
    );
    assert.ok(hours.has(12) && hours.has(17));
    const paid = new Set(events.filter((event) => JSON.stringify(event).includes("gclid=")).map(dayOf));
    assert.ok(Math.min(...paid) >= 78 && Math.max(...paid) <= 85);
  });
});

describe("a demo that is being sent", () => {
  test("goes on after kill -9, and each of its events counts once", async (t) => {
    const place = makeDataDir();
    let service = await startService(place.dir);
    t.after(async () => {
      await service.kill("SIGTERM");
      place.remove();
    });
    const { setupUrl = "" } = readCredentials(place.dir) as unknown as { setupUrl?: string };
    const token = new URL(setupUrl).hash.replace("#token=", "");
    const account = { name: "Ada", password: "correct horse battery" };
    const owner = newPerson(service.apiUrl);
    await owner.get("POST", "/api/setup", { token, ...account });
    await owner.get("POST", "/api/demo", {});
    const listTasks = async () =>
      JSON.parse((await runHere(place.dir, ["--json", "tasks"])).out) as {
        state: string;
        done: number;
        total: number;
      }[];
    await waitFor("a part of it to be sent", async () => ((await listTasks())[0]?.done ?? 0) > 0, 30_000);
    await service.kill("SIGKILL");
    const [cut] = await listTasks();
    assert.ok(cut?.state === "running" && cut.done < cut.total, JSON.stringify(cut));
    t.diagnostic(`killed after ${cut.done} of ${cut.total} events`);

    service = await startService(place.dir);
    await waitFor("the rest to be sent", async () => (await listTasks())[0]?.state === "done", 30_000);
    const readLedger = async () => {
      const lines = JSON.parse((await runHere(place.dir, ["--json", "events", "ledger"])).out) as Record<
        string,
        number
      >[];
      const sum = (name: string) => lines.reduce((total, line) => total + (line[name] ?? 0), 0);
      return { received: sum("received"), stored: sum("stored"), duplicate: sum("duplicate") };
    };
    await waitFor("all events to be stored", async () => (await readLedger()).stored >= cut.total, 30_000);
    const { received, stored, duplicate } = await readLedger();
    assert.equal(stored, cut.total);
    assert.equal(received, stored + duplicate);
    assert.ok(duplicate <= 250, `${duplicate} events of one batch were sent twice`);
  });
});

describe("sextant demo", () => {
  const place = makeDataDir();
  let service: TestService;
  before(async () => {
    service = await startService(place.dir);
  });
  after(async () => {
    await service.kill("SIGTERM");
    place.remove();
  });

  async function run(...args: string[]): Promise<{ code: number | string; stdout: string; stderr: string }> {
    const command = startProcess([MAIN, "--json", ...args], serviceEnv(place.dir));
    return { code: await command.exited, stdout: command.stdout(), stderr: command.stderr() };
  }

  async function sessionsOf(projectId: string): Promise<number | undefined> {
    const { apiKey } = readCredentials(place.dir);
    const url = `${service.apiUrl}/v0/top_sources?project_id=${projectId}&date_from=2020-01-01&metric_column=channel`;
    const answer = await fetch(url, { headers: { authorization: `Bearer ${apiKey}` } });
    if (answer.status !== 200) return undefined;
    const { data } = (await answer.json()) as { data: { sessions: number }[] };
    return data.reduce((sum, { sessions }) => sum + sessions, 0);
  }

  const here = (...args: string[]) => runHere(place.dir, ["--json", ...args]);

  async function readLedger(): Promise<{ received: number; stored: number }> {
    const lines = JSON.parse((await here("events", "ledger")).out) as { received: number; stored: number }[];
    const sum = (name: "received" | "stored") => lines.reduce((total, line) => total + line[name], 0);
    return { received: sum("received"), stored: sum("stored") };
  }

  async function answerOf<T>(path: string): Promise<readonly T[]> {
    const { apiKey } = readCredentials(place.dir);
    const answer = await fetch(`${service.apiUrl}/v0/${path}`, { headers: { authorization: `Bearer ${apiKey}` } });
    assert.equal(answer.status, 200, path);
    return ((await answer.json()) as { data: T[] }).data;
  }

  /** What the first screens show without a choice: 28 days, those before, notes, and people who came back. */
  async function expectAtFirstSight(id: string, t: TestContext): Promise<void> {
    const day = (ago: number) => new Date(Date.now() - ago * DAY_MS).toISOString().slice(0, 10);
    const window = `project_id=${id}&date_from=${day(27)}&date_to=${day(0)}`;
    const compared = `compare_from=${day(55)}&compare_to=${day(28)}`;
    const [kpis] = await answerOf<Record<string, number>>(`kpis?${window}&${compared}&interval=all`);
    assert.ok(Number(kpis?.visitors) > 1_000 && Number(kpis?.visitors_previous) > 500, JSON.stringify(kpis));
    assert.ok(Number(kpis?.revenue) > Number(kpis?.revenue_previous));
    const [all] = await answerOf<Record<string, number>>(`kpis?${window}&bots=include&interval=all`);
    assert.equal(Number(all?.visitors) - Number(kpis?.visitors), 420, "the bots");
    assert.equal((await answerOf(`annotations?${window}`)).length, 2);
    const weeks = `project_id=${id}&date_from=${day(98)}&date_to=${day(0)}&id_type=anonymous_id&limit=13`;
    const [retention] = await answerOf<{ metric: (number | null)[] }>(`retention?${weeks}`);
    const [, , , , , day7, day30, day90] = retention?.metric ?? [];
    t.diagnostic(`back after 7, 30, 90 days: ${[day7, day30, day90].join(", ")}`);
    assert.ok(Number(day7) > Number(day30) && Number(day30) > Number(day90) && Number(day90) > 0);
  }

  /** Events arrive while somebody looks, and end with the stream. */
  async function expectTrickle(id: string): Promise<void> {
    const before = await readLedger();
    const { apiKey } = readCredentials(place.dir);
    const stream = await expectStream(`${service.apiUrl}/v0/live/stream?project_id=${id}`, apiKey);
    await stream.find("event");
    await stream.find("counts", ({ live_visitors }) => Number(live_visitors) > 0);
    stream.close();
    let known = await readLedger();
    await waitFor("the events to end", async () => {
      await new Promise((resolve) => setTimeout(resolve, 2_500));
      const last = known;
      known = await readLedger();
      return known.received === last.received;
    });
    assert.ok(known.received > before.received && known.received < before.received + 100);
    assert.deepEqual(known.received, known.stored);
  }

  test("sends its events through the events server, once, and deletes them again, by command and by API", async (t) => {
    const made = await run("demo");
    assert.equal(made.code, 0, made.stderr);
    const { id, events } = JSON.parse(made.stdout) as { id: string; events: number };
    assert.ok(events > 20_000);
    assert.match(made.stderr, /\[#{30}\] (\d+) of \1 events/);
    await waitFor("all events to be stored", async () => (await readLedger()).received === events, 30_000);
    assert.deepEqual(await readLedger(), { received: events, stored: events });
    assert.ok(((await sessionsOf(id)) ?? 0) > 3_000);

    await expectAtFirstSight(id, t);
    await expectTrickle(id);

    const again = await here("demo");
    assert.equal(again.code, 1);
    assert.match(again.err, /the workspace has a demo: prj_\w+; `sextant demo --delete` deletes it/);

    const owner = newPerson(service.apiUrl);
    const { setupUrl } = readCredentials(place.dir) as unknown as { setupUrl?: string };
    assert.ok(setupUrl, "the setup link is kept beside the first keys");
    const token = new URL(setupUrl).hash.replace("#token=", "");
    await owner.get("POST", "/api/setup", { token, name: "Ada", password: "correct horse battery" });
    const state = await owner.get<{ state: string; projectId: string }>("GET", "/api/demo");
    assert.deepEqual([state.state, state.projectId], ["ready", id]);
    const forms = async () =>
      (await owner.get<{ id: string; title: string }[]>("GET", "/api/forms")).map(({ id }) => id);
    const [form = ""] = await forms();
    const answers = await owner.get<unknown[]>("GET", `/api/forms/${form}/submissions?size=100`);
    assert.equal(answers.length, 60);

    assert.equal((await run("demo", "--delete")).code, 0);
    assert.equal(await sessionsOf(id), undefined, "a deleted project is absent at once");
    assert.deepEqual(await forms(), [], "and so is its form");
    const gone = await here("demo", "--delete");
    assert.match(gone.err, /the workspace has no demo/);
    const projects = JSON.parse((await here("projects", "list")).out) as { id: string }[];
    assert.ok(!projects.some((project) => project.id === id));

    const startedAt = performance.now();
    const begun = await owner.get<{ projectId: string }>("POST", "/api/demo", {});
    const twice = await owner.send("POST", "/api/demo", {});
    assert.equal(twice.status, 409);
    await waitFor(
      "the demo to be sent",
      async () => (await owner.get<{ state: string }>("GET", "/api/demo")).state === "ready",
      30_000,
    );
    t.diagnostic(`${Math.round(performance.now() - startedAt)} ms from the click to all events in reports`);
    await waitFor("its sessions", async () => ((await sessionsOf(begun.projectId)) ?? 0) > 3_000, 30_000);
    await owner.get("DELETE", `/api/settings/projects/${begun.projectId}`);
    assert.equal(await sessionsOf(begun.projectId), undefined);
    assert.deepEqual(await forms(), [], "also where the project is deleted as any other");
  });
});
