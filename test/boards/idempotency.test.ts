import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { defaultServers } from "../../scripts/generate/openapi.ts";
import { newId } from "../../src/lib/ids.ts";
import { startApi, type TestApi, type TestKey } from "../support/api.ts";
import { createCalls } from "../support/calls.ts";
import { expectError } from "../support/envelope.ts";

const BOARDS = "/v0/boards";
const SEGMENTS = "/v0/segments";
const FILTERS = [{ field: "device", op: "eq", value: "desktop" }];
/** Needs no engine: the stand-in answers a report without columns. */
const CHART = { chart_type: "table", title: "Sources", report: "top_sources" };

/** New for each case. */
interface Made {
  readonly board: string;
  readonly other: string;
  readonly chart: string;
  readonly second: string;
  readonly link: string;
  readonly segment: string;
}

interface Case {
  readonly path: (made: Made) => string;
  readonly body?: (made: Made) => object;
  readonly status: number;
}

const ofBoard = ({ board }: Made) => `${BOARDS}/${board}`;
const ofChart = (made: Made) => `${ofBoard(made)}/charts/${made.chart}`;
const ofLink = (made: Made) => `${ofBoard(made)}/links/${made.link}`;
const ofSegment = ({ segment }: Made) => `${SEGMENTS}/${segment}`;

/** A request of every write of boards and segments, by its operation: a route without one fails the first test. */
const CASES: Readonly<Record<string, Case>> = {
  createBoard: { path: () => BOARDS, body: () => ({ title: "Once" }), status: 201 },
  changeBoard: { path: ofBoard, body: () => ({ title: "Changed", isPublic: true }), status: 200 },
  deleteBoard: { path: (made) => `${ofBoard(made)}?with_charts=true`, status: 200 },
  createChart: { path: (made) => `${ofBoard(made)}/charts`, body: () => CHART, status: 201 },
  replaceChart: { path: ofChart, body: () => ({ ...CHART, title: "Replaced" }), status: 200 },
  changeChart: { path: ofChart, body: () => ({ title: "Changed" }), status: 200 },
  reorderCharts: {
    path: (made) => `${ofBoard(made)}/charts/reorder`,
    body: ({ second }) => ({ chartIds: [second] }),
    status: 204,
  },
  moveChart: { path: (made) => `${ofChart(made)}/move`, body: ({ other }) => ({ targetBoardId: other }), status: 200 },
  duplicateChart: { path: (made) => `${ofChart(made)}/duplicate`, status: 201 },
  deleteChart: { path: ofChart, status: 200 },
  createBoardLink: { path: (made) => `${ofBoard(made)}/links`, body: () => ({ title: "Investors" }), status: 201 },
  changeBoardLink: { path: ofLink, body: () => ({ days: 30 }), status: 200 },
  revokeBoardLink: { path: ofLink, status: 200 },
  createSegment: { path: () => SEGMENTS, body: () => ({ title: "Once", filters: FILTERS }), status: 200 },
  changeSegment: { path: ofSegment, body: () => ({ title: "Changed" }), status: 200 },
  deleteSegment: { path: ofSegment, status: 200 },
};

const WRITES = defaultServers().api.routes.filter(
  (route) => /^\/v0\/(?:boards|segments)(?:\/|$)/.test(route.path) && "kind" in route && route.kind === "write",
);
const TABLES = ["boards", "charts", "board_links", "segments"] as const;

test("every write of boards and segments has its case of a repeated request", () => {
  assert.deepEqual(Object.keys(CASES).sort(), WRITES.map(({ operationId }) => operationId).sort());
});

for (const backend of ["sqlite", "postgres"] as const)
  describe(`repeated writes of boards and segments in ${backend}`, () => {
    let api: TestApi;
    let key: TestKey;
    before(async () => {
      api = await startApi(backend, {}, []);
      key = await api.createKey();
      await api.createProject(key.workspaceId, "App");
    });
    after(() => api.stop());

    const { call } = createCalls(() => ({ api, key }));
    const make = async (path: string, body: object): Promise<string> => {
      const answer = await call("POST", path, body);
      assert.ok(answer.ok, await answer.clone().text());
      return ((await answer.json()) as { id: string }).id;
    };
    const makeAll = async (): Promise<Made> => {
      const board = await make(BOARDS, { title: "Growth" });
      return {
        board,
        other: await make(BOARDS, { title: "Other" }),
        chart: await make(`${BOARDS}/${board}/charts`, CHART),
        second: await make(`${BOARDS}/${board}/charts`, CHART),
        link: await make(`${BOARDS}/${board}/links`, {}),
        segment: await make(SEGMENTS, { title: "Some", filters: FILTERS }),
      };
    };
    /** All that these routes write. */
    const readAll = async () => {
      const found = [];
      for (const table of TABLES)
        found.push(
          await api.store.read
            .selectFrom(table)
            .selectAll()
            .where("workspace_id", "=", key.workspaceId)
            .orderBy("id")
            .execute(),
        );
      return found;
    };

    for (const { operationId, method } of WRITES)
      test(`${operationId}: a retry gets the first answer and has no further effect`, async () => {
        const one = CASES[operationId];
        assert.ok(one, operationId);
        const made = await makeAll();
        const [path, body] = [one.path(made), one.body?.(made)];
        const headers = { "idempotency-key": newId("key") };
        const untouched = await readAll();
        const first = await call(method, path, body, headers);
        const text = await first.text();
        assert.equal(first.status, one.status, text);
        const written = await readAll();
        assert.notDeepEqual(written, untouched, "it writes something");
        const again = await call(method, path, body, headers);
        assert.deepEqual(
          [again.status, again.headers.get("idempotency-replayed"), await again.text()],
          [one.status, "true", text],
        );
        assert.deepEqual(await readAll(), written);
        if (body === undefined) return;
        const other = await call(method, path, { ...body, title: "Another" }, headers);
        await expectError(other, "plain", 400, "INVALID_IDEMPOTENCY_KEY");
      });
  });
