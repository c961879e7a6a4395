import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sql } from "kysely";
import { lockBoard } from "../../src/boards/boards.ts";
import { toSpec } from "../../src/boards/chart.ts";
import { createChart } from "../../src/boards/charts.ts";
import { BOARD_LIMITS } from "../../src/contract/boards.ts";
import { LINK_LIMITS } from "../../src/contract/link-limits.ts";
import { SEGMENT_LIMITS } from "../../src/contract/segments.ts";
import { newId } from "../../src/lib/ids.ts";
import { startApi, type TestApi, type TestKey } from "../support/api.ts";
import { createCalls } from "../support/calls.ts";
import { expectError } from "../support/envelope.ts";
import { echoReport } from "../support/reports.ts";
import { waitFor } from "../support/wait.ts";

const BOARDS = "/v0/boards";
const SEGMENTS = "/v0/segments";
const FILTERS = [{ field: "device", op: "eq", value: "desktop" }];
/** Needs no engine: the stand-in answers a report without columns. */
const CHART = { chart_type: "table", title: "Sources", report: "top_sources" };
const AT_ONCE = 8;

for (const backend of ["sqlite", "postgres"] as const)
  describe(`writes of boards and segments at the same time in ${backend}`, () => {
    let api: TestApi;
    let key: TestKey;
    let project: string;
    /** What happens while a chart's question is asked. */
    let whileAsked: (() => Promise<unknown>) | undefined;
    before(async () => {
      api = await startApi(backend, {}, [], {
        async runReport(...args) {
          const work = whileAsked;
          whileAsked = undefined;
          await work?.();
          return echoReport(...args);
        },
      });
      key = await api.createKey();
      project = await api.createProject(key.workspaceId, "App");
    });
    after(() => api.stop());

    const { call } = createCalls(() => ({ api, key }));
    const make = async (path: string, body: object): Promise<string> => {
      const answer = await call("POST", path, { project_id: project, ...body });
      assert.ok(answer.ok, await answer.clone().text());
      return ((await answer.json()) as { id: string }).id;
    };
    const makeBoard = () => make(BOARDS, { title: "Growth" });
    const makeSegment = () => make(SEGMENTS, { title: "Desktops", filters: FILTERS });
    const addChart = async (board: string, fields: object = {}) => {
      const answer = await call("POST", `${BOARDS}/${board}/charts`, { ...CHART, ...fields });
      assert.equal(answer.status, 201, await answer.clone().text());
      return ((await answer.json()) as { id: string }).id;
    };
    /** As many rows as are missing until one is left. */
    const fill = async (table: "boards" | "charts" | "segments", id: string, missing: number) => {
      const from = api.store.read.selectFrom(table).selectAll().where("id", "=", id);
      const row = (await from.executeTakeFirstOrThrow()) as Record<string, unknown>;
      const rows = Array.from({ length: missing - 1 }, () => ({ ...row, id: newId(id.slice(0, 3)) }));
      await api.store.write((tx) =>
        tx
          .insertInto(table)
          .values(rows as never)
          .execute(),
      );
    };
    const statusesOf = async (send: () => Promise<Response>) => {
      const answers = await Promise.all(Array.from({ length: AT_ONCE }, send));
      return answers.map(({ status }) => (status < 300 ? "made" : String(status))).sort();
    };
    const ONE_MADE = [...Array.from({ length: AT_ONCE - 1 }, () => "400"), "made"];

    test("no limit is passed: the last free place is taken once", async () => {
      const own = await api.createProject(key.workspaceId, "Full");
      const named = { project_id: own, title: "t" };
      await fill("boards", await make(BOARDS, named), BOARD_LIMITS.perProject - 1);
      assert.deepEqual(await statusesOf(() => call("POST", BOARDS, named)), ONE_MADE);
      const segment = { ...named, filters: FILTERS };
      await fill("segments", await make(SEGMENTS, segment), SEGMENT_LIMITS.perProject - 1);
      assert.deepEqual(await statusesOf(() => call("POST", SEGMENTS, segment)), ONE_MADE);
      const board = await makeBoard();
      const path = `${BOARDS}/${board}/charts`;
      const chart = await addChart(board);
      await fill("charts", chart, BOARD_LIMITS.charts - 1);
      const sends = [() => call("POST", path, CHART), () => call("POST", `${path}/${chart}/duplicate`)];
      const answers = await Promise.all([...sends, ...sends, ...sends, ...sends].map((send) => send()));
      assert.equal(answers.filter(({ status }) => status === 201).length, 1);
      const links = `${BOARDS}/${board}/links`;
      for (let made = 1; made < LINK_LIMITS.perBoard; made += 1)
        assert.equal((await call("POST", links, {})).status, 201);
      assert.deepEqual(await statusesOf(() => call("POST", links, {})), ONE_MADE);
    });

    test("a segment that is deleted while a chart's question is asked is missed when the chart is saved", async () => {
      const board = await makeBoard();
      const path = `${BOARDS}/${board}/charts`;
      const chart = await addChart(board);
      const naming: [
        fields: (id: string) => object,
        status: number,
        code: "NOT_FOUND" | "BAD_REQUEST",
        field: string,
      ][] = [
        [(id) => ({ params: { segment: id } }), 404, "NOT_FOUND", "params.segment"],
        [
          (id) => ({ chart_type: "retention", report: null, settings: { segment: id } }),
          404,
          "NOT_FOUND",
          "settings.segment",
        ],
        [(id) => ({ settings: { segments: [id] } }), 400, "BAD_REQUEST", "settings.segments.0"],
      ];
      for (const [fields, status, code, field] of naming)
        for (const [method, at] of [
          ["POST", path],
          ["PUT", `${path}/${chart}`],
        ] as const) {
          const id = await makeSegment();
          whileAsked = async () => assert.equal((await call("DELETE", `${SEGMENTS}/${id}`)).status, 200);
          const answer = await call(method, at, { ...CHART, ...fields(id) });
          assert.equal((await expectError(answer, "plain", status, code)).param, `body.${field}`);
          const never = await call(method, at, { ...CHART, ...fields(id) });
          assert.equal((await expectError(never, "plain", status, code)).param, `body.${field}`, "and before");
        }
      const { charts } = (await (await call("GET", `${BOARDS}/${board}`)).json()) as { charts: number };
      assert.equal(charts, 1);
    });

    test("changes of different fields of a chart are all kept, and one of a changed question is a conflict", async () => {
      const board = await makeBoard();
      const chart = `${BOARDS}/${board}/charts/${await addChart(board)}`;
      const change = (body: object) => call("PATCH", chart, body);
      const layouts = [{ layout: { width: 3 } }, { drawn: { kind: "bars" } }];
      const answers = await Promise.all([
        change({ title: "Ways" }),
        change({ description: "Where people come from" }),
        ...layouts.map((settings) => change({ settings })),
      ]);
      for (const answer of answers) assert.equal(answer.status, 200, await answer.clone().text());
      const kept = (await (await call("GET", chart)).json()) as {
        title: string;
        description: string;
        settings: object;
      };
      assert.deepEqual([kept.title, kept.description], ["Ways", "Where people come from"]);
      assert.partialDeepStrictEqual(kept.settings, Object.assign({}, ...layouts) as object);
      whileAsked = async () => assert.equal((await call("PUT", chart, { ...CHART, report: "top_chains" })).status, 200);
      await expectError(await change({ params: { limit: 9 } }), "plain", 409, "CONFLICT");
    });

    test("a chart is not saved on a board that has gone while its question was asked", async () => {
      const board = await makeBoard();
      whileAsked = async () => assert.equal((await call("DELETE", `${BOARDS}/${board}`)).status, 200);
      // A question of its own: an answer that viewers share is not asked again.
      const chart = { ...CHART, params: { limit: 7 } };
      await expectError(await call("POST", `${BOARDS}/${board}/charts`, chart), "plain", 404, "NOT_FOUND");
    });

    if (backend === "postgres") {
      /** Saves a chart, sends a request before the transaction has ended, and returns its answer. */
      const whileSaving = async (board: string, fields: object, send: () => Promise<Response>): Promise<Response> => {
        let answer: Promise<Response> | undefined;
        await api.store.write(async (tx) => {
          const found = await lockBoard(tx, { workspaceId: key.workspaceId, projectId: null }, board);
          const made = { spec: toSpec({ ...CHART, ...fields }), userId: null };
          await createChart(tx, key.workspaceId, found, made, Date.now());
          let isOver = false;
          answer = send().finally(() => {
            isOver = true;
          });
          await waitFor("the other request to wait or to end", async () => isOver || (await countWaiting(api)) > 0);
        });
        if (answer === undefined) throw new Error("nothing was sent");
        return answer;
      };

      test("a board is not deleted under a chart that is being saved on it", async () => {
        const board = await makeBoard();
        const answer = await whileSaving(board, {}, () => call("DELETE", `${BOARDS}/${board}`));
        assert.match((await expectError(answer, "plain", 400, "BAD_REQUEST")).message, /has 1 chart:/);
        const both = await whileSaving(board, {}, () => call("DELETE", `${BOARDS}/${board}?with_charts=true`));
        assert.equal(((await both.json()) as { charts: number }).charts, 2);
        const left = await api.store.read.selectFrom("charts").select("id").where("board_id", "=", board).execute();
        assert.deepEqual(left, []);
      });

      test("a segment is not deleted under a chart that is being saved with it", async () => {
        const [board, id] = [await makeBoard(), await makeSegment()];
        const fields = { params: { segment: id } };
        const answer = await whileSaving(board, fields, () => call("DELETE", `${SEGMENTS}/${id}`));
        assert.match((await expectError(answer, "plain", 400, "BAD_REQUEST")).message, /^The chart "Sources"/);
      });
    }
  });

/** Statements of the database that wait for a lock. */
async function countWaiting({ store }: TestApi): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
  `.execute(store.read);
  return Number(rows[0]?.n ?? 0);
}
