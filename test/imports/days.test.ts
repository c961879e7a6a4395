/** Days that Plausible counted. Every number below stands in the fixtures, or is a sum of some of their rows. */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { cancelTask, findProjectTask, listTasks } from "../../src/control/tasks.ts";
import { openDaysHere } from "../../src/imports/days/days-file.ts";
import { importDays } from "../../src/imports/days/import-days.ts";
import { createDaysWarehouse, type DaysWarehouse } from "../../src/imports/days/warehouse.ts";
import { NO_MAPPING } from "../../src/imports/from/generic.ts";
import { importTask } from "../../src/imports/import-task.ts";
import { startImport } from "../../src/imports/imports-table.ts";
import { createUploadFiles } from "../../src/imports/upload-files.ts";
import { createUpload, IMPORT_TASK, recordPart, startUpload } from "../../src/imports/uploads.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { MARGINS } from "../../src/materialize/margins.ts";
import { exportTable } from "../../src/warehouse/export.ts";
import { BOTH_IN_LONG } from "../support/both-engines.ts";
import { addPerson, type TestPerson } from "../support/people.ts";
import { type ProfileApi, startProfileApi } from "../support/profile-api.ts";
import { makeZip } from "./archives.ts";

const FIXTURE = join(import.meta.dirname, "fixtures", "plausible");
const WINDOW = "date_from=2024-01-01&date_to=2024-01-04";
const { signal } = new AbortController();
const DAY_MS = 86_400_000;
type Row = Record<string, string | number>;

for (const { name, skip, start } of BOTH_IN_LONG)
  describe(`imported days on ${name}`, { skip }, () => {
    let site: ProfileApi;
    let dir: string;
    let person: TestPerson;
    before(async () => {
      dir = mkdtempSync(join(tmpdir(), "days-"));
      site = await startProfileApi("sqlite", start);
      person = await addPerson(site.api, site.key.workspaceId, "editor");
    });
    after(async () => {
      await site.stop();
      rmSync(dir, { recursive: true, force: true });
    });

    /** Reports of ClickHouse share a read of the catalogue for a moment, and are as old as it. */
    const store = async (...stored: Parameters<ProfileApi["store"]>) => {
      await site.store(...stored);
      if (name === "ClickHouse") await delay(MARGINS.sharedReadMs);
    };
    const warehouse = () => createDaysWarehouse(site.engine);
    const deps = () => ({
      store: site.api.store,
      clock: systemClock,
      warehouse: warehouse(),
      open: openDaysHere,
      signal,
    });
    const run = (path: string) => importDays(site.key.workspaceId, { projectId: site.project, path }, deps());
    const ask = async (report: string, query = "") => {
      const { status, body, text } = await site.call("GET", `/v0/${report}?${WINDOW}${query}`);
      assert.equal(status, 200, text);
      return body as { data: Row[]; imported?: Row };
    };
    const pick = (rows: readonly Row[], ...names: string[]) => rows.map((row) => names.map((one) => row[one]));
    const NOTE = { from: "2024-01-01", to: "2024-01-03", source: "plausible" };

    test("a wrong file is refused with its line and what was expected, and nothing is imported", async () => {
      const zip = (files: Record<string, string>) => {
        const path = join(dir, "wrong.zip");
        writeFileSync(
          path,
          makeZip(Object.fromEntries(Object.entries(files).map(([at, text]) => [at, Buffer.from(text)]))),
        );
        return path;
      };
      const visitors = "imported_visitors_20240101_20240103.csv";
      for (const [files, expected] of [
        [{ "other.csv": "a,b\n1,2\n" }, /has none of its files; expected Plausible's export/],
        [{ [visitors]: "date,visitors\n" }, /has no rows of imported_visitors/],
        [
          { [visitors]: "date,visitors\n2024-13-01,1\n" },
          /imported_visitors_20240101_20240103\.csv, line 2: date is "2024-13-01"/,
        ],
        [{ [visitors]: "date,visitors\n1969-12-31,1\n" }, /line 2: date is 1969-12-31, which is no day of a visit/],
        [{ [visitors]: "date,visitors\n2150-01-01,1\n" }, /line 2: date is 2150-01-01, which is no day of a visit/],
        [
          { [visitors]: "date,visitors\n2024-01-01,1\n2024-01-02,-1\n" },
          /line 3: visitors is "-1", and a whole number/,
        ],
        [{ [visitors]: "date,visitors\n2024-01-01\n" }, /line 2: it has 1 columns, and the header has 2/],
        [{ "imported_pages_20240101_20240103.csv": "date,page\n2024-01-01,\n" }, /line 2: it has no column hostname/],
      ] as const)
        await assert.rejects(run(zip(files)), expected);
      assert.equal((await ask("kpis")).imported, undefined);
    });

    test("days of a zip are figures of their days, said in the answer, and a switch leaves them out", async () => {
      const path = join(dir, "site.zip");
      const files = readdirSync(FIXTURE).map((file) => [file, readFileSync(join(FIXTURE, file))] as const);
      writeFileSync(path, makeZip(Object.fromEntries(files)));
      const done = await run(path);
      assert.deepEqual([done.firstDay, done.lastDay, done.leftOut], ["2024-01-01", "2024-01-03", 0]);
      const { data, imported } = await ask("kpis");
      assert.deepEqual(imported, { ...NOTE, included: true });
      assert.deepEqual(pick(data, "date", "sessions", "visitors", "pageviews", "bounce_rate", "avg_session_sec"), [
        ["2024-01-01", 12, 10, 25, 4 / 12, 600 / 12],
        ["2024-01-02", 22, 20, 41, 9 / 22, 1100 / 22],
        ["2024-01-03", 8, 7, 14, 2 / 8, 320 / 8],
        ["2024-01-04", 0, 0, 0, 0, 0],
      ]);
      const off = await ask("kpis", "&imported=false");
      assert.deepEqual(off.imported, { ...NOTE, included: false, reason: "imported=false" });
      assert.deepEqual(pick(off.data, "sessions", "visitors"), Array(4).fill([0, 0]));
      const month = await ask("kpis", "&interval=month&include_previous_period=true");
      assert.deepEqual(pick(month.data, "sessions", "visitors", "bounce_rate", "visitors_current"), [
        [42, 37, 15 / 42, 37],
      ]);
    });

    test("each column has the sums of its table", async () => {
      const expected: readonly (readonly [string, string, (string | number)[][]])[] = [
        [
          "referrer",
          "referrer",
          [
            ["google.com", 28, 25, 53],
            ["Direct", 13, 11, 24],
            ["t.co", 1, 1, 3],
          ],
        ],
        [
          "utm_campaign",
          "utm_campaign",
          [
            ["", 35, 31, 66],
            ["spring", 6, 5, 11],
            ["launch", 1, 1, 3],
          ],
        ],
        [
          "location",
          "location",
          [
            ["US", 24, 22, 45],
            ["DE", 18, 15, 35],
          ],
        ],
        [
          "device",
          "device",
          [
            ["desktop", 30, 27, 61],
            ["tablet", 8, 7, 14],
            ["mobile", 4, 3, 5],
          ],
        ],
        [
          "browser",
          "browser",
          [
            ["chrome", 33, 29, 61],
            ["safari", 8, 7, 14],
            ["edge", 1, 1, 5],
          ],
        ],
        [
          "os",
          "os",
          [
            ["windows", 22, 20, 41],
            ["macos", 12, 10, 25],
            ["ios", 8, 7, 14],
          ],
        ],
        [
          "page",
          "pathname",
          [
            ["/", 42, 37, 70],
            ["/swap", 8, 7, 10],
          ],
        ],
        ["entry_page", "pathname", [["/", 42, 37, 80]]],
        [
          "exit_page",
          "pathname",
          [
            ["/", 33, 30, 60],
            ["/swap", 9, 7, 20],
          ],
        ],
        [
          "custom_event",
          "event",
          [
            ["Swap", 0, 9, 11],
            ["Outbound Link: Click", 0, 2, 3],
          ],
        ],
      ];
      for (const [column, shown, rows] of expected) {
        const found = await ask("breakdown", `&metric_column=${column}`);
        assert.deepEqual(pick(found.data, shown, "sessions", "visitors", "hits"), rows, column);
        assert.equal(found.imported?.included, true);
      }
      const compared = await ask("breakdown", "&metric_column=os&compare_from=2024-01-01&compare_to=2024-01-01");
      assert.deepEqual(pick(compared.data, "os", "visitors", "visitors_previous"), [
        ["windows", 20, 0],
        ["macos", 10, 10],
        ["ios", 7, 0],
      ]);
    });

    test("lists and groups have them, too, in pages", async () => {
      const sources = await ask("top_sources", "&limit=1&offset=1");
      assert.deepEqual(pick(sources.data, "referrer", "sessions", "visitors", "hits"), [["Direct", 13, 11, 24]]);
      assert.deepEqual(pick((await ask("top_locations")).data, "location", "visitors"), [
        ["US", 22],
        ["DE", 15],
      ]);
      assert.deepEqual(pick((await ask("top_pages")).data, "origin", "pathname", "hits", "visitors"), [
        ["app.example.com", "/", 70, 37],
        ["app.example.com", "/swap", 10, 7],
      ]);
      const { data } = await ask("kpis", "&group_by=location&interval=all");
      assert.deepEqual(pick(data, "location", "sessions", "visitors"), [
        ["US", 24, 22],
        ["DE", 18, 15],
      ]);
    });

    test("what is not known of them is asked without them, and the answer says why", async () => {
      const filters = encodeURIComponent(JSON.stringify([{ field: "device", op: "equals", value: "desktop" }]));
      for (const [report, query, reason] of [
        ["kpis", `&filters=${filters}`, /cannot be filtered/],
        ["kpis", "&interval=hour", /do not have what is asked for/],
        ["breakdown", "&metric_column=rdns", /do not have what is asked for/],
        ["top_pages", "&mode=entry", /do not have what is asked for/],
        ["top_chains", "", /do not have what is asked for/],
        ["heatmap", "", /do not have what is asked for/],
      ] as const) {
        const { data, imported } = await ask(report, query);
        assert.equal(imported?.included, false, report);
        assert.match(String(imported?.reason), reason, report);
        assert.ok(
          data.every((row) => !Number(row.sessions)),
          report,
        );
      }
    });

    test("other days that overlap are refused, and the same content again changes nothing", async () => {
      const path = join(dir, "later.zip");
      writeFileSync(
        path,
        makeZip({
          "imported_visitors_20240103_20240105.csv": Buffer.from("date,visitors\n2024-01-03,1\n2024-01-05,1\n"),
        }),
      );
      await assert.rejects(run(path), /has days from 2024-01-01 to 2024-01-03: delete it first/);
      await run(FIXTURE);
      assert.deepEqual(pick((await ask("kpis", "&interval=all")).data, "sessions", "visitors"), [[42, 37]]);
    });

    test("a backup has them", async () => {
      const rows = [];
      for await (const piece of exportTable(site.engine, "imported_days", Date.now())) rows.push(...piece.rows);
      const before = rows.length;
      assert.ok(before > 30, `${before} rows`);
      assert.equal(await site.engine.importRows("imported_days", rows), before);
      assert.deepEqual(pick((await ask("kpis", "&interval=all")).data, "sessions", "visitors"), [[42, 37]]);
    });

    test("days from the first event of the project on are its own: no day counts twice", async () => {
      const daysAgo = (Date.now() - Date.UTC(2024, 0, 3, 12)) / DAY_MS;
      await store([
        { address: `0x${"a".repeat(40)}`, daysAgo, type: "page", context: { page_url: "https://app.example.com/" } },
      ]);
      const { data, imported } = await ask("kpis");
      assert.deepEqual(imported, { ...NOTE, to: "2024-01-02", included: true });
      assert.deepEqual(pick(data, "date", "visitors"), [
        ["2024-01-01", 10],
        ["2024-01-02", 20],
        ["2024-01-03", 1],
        ["2024-01-04", 0],
      ]);
      assert.deepEqual(pick((await ask("breakdown", "&metric_column=location")).data, "location", "visitors"), [
        ["US", 22],
        ["DE", 8],
        ["", 1],
      ]);
    });

    test("the list of imports has them, and each day as it was counted, with whether reports count it", async () => {
      const [made, ...others] = await person.get<Row[]>("GET", `/api/imports?project_id=${site.project}`);
      assert.equal(others.length, 0);
      const { id, source, state, isUpload, days, events } = made as Row & { days: unknown };
      assert.deepEqual(
        { source, state, isUpload, events },
        { source: "plausible", state: "done", isUpload: false, events: 0 },
      );
      assert.deepEqual(days, { firstDay: "2024-01-01", lastDay: "2024-01-03" });
      assert.deepEqual(await person.get("GET", `/api/imports/${id}`), made);
      const rows = await person.get<Row[]>("GET", `/api/imports/${id}/days`);
      assert.deepEqual(pick(rows, "day", "visitors", "visits", "pageviews", "bounces", "durationMs", "isCounted"), [
        ["2024-01-01", 10, 12, 25, 4, 600_000, true],
        ["2024-01-02", 20, 22, 41, 9, 1_100_000, true],
        ["2024-01-03", 7, 8, 14, 2, 320_000, false],
      ]);
      const second = await person.get<Row[]>("GET", `/api/imports/${id}/days?limit=1&offset=1`);
      assert.deepEqual(pick(second, "day"), [["2024-01-02"]]);
    });

    test("a deletion removes them exactly, and no other project's; a second one finds nothing", async () => {
      const other = await site.api.createProject(site.key.workspaceId, "Other");
      const kept = await importDays(site.key.workspaceId, { projectId: other, path: FIXTURE }, deps());
      const count = async () =>
        (await site.engine.select<{ n: number }>("SELECT count() AS n FROM imported_days")).rows[0]?.n;
      const both = (await count()) ?? 0;
      const [mine] = await person.get<Row[]>("GET", `/api/imports?project_id=${site.project}`);
      const path = `/api/imports/${mine?.id}`;
      const viewer = await addPerson(site.api, site.key.workspaceId, "viewer");
      assert.equal((await viewer.send("DELETE", path)).status, 403);
      assert.equal(await count(), both);
      const { sums } = await person.get<{ sums: number }>("DELETE", path);
      assert.equal(await count(), both - sums);
      assert.equal(await count(), kept.sums);
      assert.equal((await person.send("DELETE", path)).status, 404);
      assert.deepEqual(await person.get("GET", `/api/imports?project_id=${site.project}`), []);
      assert.equal((await ask("kpis")).imported, undefined);
      assert.deepEqual(pick((await ask("kpis", "&interval=all")).data, "visitors"), [[1]]);
      const [entry] = await site.api.store.read
        .selectFrom("audit_log")
        .select(["action", "target", "details"])
        .where("action", "=", "deleteImport")
        .execute();
      assert.equal(entry?.target, mine?.id);
      assert.deepEqual(JSON.parse(entry?.details ?? ""), { fileName: mine?.fileName, source: "plausible", sums });
    });

    test("a day of the zone with an event of its own counts once, west of Greenwich, too", async () => {
      const projectId = await site.api.createProject(site.key.workspaceId, "West");
      await importDays(site.key.workspaceId, { projectId, path: FIXTURE }, deps());
      // In New York it is the evening of January 3.
      const daysAgo = (Date.now() - Date.parse("2024-01-04T02:00:00Z")) / DAY_MS;
      await store([{ address: `0x${"b".repeat(40)}`, daysAgo, type: "page" }], projectId);
      const { text: key } = await site.api.createKey({ workspaceId: site.key.workspaceId, projectId });
      const visitors = async (timezone: string) => {
        const path = `/v0/kpis?${WINDOW}&interval=day&timezone=${timezone}`;
        const { body, status, text } = await site.call("GET", path, undefined, { text: key });
        assert.equal(status, 200, text);
        return pick((body as { data: Row[] }).data, "visitors").flat();
      };
      assert.deepEqual(await visitors("UTC"), [10, 20, 7, 1]);
      assert.deepEqual(await visitors("America/New_York"), [10, 20, 1, 0]);
    });

    test("a day of the project's zone without an event of its own is imported, though the UTC day has one", async () => {
      const { workspaceId } = site.key;
      const projectId = await site.api.createProject(workspaceId, "East");
      await site.api.store.write((tx) =>
        tx.updateTable("projects").set({ timezone: "Asia/Tokyo" }).where("id", "=", projectId).execute(),
      );
      // In Tokyo it is the morning of January 4.
      const daysAgo = (Date.now() - Date.parse("2024-01-03T20:00:00Z")) / DAY_MS;
      await store([{ address: `0x${"c".repeat(40)}`, daysAgo, type: "page" }], projectId);
      const { leftOut, lastDay } = await importDays(workspaceId, { projectId, path: FIXTURE }, deps());
      assert.deepEqual([leftOut, lastDay], [0, "2024-01-03"]);
      const { text: key } = await site.api.createKey({ workspaceId, projectId });
      const { body } = await site.call("GET", `/v0/kpis?${WINDOW}&interval=day`, undefined, { text: key });
      assert.deepEqual(pick((body as { data: Row[] }).data, "visitors").flat(), [10, 20, 7, 1]);
    });
  });

describe("imports of days at the same time", () => {
  let site: ProfileApi;
  let dir: string;
  let person: TestPerson;
  before(async () => {
    dir = mkdtempSync(join(tmpdir(), "days-"));
    site = await startProfileApi();
    person = await addPerson(site.api, site.key.workspaceId, "editor");
  });
  after(async () => {
    await site.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  /** A zip with one visitor on each day of January from one to another. */
  function exportOf(name: string, from: number, to: number): string {
    const path = join(dir, name);
    const days = Array.from({ length: to - from + 1 }, (_, n) => `2024-01-${String(from + n).padStart(2, "0")},1`);
    const text = `date,visitors\n${days.join("\n")}\n`;
    writeFileSync(path, makeZip({ "imported_visitors_20240101_20240131.csv": Buffer.from(text) }));
    return path;
  }
  const run = (projectId: string, path: string, warehouse: DaysWarehouse = createDaysWarehouse(site.engine)) => {
    const deps = { store: site.api.store, clock: systemClock, warehouse, open: openDaysHere, signal };
    return importDays(site.key.workspaceId, { projectId, path }, deps);
  };
  const visitors = async (projectId: string) => {
    const window = "date_from=2024-01-01&date_to=2024-01-31&interval=all";
    const path = `/v0/kpis?${window}&project_id=${projectId}`;
    const { body } = await site.call("GET", path, undefined, { text: (await wholeKey()).text });
    return (body as { data: Row[] }).data[0]?.visitors;
  };
  let whole: Awaited<ReturnType<typeof site.api.createKey>> | undefined;
  const wholeKey = async () => {
    whole ??= await site.api.createKey({ workspaceId: site.key.workspaceId });
    return whole;
  };
  /** A warehouse whose writes wait until somebody lets them go on. */
  function slowWarehouse() {
    const real = createDaysWarehouse(site.engine);
    const [begun, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const write: DaysWarehouse["write"] = async (rows) => {
      begun.resolve();
      await go.promise;
      return real.write(rows);
    };
    return { warehouse: { ...real, write }, begun: begun.promise, go: go.resolve };
  }

  test("of several that overlap one is imported, and no day counts twice", async () => {
    for (let round = 0; round < 3; round++) {
      const projectId = await site.api.createProject(site.key.workspaceId, `Parallel ${round}`);
      const paths = [exportOf("a.zip", 1, 10), exportOf("b.zip", 10, 20), exportOf("c.zip", 5, 15)];
      const ends = await Promise.allSettled(paths.map((path) => run(projectId, path)));
      const done = ends.filter((end) => end.status === "fulfilled").map(({ value }) => value);
      assert.equal(done.length, 1, JSON.stringify(ends));
      for (const end of ends)
        if (end.status === "rejected") assert.match(String(end.reason), /is being imported|delete it first/);
      assert.equal(await visitors(projectId), done[0]?.sums);
    }
  });

  test("those of other days do not wait for each other", async () => {
    const projectId = await site.api.createProject(site.key.workspaceId, "Beside");
    const slow = slowWarehouse();
    const first = run(projectId, exportOf("first.zip", 1, 10), slow.warehouse);
    await slow.begun;
    await run(projectId, exportOf("second.zip", 11, 20));
    assert.equal(await visitors(projectId), 10, "one that is not complete is in no report");
    slow.go();
    await first;
    assert.equal(await visitors(projectId), 20);
  });

  test("one that runs cannot be deleted, and is listed as running; one that nobody goes on with is stopped", async () => {
    const projectId = await site.api.createProject(site.key.workspaceId, "Running");
    const slow = slowWarehouse();
    const running = run(projectId, exportOf("running.zip", 1, 3), slow.warehouse);
    await slow.begun;
    const list = () => person.get<Row[]>("GET", `/api/imports?project_id=${projectId}`);
    const [item] = await list();
    assert.equal(item?.state, "running");
    assert.equal((await person.send("DELETE", `/api/imports/${item?.id}`)).status, 409);
    slow.go();
    await running;
    assert.equal((await list())[0]?.state, "done");
    const made = { projectId, source: "umami", fileName: "dead.csv", fileBytes: 7, contentId: "dead" };
    const claim = { nowMs: 1_000, owner: "elsewhere/1/a", untilMs: 2_000 };
    await site.api.store.write((tx) => startImport(tx, site.key.workspaceId, made, claim));
    assert.deepEqual(
      (await list()).map(({ fileName, state }) => [fileName, state]),
      [
        ["running.zip", "done"],
        ["dead.csv", "cancelled"],
      ],
    );
  });

  /** A file that was sent and started, and what its task runs. */
  async function sendAndStart(name: string, warehouse: Partial<DaysWarehouse> = {}) {
    const { workspaceId } = site.key;
    const projectId = await site.api.createProject(workspaceId, name);
    const files = createUploadFiles({ dir, maxBytes: 1e9, reserveBytes: 0 });
    const bytes = readFileSync(exportOf(`${name}.zip`, 1, 3));
    const made = { projectId, fileName: `${name}.zip`, fileBytes: bytes.length };
    const upload = await site.api.store.write(async (tx) => {
      const created = await createUpload(tx, workspaceId, made, 1_000);
      await recordPart(tx, workspaceId, created.id, { from: 0, to: bytes.length, nowMs: 1_000 });
      return created;
    });
    await files.writePart(upload, Readable.from([bytes]), { from: 0, most: bytes.length });
    const start = async () => {
      const reading = { source: "plausible", mapping: NO_MAPPING } as const;
      await site.api.store.write((tx) => startUpload(tx, workspaceId, upload, reading, Date.now()));
      const task = await findProjectTask(site.api.store.read, workspaceId, { projectId, kind: IMPORT_TASK });
      assert.ok(task);
      return task;
    };
    const never = () => assert.fail("nothing is sent");
    const days: DaysWarehouse = { ...createDaysWarehouse(site.engine), ...warehouse };
    const { run: runTask } = importTask({
      ...{ store: site.api.store, clock: systemClock, days, files, sendJson: never, writeWallets: never },
    });
    return { projectId, upload, start, runTask };
  }
  const save = async () => undefined;

  test("one whose file is deleted while it is read imports nothing: its days could not be deleted", async () => {
    const real = createDaysWarehouse(site.engine);
    const sent = await sendAndStart("deleted", {
      async firstDay(...asked) {
        assert.equal((await person.send("DELETE", `/api/imports/${sent.upload.id}`)).status, 200);
        return real.firstDay(...asked);
      },
    });
    await assert.rejects(sent.runTask(await sent.start(), { signal, save }), /the file was deleted/);
    assert.equal(await visitors(sent.projectId), 0);
  });

  test("one that is stopped before its end counts nothing, and counts when it is started again", async () => {
    const { projectId, start, runTask } = await sendAndStart("stopped");
    const stopped = async () => {
      throw new Error("the task is no longer ours");
    };
    const first = await start();
    await assert.rejects(runTask(first, { signal, save: stopped }), /no longer ours/);
    assert.equal(await visitors(projectId), 0);
    await runTask(await start(), { signal, save });
    assert.equal(await visitors(projectId), 3);
  });

  for (const [how, isAgain] of [
    ["started again", true],
    ["imported by somebody else", false],
  ] as const)
    test(`a start that goes on after it was stopped, and the file was ${how}, changes nothing`, async () => {
      const real = createDaysWarehouse(site.engine);
      const { workspaceId } = site.key;
      let begun: Awaited<ReturnType<typeof sent.start>> | undefined;
      const sent = await sendAndStart(`stale ${how}`, {
        async firstDay(...asked) {
          const stopped = begun;
          begun = undefined;
          if (stopped !== undefined) {
            await site.api.store.write((tx) => cancelTask(tx, workspaceId, stopped.id, Date.now()));
            if (isAgain) await sent.runTask(await sent.start(), { signal, save });
            else await run(sent.projectId, exportOf("stale.zip", 1, 3));
          }
          return real.firstDay(...asked);
        },
      });
      begun = await sent.start();
      await assert.rejects(sent.runTask(begun, { signal, save }), /its import was stopped/);
      assert.equal(await visitors(sent.projectId), 3);
    });

  test("one that was started again after its end takes its days with it when it is deleted", async () => {
    const { projectId, upload, start, runTask } = await sendAndStart("again");
    await runTask(await start(), { signal, save });
    assert.equal(await visitors(projectId), 3);
    const { id: waiting } = await start();
    assert.deepEqual(await person.get("DELETE", `/api/imports/${upload.id}`), { id: upload.id, sums: 3 });
    assert.equal(await visitors(projectId), 0);
    assert.equal((await person.send("GET", `/api/imports/${upload.id}`)).status, 404);
    const tasks = await listTasks(site.api.store.read, site.key.workspaceId, 100);
    assert.equal(tasks.find(({ id }) => id === waiting)?.state, "cancelled");
  });

  test("one that has lost its days to another cannot end", async () => {
    const projectId = await site.api.createProject(site.key.workspaceId, "Lost");
    const slow = slowWarehouse();
    const paused = run(projectId, exportOf("paused.zip", 1, 10), slow.warehouse);
    await slow.begun;
    // As if its process had been stopped for longer than its lease, on another machine.
    await site.api.store.write((tx) =>
      tx
        .updateTable("imports")
        .set({ lease_owner: "elsewhere/1/a", lease_until: 1 })
        .where("project_id", "=", projectId)
        .execute(),
    );
    await run(projectId, exportOf("other.zip", 5, 6));
    slow.go();
    await assert.rejects(paused, /another process has gone on/);
    assert.equal(await visitors(projectId), 2);
  });
});
