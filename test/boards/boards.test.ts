import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { findChartsOfSegment } from "../../src/boards/chart-segments.ts";
import { BOARD_LIMITS } from "../../src/contract/boards.ts";
import { deleteProject } from "../../src/control/tenants.ts";
import { newId } from "../../src/lib/ids.ts";
import { startApi, type TestApi, type TestKey } from "../support/api.ts";
import { createCalls } from "../support/calls.ts";
import { expectError } from "../support/envelope.ts";
import { addPerson } from "../support/people.ts";
import { drawnStores } from "../support/stores.ts";

interface Board {
  id: string;
  project_id: string;
  title: string;
  description: string | null;
  enabled: boolean;
  charts: number;
  created_at: string;
  updated_at: string | null;
}

interface Page<T> {
  data: T[];
  page: number;
  size: number;
  total: number;
  has_more: boolean;
}

const PATH = "/v0/boards";
const FILTER = { field: "device", op: "eq", value: "desktop" };
/** Needs no engine: the stand-in answers a report without columns. */
const CHART = { chart_type: "table", title: "Sources", report: "top_sources" };

for (const backend of drawnStores(import.meta.filename)) {
  describe(`boards in ${backend}`, () => {
    let api: TestApi;
    let key: TestKey;
    let project: string;
    before(async () => {
      api = await startApi(backend, {}, []);
      key = await api.createKey();
      project = await api.createProject(key.workspaceId, "App");
    });
    after(() => api.stop());

    const { call, get } = createCalls(() => ({ api, key }));
    const create = (body: object = { title: "Growth" }) => get<Board>("POST", PATH, body, 201);
    const addChart = (board: string, title: string) =>
      get<{ id: string }>("POST", `${PATH}/${board}/charts`, { ...CHART, title }, 201);

    test("one is created, shown, changed and deleted, with and without a slash at the end", async () => {
      const made = await get<Board>("POST", `${PATH}/`, { title: " Growth ", description: "Who comes" }, 201);
      assert.match(made.id, /^brd_/);
      assert.deepEqual(made, {
        id: made.id,
        project_id: project,
        title: "Growth",
        description: "Who comes",
        enabled: false,
        charts: 0,
        created_at: made.created_at,
        updated_at: null,
      });
      assert.deepEqual(await get("GET", `${PATH}/${made.id}/`), made);
      const changed = await get<Board>("PATCH", `${PATH}/${made.id}`, { isPublic: true, description: null });
      assert.deepEqual([changed.enabled, changed.description, changed.title], [true, null, "Growth"]);
      assert.ok(changed.updated_at);
      assert.deepEqual(await get("DELETE", `${PATH}/${made.id}`), changed);
      await expectError(await call("GET", `${PATH}/${made.id}`), "plain", 404, "NOT_FOUND");
    });

    test("a list has pages, newest first", async () => {
      const own = await api.createKey();
      const of = await api.createProject(own.workspaceId, "Paged");
      const bearer = { authorization: `Bearer ${own.text}` };
      const ids: string[] = [];
      for (const title of ["a", "b", "c"])
        ids.push(((await (await call("POST", PATH, { title }, bearer)).json()) as Board).id);
      const list = async (query: string) =>
        (await (await call("GET", `${PATH}/${query}`, undefined, bearer)).json()) as Page<Board>;
      const all = await list("");
      assert.deepEqual([all.page, all.size, all.total, all.has_more], [1, 100, 3, false]);
      assert.deepEqual(all.data.map(({ id }) => id).sort(), [...ids].sort());
      assert.ok(all.data.every(({ project_id }) => project_id === of));
      const first = await list("?size=2");
      const second = await list("?size=2&page=2");
      assert.deepEqual([first.data.length, first.has_more, second.data.length, second.has_more], [2, true, 1, false]);
      assert.deepEqual([...first.data, ...second.data], all.data);
      for (const query of ["?size=0", "?size=201", "?page=0", "?page=x"])
        await expectError(
          await call("GET", `${PATH}${query}`, undefined, bearer),
          "plain",
          400,
          "INVALID_VALIDATION_REQUEST",
        );
    });

    test("a board that has charts is not deleted, unless that is wanted", async () => {
      const board = await create();
      await addChart(board.id, "One");
      const one = await expectError(await call("DELETE", `${PATH}/${board.id}`), "plain", 400, "BAD_REQUEST");
      assert.match(one.message, /has 1 chart:/);
      await addChart(board.id, "Two");
      const two = await expectError(await call("DELETE", `${PATH}/${board.id}`), "plain", 400, "BAD_REQUEST");
      assert.match(two.message, /has 2 charts:/);
      const gone = await get<Board>("DELETE", `${PATH}/${board.id}?with_charts=true`);
      assert.equal(gone.charts, 2);
      const left = await api.store.read.selectFrom("charts").select("id").where("board_id", "=", board.id).execute();
      assert.deepEqual(left, []);
    });

    test(`a project has at most ${BOARD_LIMITS.perProject} boards, and a deleted one none`, async () => {
      const full = await api.createProject((await api.createKey()).workspaceId, "Full");
      const { workspace_id } = await api.store.read
        .selectFrom("projects")
        .select("workspace_id")
        .where("id", "=", full)
        .executeTakeFirstOrThrow();
      const rows = Array.from({ length: BOARD_LIMITS.perProject }, () => ({
        id: newId("brd"),
        workspace_id,
        project_id: full,
        title: "t",
        description: null,
        created_by: null,
        created_at: 0,
        updated_at: null,
      }));
      await api.store.write((tx) => tx.insertInto("boards").values(rows).execute());
      const { text } = await api.createKey({ workspaceId: workspace_id });
      const bearer = { authorization: `Bearer ${text}` };
      const failure = await expectError(await call("POST", PATH, { title: "t" }, bearer), "plain", 400, "BAD_REQUEST");
      assert.match(failure.message, /at most 100 boards/);
      await api.store.write((tx) => deleteProject(tx, workspace_id, full, Date.now()));
      const left = await api.store.read.selectFrom("boards").select("id").where("project_id", "=", full).execute();
      assert.deepEqual(left, []);
    });

    test(`a board has at most ${BOARD_LIMITS.charts} charts, also by copies and moves`, async () => {
      const [board, other] = [await create(), await create()];
      const { id } = await addChart(board.id, "First");
      const stray = await addChart(other.id, "Stray");
      const row = await api.store.read.selectFrom("charts").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
      const rows = Array.from({ length: BOARD_LIMITS.charts - 1 }, (_, n) => ({
        ...row,
        id: newId("cht"),
        position: n + 1,
      }));
      await api.store.write((tx) => tx.insertInto("charts").values(rows).execute());
      for (const answer of [
        await call("POST", `${PATH}/${board.id}/charts`, CHART),
        await call("POST", `${PATH}/${board.id}/charts/${id}/duplicate`),
        await call("PUT", `${PATH}/${other.id}/charts/${stray.id}/move`, { targetBoardId: board.id }),
      ])
        assert.match((await expectError(answer, "plain", 400, "BAD_REQUEST")).message, /at most 60 charts/);
    });

    test("charts are arranged, moved, copied and deleted", async () => {
      const [board, other] = [await create(), await create()];
      const path = `${PATH}/${board.id}/charts`;
      const [a, b, c] = [await addChart(board.id, "a"), await addChart(board.id, "b"), await addChart(board.id, "c")];
      const order = async (id = board.id) =>
        (await get<Page<{ title: string }>>("GET", `${PATH}/${id}/charts/`)).data.map(({ title }) => title);
      assert.deepEqual(await order(), ["a", "b", "c"]);
      const reordered = await call("PUT", `${path}/reorder`, { chartIds: [c.id] });
      assert.deepEqual([reordered.status, await reordered.text()], [204, ""]);
      assert.deepEqual(await order(), ["c", "a", "b"]);
      for (const chartIds of [[a.id, a.id], [a.id, newId("cht")], ["x"]])
        await expectError(await call("PUT", `${path}/reorder`, { chartIds }), "plain", 400, "BAD_REQUEST");
      await expectError(
        await call("PUT", `${path}/reorder`, { chartIds: [] }),
        "plain",
        400,
        "INVALID_VALIDATION_REQUEST",
      );
      const moved = await get<{ board_id: string }>("PUT", `${path}/${a.id}/move`, { targetBoardId: other.id });
      assert.equal(moved.board_id, other.id);
      assert.deepEqual([await order(), await order(other.id)], [["c", "b"], ["a"]]);
      await expectError(
        await call("PUT", `${path}/${b.id}/move`, { targetBoardId: board.id }),
        "plain",
        400,
        "BAD_REQUEST",
      );
      await expectError(
        await call("PUT", `${path}/${b.id}/move`, { targetBoardId: newId("brd") }),
        "plain",
        404,
        "NOT_FOUND",
      );
      await expectError(
        await call("PUT", `${path}/${a.id}/move`, { targetBoardId: other.id }),
        "plain",
        404,
        "NOT_FOUND",
      );
      const copy = await get<string>("POST", `${path}/${b.id}/duplicate`, undefined, 201);
      assert.match(copy, /^cht_/);
      assert.deepEqual(await order(), ["c", "b", "b"]);
      const deleted = await call("DELETE", `${path}/${copy}`);
      assert.deepEqual([deleted.status, await deleted.text()], [200, ""]);
      await expectError(await call("DELETE", `${path}/${copy}`), "plain", 404, "NOT_FOUND");
      assert.deepEqual(await order(), ["c", "b"]);
    });

    test("a summary has neither question nor answer, by either path", async () => {
      const board = await create();
      const { id } = await addChart(board.id, "Only");
      const listed = await get<Page<Record<string, unknown>>>("GET", `${PATH}/${board.id}/charts?include=meta`);
      assert.deepEqual(Object.keys(listed), ["data", "page", "size", "total", "has_more"]);
      assert.deepEqual(Object.keys(listed.data[0] ?? {}), [
        "id",
        "project_id",
        "board_id",
        "chart_type",
        "title",
        "description",
        "position",
        "created_at",
        "updated_at",
      ]);
      assert.deepEqual(await get("GET", `${PATH}/${board.id}/charts/meta/`), listed);
      assert.deepEqual(await get("GET", `${PATH}/${board.id}/charts`), listed);
      const whole = await get<Record<string, unknown>>("GET", `${PATH}/${board.id}/charts/${id}`);
      assert.deepEqual([whole.report, whole.query, whole.params, whole.steps], ["top_sources", null, null, null]);
    });

    test("the charts that use a segment are found", async () => {
      const board = await create();
      const path = `${PATH}/${board.id}/charts`;
      const add = (title: string, fields: object) =>
        get<{ id: string }>("POST", path, { ...CHART, title, ...fields }, 201);
      const filters = [FILTER];
      const make = () => get<{ id: string }>("POST", "/v0/segments", { title: "s", filters, project_id: project });
      const [{ id }, other] = [await make(), await make()];
      const compared = await add("Compared", { settings: { segments: [other.id, id] } });
      const limited = await add("Limited", { params: { segment: id } });
      const paths = { chart_type: "retention", report: undefined, settings: { segment: id } };
      const limitedOwn = await add("Limited, with a question of its own", paths);
      await add("Named alike", { settings: { segments: [other.id], note: `"${id}"` } });
      await add("Without", {});
      const absent = await call("POST", path, { ...CHART, params: { segment: newId("seg") } });
      assert.equal((await expectError(absent, "plain", 404, "NOT_FOUND")).param, "body.params.segment");
      assert.deepEqual(await findChartsOfSegment(api.store.read, key.workspaceId, { id, projectId: project }), [
        { id: compared.id, title: "Compared" },
        { id: limited.id, title: "Limited" },
        { id: limitedOwn.id, title: "Limited, with a question of its own" },
      ]);
      // No chart of another project can name it: those are not read.
      const elsewhere = { id, projectId: await api.createProject((await api.createKey()).workspaceId, "Elsewhere") };
      assert.deepEqual(await findChartsOfSegment(api.store.read, key.workspaceId, elsewhere), []);
      const { workspaceId } = await api.createKey();
      assert.deepEqual(await findChartsOfSegment(api.store.read, workspaceId, { id, projectId: project }), []);
    });

    test("what is wrong with a request is told by field", async () => {
      const board = await create();
      const wrong: [string, string, unknown, string][] = [
        ["POST", PATH, {}, "body.title"],
        ["POST", PATH, { title: " " }, "body.title"],
        ["POST", PATH, { title: "t".repeat(201) }, "body.title"],
        ["POST", PATH, { title: "t", description: "\u0000" }, "body.description"],
        ["PATCH", `${PATH}/${board.id}`, {}, "body"],
        ["PATCH", `${PATH}/${board.id}`, undefined, "body"],
        ["POST", PATH, undefined, "body.title"],
        ["POST", `${PATH}/${board.id}/charts`, undefined, "body"],
        ["POST", `${PATH}/${board.id}/charts`, { chart_type: "radar", title: "t" }, "body.chart_type"],
        ["POST", `${PATH}/${board.id}/charts`, { chart_type: "table" }, "body.title"],
        ["POST", `${PATH}/${board.id}/charts`, { ...CHART, report: "nothing" }, "body.report"],
        [
          "POST",
          `${PATH}/${board.id}/charts`,
          { ...CHART, settings: { layout: { width: 5 } } },
          "body.settings.layout.width",
        ],
        ["POST", `${PATH}/${board.id}/charts`, { ...CHART, settings: { segments: ["x"] } }, "body.settings.segments.0"],
        ["PATCH", `${PATH}/${board.id}/charts/cht_1`, {}, "body"],
        [
          "PATCH",
          `${PATH}/${board.id}/charts/cht_1`,
          { settings: { layout: { width: 5 } } },
          "body.settings.layout.width",
        ],
      ];
      for (const [method, path, body, field] of wrong) {
        const { details = {} } = await expectError(
          await call(method, path, body),
          "plain",
          400,
          "INVALID_VALIDATION_REQUEST",
        );
        assert.ok(field in details, `${JSON.stringify(body)}: ${JSON.stringify(details)}`);
      }
      await expectError(await call("POST", PATH, { template: "nothing" }), "plain", 400, "BAD_REQUEST");
    });

    test("reading needs boards:read, and writing boards:write", async () => {
      const board = await create();
      const { id } = await addChart(board.id, "Kept");
      const path = `${PATH}/${board.id}/charts`;
      const reads = [PATH, `${PATH}/templates`, `${PATH}/${board.id}`, path, `${path}/meta`, `${path}/${id}`].map(
        (one): [string, string, unknown] => ["GET", one, undefined],
      );
      reads.push(["GET", `${path}/${id}/query?dateFrom=2026-01-01&dateTo=2026-01-02`, undefined]);
      const writes: [string, string, unknown][] = [
        ["POST", PATH, { title: "t" }],
        ["PATCH", `${PATH}/${board.id}`, { title: "t" }],
        ["DELETE", `${PATH}/${board.id}`, undefined],
        ["POST", path, CHART],
        ["POST", `${path}/preview`, CHART],
        ["PUT", `${path}/reorder`, { chartIds: [id] }],
        ["PUT", `${path}/${id}`, CHART],
        ["PATCH", `${path}/${id}`, { title: "t" }],
        ["PUT", `${path}/${id}/move`, { targetBoardId: board.id }],
        ["POST", `${path}/${id}/duplicate`, undefined],
        ["DELETE", `${path}/${id}`, undefined],
      ];
      const [none, reader] = [
        await api.createKey({ workspaceId: key.workspaceId, scopes: ["query:read", "forms:write"] }),
        await api.createKey({ workspaceId: key.workspaceId, scopes: ["boards:read"] }),
      ];
      for (const [method, one, body] of reads) {
        const bearer = { authorization: `Bearer ${none.text}` };
        const failure = await expectError(await call(method, one, body, bearer), "plain", 403, "FORBIDDEN");
        assert.match(failure.message, /boards:read/);
        const answer = await call(method, one, body, { authorization: `Bearer ${reader.text}` });
        assert.equal(answer.status, 200, await answer.text());
      }
      for (const [method, one, body] of writes) {
        const bearer = { authorization: `Bearer ${reader.text}` };
        const failure = await expectError(await call(method, one, body, bearer), "plain", 403, "FORBIDDEN");
        assert.match(failure.message, /boards:write/);
      }
    });

    test("a key of another project sees none, and what members change is in the audit log", async () => {
      const own = await api.createKey();
      const [one, two] = [
        await api.createProject(own.workspaceId, "One"),
        await api.createProject(own.workspaceId, "Two"),
      ];
      const editor = await addPerson(api, own.workspaceId, "editor", `Grace ${backend}`);
      const made = (await (await editor.send("POST", PATH, { title: "Seen", project_id: one })).json()) as Board;
      const chart = (await (await editor.send("POST", `${PATH}/${made.id}/charts`, CHART)).json()) as { id: string };
      assert.equal((await editor.send("PATCH", `${PATH}/${made.id}`, { isPublic: true })).status, 200);
      const listed = (await (await editor.send("GET", `${PATH}/${made.id}/links`)).json()) as {
        data: { id: string }[];
      };
      const links = listed.data.map(({ id }) => id);
      const renamed = await editor.send("PATCH", `${PATH}/${made.id}/charts/${chart.id}`, { title: "Ways" });
      assert.equal(renamed.status, 200);
      assert.equal((await editor.send("DELETE", `${PATH}/${made.id}/charts/${chart.id}`)).status, 200);
      const { text } = await api.createKey({ workspaceId: own.workspaceId, projectId: two });
      const bearer = { authorization: `Bearer ${text}` };
      await expectError(await call("GET", `${PATH}/${made.id}`, undefined, bearer), "plain", 404, "NOT_FOUND");
      assert.equal(((await (await call("GET", PATH, undefined, bearer)).json()) as Page<Board>).total, 0);
      const whole = { authorization: `Bearer ${own.text}` };
      const other = (await (await call("POST", PATH, { title: "Other" }, bearer)).json()) as Board;
      const list = async (query: string) =>
        ((await (await call("GET", `${PATH}${query}`, undefined, whole)).json()) as Page<Board>).data.map(
          ({ id }) => id,
        );
      assert.deepEqual((await list("")).sort(), [made.id, other.id].sort(), "all projects, as lists of segments");
      assert.deepEqual([await list(`?project_id=${one}`), await list(`?project_id=${two}`)], [[made.id], [other.id]]);
      const unnamed = await call("POST", PATH, { title: "t" }, whole);
      assert.equal((await expectError(unnamed, "plain", 400, "BAD_REQUEST")).param, "body.project_id");
      for (const path of [PATH, "/v0/segments"]) {
        const body = { title: "t", project_id: newId("prj"), ...(path === PATH ? {} : { filters: [FILTER] }) };
        const absent = await expectError(await call("POST", path, body, whole), "plain", 404, "NOT_FOUND");
        assert.equal(absent.param, "body.project_id", path);
        const asked = await call("GET", `${path}?project_id=${newId("prj")}`, undefined, whole);
        assert.equal((await expectError(asked, "plain", 404, "NOT_FOUND")).param, "query.project_id", path);
        assert.equal((await call("GET", `${path}?page=100000`, undefined, whole)).status, 200, path);
      }
      const noted = await api.store.read
        .selectFrom("audit_log")
        .select(["action", "target", "details"])
        .where("workspace_id", "=", own.workspaceId)
        .orderBy("action")
        .execute();
      assert.deepEqual(
        noted.map(({ action, target, details }) => [action, target, JSON.parse(details) as unknown]),
        [
          ["changeBoard", made.id, { title: "Seen", isPublic: true, links }],
          ["changeChart", chart.id, { title: "Ways", chart_type: "table", board: made.id }],
          ["createBoard", made.id, { title: "Seen" }],
          ["createChart", chart.id, { title: "Sources", chart_type: "table", board: made.id }],
          ["deleteChart", chart.id, { title: "Ways", chart_type: "table", board: made.id }],
        ],
      );
    });
  });
}
