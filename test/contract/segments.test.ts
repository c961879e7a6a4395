import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { SEGMENT_LIMITS } from "../../src/contract/segments.ts";
import { deleteProject } from "../../src/control/tenants.ts";
import { newId } from "../../src/lib/ids.ts";
import { segmentRoutes } from "../../src/routes/segments/segments.ts";
import { startApi, type TestApi, type TestKey } from "../support/api.ts";
import { expectError } from "../support/envelope.ts";
import { addPerson, type TestPerson } from "../support/people.ts";
import { drawnStores } from "../support/stores.ts";

interface Segment {
  id: string;
  title: string;
  projectId: string;
  filters: object[];
  filterSet: string[];
  created_by: { id: string; name: string } | null;
  created_at: string;
  updated_at: string;
}

interface Page {
  data: Segment[];
  page: number;
  size: number;
  total: number;
  has_more: boolean;
}

const PATH = "/v0/segments";
const GERMANS = [{ field: "location", op: "eq", value: "DE" }];
const behaviours = (list: object[]) => Buffer.from(JSON.stringify(list)).toString("base64");
const SIGNERS = behaviours([{ event: "signature", operator: "gte", times: 1, preset: "last_30d" }]);

for (const backend of drawnStores(import.meta.filename)) {
  describe(`segments in ${backend}`, () => {
    let api: TestApi;
    let key: TestKey;
    let project: string;
    let editor: TestPerson & { userId: string };
    before(async () => {
      api = await startApi(backend);
      const { workspaceId } = await api.createKey();
      project = await api.createProject(workspaceId, "App");
      key = await api.createKey({ workspaceId, projectId: project });
      editor = await addPerson(api, workspaceId, "editor", `Grace ${backend}`);
    });
    after(() => api.stop());

    const call = (method: string, path: string, body?: object, text = key.text, headers = {}) =>
      fetch(`${api.apiUrl}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${text}`,
          ...(body ? { "content-type": "application/json" } : {}),
          ...headers,
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
    const save = async (body: object): Promise<Segment> => {
      const answer = await call("POST", PATH, { title: "Some", filters: GERMANS, ...body });
      assert.equal(answer.status, 200, await answer.clone().text());
      return (await answer.json()) as Segment;
    };
    const list = async (query = ""): Promise<Page> => (await (await call("GET", `${PATH}${query}`)).json()) as Page;

    test("POST answers 200 with the segment, which GET then answers, alone and in the list", async () => {
      const made = await save({ title: "  Germans " });
      assert.match(made.id, /^seg_/);
      const { created_at, updated_at, ...rest } = made;
      assert.deepEqual(rest, {
        id: made.id,
        title: "Germans",
        projectId: project,
        filters: GERMANS,
        filterSet: ["location::eq::DE"],
        created_by: null,
      });
      assert.ok(Math.abs(Date.parse(created_at) - Date.now()) < 60_000);
      assert.equal(updated_at, created_at);
      assert.deepEqual(await (await call("GET", `${PATH}/${made.id}`)).json(), made);
      assert.ok((await list()).data.some(({ id }) => id === made.id));
    });

    test("both request shapes say the same, and a value may hold the separator", async () => {
      const filters = [
        { field: "device", op: "in", value: "desktop|tablet" },
        { field: "page", op: "startsWith", value: "/a::b" },
        { field: "utm_source", op: "isEmpty" },
        { field: "revenue", op: "gte", value: "10" },
        { field: "events", op: "eq", value: SIGNERS },
        { field: "lifecycle", op: "neq", value: "churned" },
      ];
      const one = await save({ filters });
      const other = await save({ filters: undefined, filterSets: one.filterSet });
      assert.deepEqual(other.filters, one.filters);
      assert.deepEqual(one.filterSet, [
        "device::in::desktop|tablet",
        "page::startsWith::/a::b",
        "utm_source::isEmpty",
        "revenue::gte::10",
        `events::eq::${SIGNERS}`,
        "lifecycle::neq::churned",
      ]);
      const listed = await save({ filters: [{ field: "os", op: "nin", value: ["ios", "linux"] }] });
      assert.deepEqual(listed.filterSet, ["os::nin::ios|linux"]);
      const empty = await save({ filters: [{ field: "os", op: "notEmpty", value: { any: "thing" } }] });
      assert.deepEqual([empty.filters, empty.filterSet], [[{ field: "os", op: "notEmpty" }], ["os::notEmpty"]]);
    });

    test("conditions on properties of the same event are kept", async () => {
      const filters = [
        { field: "event", op: "eq", value: "Swap", filters: [{ field: "token", op: "eq", value: "ETH" }] },
      ];
      assert.deepEqual((await save({ filters })).filters, filters);
    });

    test("lists are pages, newest first, with and without a trailing slash", async () => {
      const own = await api.createProject(key.workspaceId, "Paged");
      const { text } = await api.createKey({ workspaceId: key.workspaceId, projectId: own });
      const made: string[] = [];
      for (const title of ["a", "b", "c"]) {
        const answer = await call("POST", `${PATH}/`, { title, filters: GERMANS }, text);
        made.push(((await answer.json()) as Segment).id);
      }
      const pages = await Promise.all(
        ["?size=2", "/?size=2&page=2", "?size=2&page=3"].map(
          async (query) => (await (await call("GET", `${PATH}${query}`, undefined, text)).json()) as Page,
        ),
      );
      const rest = pages.map(({ data, ...page }) => ({ ...page, ids: data.map(({ title }) => title).length }));
      assert.deepEqual(rest, [
        { page: 1, size: 2, total: 3, has_more: true, ids: 2 },
        { page: 2, size: 2, total: 3, has_more: false, ids: 1 },
        { page: 3, size: 2, total: 3, has_more: false, ids: 0 },
      ]);
      assert.deepEqual(new Set(pages.flatMap(({ data }) => data.map(({ id }) => id))), new Set(made));
      const defaults = (await (await call("GET", PATH, undefined, text)).json()) as Page;
      assert.deepEqual([defaults.page, defaults.size, defaults.total], [1, 100, 3]);
      for (const query of ["?size=0", "?size=201", "?page=0"])
        await expectError(await call("GET", `${PATH}${query}`), "plain", 400, "INVALID_VALIDATION_REQUEST");
    });

    test("PATCH renames, and replaces the filters in either shape", async () => {
      const { id } = await save({});
      const change = async (body: object) => (await (await call("PATCH", `${PATH}/${id}`, body)).json()) as Segment;
      assert.deepEqual((await change({ title: "Other" })).filters, GERMANS);
      const changed = await change({ filterSets: ["device::eq::mobile"] });
      assert.deepEqual([changed.title, changed.filters], ["Other", [{ field: "device", op: "eq", value: "mobile" }]]);
      await expectError(await call("PATCH", `${PATH}/${id}`, {}), "plain", 400, "INVALID_VALIDATION_REQUEST");
      const wrong = { filters: [{ field: "nope", op: "eq", value: 1 }] };
      await expectError(await call("PATCH", `${PATH}/${id}`, wrong), "plain", 400, "INVALID_VALIDATION_REQUEST");
      assert.deepEqual(await (await call("GET", `${PATH}/${id}`)).json(), changed);
    });

    test("DELETE answers 200 with null, and then the segment is gone for every route", async () => {
      const { id } = await save({});
      const deleted = await call("DELETE", `${PATH}/${id}`);
      assert.deepEqual([deleted.status, await deleted.text()], [200, "null"]);
      for (const method of ["GET", "DELETE"])
        await expectError(await call(method, `${PATH}/${id}`), "plain", 404, "NOT_FOUND");
      await expectError(await call("PATCH", `${PATH}/${id}`, { title: "x" }), "plain", 404, "NOT_FOUND");
      const asked = await call("GET", `/v0/top_chains?segment=${id}`);
      await expectError(asked, "plain", 404, "NOT_FOUND");
    });

    test("reports ask what the filters of the segment ask, beside their own", async () => {
      const { id } = await save({});
      const own = encodeURIComponent(JSON.stringify([{ field: "device", op: "eq", value: "desktop" }]));
      const both = encodeURIComponent(JSON.stringify([{ field: "device", op: "eq", value: "desktop" }, ...GERMANS]));
      const ask = async (query: string) =>
        ((await (await call("GET", `/v0/top_chains?date_to=2026-03-01&${query}`)).json()) as { query: object }).query;
      assert.deepEqual(await ask(`filters=${own}&segment=${id}`), await ask(`filters=${both}`));
      for (const path of ["/v0/live?", "/v0/distinct_values?field=event&"])
        assert.equal((await call("GET", `${path}segment=${id}`)).status, 200, path);
    });

    test("a segment with a field that only some reports have is refused by the others, by its name", async () => {
      const { id } = await save({ filters: [{ field: "lifecycle", op: "eq", value: "New" }] });
      assert.equal((await call("GET", `/v0/lifecycle?segment=${id}`)).status, 200);
      const refused = await expectError(
        await call("GET", `/v0/top_chains?segment=${id}`),
        "plain",
        400,
        "INVALID_VALIDATION_REQUEST",
      );
      assert.equal(refused.param, "query.segment.0.field");
    });

    test("a key needs segments:read to see them and segments:write to change them, which includes reading", async () => {
      const { id } = await save({});
      const keyOf = async (scopes: ("segments:read" | "segments:write" | "query:read" | "boards:write")[]) =>
        (await api.createKey({ workspaceId: key.workspaceId, projectId: project, scopes })).text;
      const table: [text: string, reads: boolean, writes: boolean][] = [
        [await keyOf(["segments:read"]), true, false],
        [await keyOf(["segments:write"]), true, true],
        [await keyOf(["query:read", "boards:write"]), false, false],
      ];
      for (const [text, reads, writes] of table) {
        for (const path of [PATH, `${PATH}/${id}`]) {
          const answer = await call("GET", path, undefined, text);
          if (reads) assert.equal(answer.status, 200);
          else await expectError(answer, "plain", 403, "FORBIDDEN");
        }
        const sent: [method: string, path: string, body?: object][] = [
          ["POST", PATH, { title: "x", filters: GERMANS }],
          ["PATCH", `${PATH}/${id}`, { title: "x" }],
          ["DELETE", `${PATH}/${(await save({})).id}`],
        ];
        for (const [method, path, body] of sent) {
          const answer = await call(method, path, body, text);
          if (writes) assert.equal(answer.status, 200);
          else await expectError(answer, "plain", 403, "FORBIDDEN");
        }
      }
    });

    test("what members save has their name, viewers only read, and the audit log notes each change", async () => {
      const body = { project_id: project, title: "By Grace", filters: GERMANS };
      const made = (await (await editor.send("POST", PATH, body)).json()) as Segment;
      assert.deepEqual(made.created_by, { id: editor.userId, name: `Grace ${backend}` });
      const viewer = await addPerson(api, key.workspaceId, "viewer");
      assert.equal((await viewer.send("GET", `${PATH}/${made.id}`)).status, 200);
      await expectError(await viewer.send("POST", PATH, body), "plain", 403, "FORBIDDEN");
      await editor.send("PATCH", `${PATH}/${made.id}`, { title: "By hand" });
      await editor.send("DELETE", `${PATH}/${made.id}`);
      const noted = await api.store.read
        .selectFrom("audit_log")
        .select(["action", "details"])
        .where("workspace_id", "=", key.workspaceId)
        .where("target", "=", made.id)
        .execute();
      assert.deepEqual(noted.map((one) => `${one.action} ${one.details}`).sort(), [
        'changeSegment {"title":"By hand"}',
        'createSegment {"title":"By Grace"}',
        'deleteSegment {"title":"By hand"}',
      ]);
    });

    test("a key of several projects names one, and a key of another project sees none", async () => {
      const { id } = await save({});
      const wide = (await api.createKey({ workspaceId: key.workspaceId })).text;
      const other = await api.createProject(key.workspaceId, "Other");
      const body = { title: "Where", filters: GERMANS };
      await expectError(await call("POST", PATH, body, wide), "plain", 400, "BAD_REQUEST");
      const made = (await (await call("POST", PATH, { ...body, project_id: other }, wide)).json()) as Segment;
      assert.equal(made.projectId, other);
      const ofOther = (await api.createKey({ workspaceId: key.workspaceId, projectId: other })).text;
      for (const path of [`${PATH}/${id}`, `/v0/top_chains?segment=${id}`])
        await expectError(await call("GET", path, undefined, ofOther), "plain", 404, "NOT_FOUND");
      const seen = (await (await call("GET", PATH, undefined, ofOther)).json()) as Page;
      assert.deepEqual(
        seen.data.map((one) => one.id),
        [made.id],
      );
      const asked = await call("GET", `/v0/top_chains?project_id=${other}&segment=${id}`, undefined, wide);
      await expectError(asked, "plain", 404, "NOT_FOUND");
    });

    const many = (count: number) => Array.from({ length: count }, () => GERMANS[0] ?? {});
    const wrong: [name: string, body: object, param: string][] = [
      ["no title", { title: undefined }, "body.title"],
      ["a title of spaces", { title: "  " }, "body.title"],
      ["a long title", { title: "t".repeat(SEGMENT_LIMITS.titleChars + 1) }, "body.title"],
      ["no filters", { filters: undefined }, "body.filters"],
      ["a filter that is null", { filters: [null] }, "body.filters.0"],
      ["a text of numbers", { filters: undefined, filterSets: [1] }, "body.filterSets.0"],
      ["an empty list", { filters: [] }, "body.filters"],
      ["too many filters", { filters: many(SEGMENT_LIMITS.filters + 1) }, "body.filters"],
      ["both shapes at once", { filterSets: ["device::eq::x"] }, "body.filterSets"],
      ["an unknown field", { filters: [{ field: "net_worth_usd", op: "gt", value: 1 }] }, "body.filters.0.field"],
      ["an unknown operator", { filters: [{ field: "device", op: "like", value: 1 }] }, "body.filters.0.op"],
      ["a missing value", { filters: [{ field: "device", op: "eq" }] }, "body.filters.0.value"],
      ["a key too many", { filters: [{ ...GERMANS[0], logic: "or" }] }, "body.filters.0.logic"],
      ["a stage that is none", { filters: [{ field: "lifecycle", op: "eq", value: "x" }] }, "body.filters.0.value"],
      [
        "behaviours that are no base64",
        { filters: [{ field: "events", op: "eq", value: "{}" }] },
        "body.filters.0.value",
      ],
      ["a text without an operator", { filters: undefined, filterSets: ["device"] }, "body.filterSets.0.op"],
      [
        "long filters",
        { filters: [{ field: "address", op: "in", value: Array.from({ length: 900 }, () => `0x${"a".repeat(40)}`) }] },
        "body.filters",
      ],
    ];
    test("whatever a report would refuse is refused when it is saved, at its place", async () => {
      for (const [name, body, param] of wrong) {
        const answer = await call("POST", PATH, { title: "x", filters: GERMANS, ...body });
        const error = await expectError(answer, "plain", 400, "INVALID_VALIDATION_REQUEST");
        assert.ok(Object.keys(error.details ?? {}).includes(param), `${name}: ${JSON.stringify(error)}`);
      }
    });

    test(`a project has at most ${SEGMENT_LIMITS.perProject}, and a deleted project has none`, async () => {
      const full = await api.createProject(key.workspaceId, "Full");
      const rows = Array.from({ length: SEGMENT_LIMITS.perProject }, () => ({
        id: newId("seg"),
        workspace_id: key.workspaceId,
        project_id: full,
        title: "n",
        filters: "[]",
        created_by: null,
        created_at: 0,
        updated_at: 0,
      }));
      await api.store.write((tx) => tx.insertInto("segments").values(rows).execute());
      const { text } = await api.createKey({ workspaceId: key.workspaceId, projectId: full });
      const answer = await call("POST", PATH, { title: "One more", filters: GERMANS }, text);
      await expectError(answer, "plain", 400, "BAD_REQUEST");
      await api.store.write((tx) => deleteProject(tx, key.workspaceId, full, Date.now()));
      const left = await api.store.read.selectFrom("segments").select("id").where("project_id", "=", full).execute();
      assert.deepEqual(left, []);
    });
  });
}

describe("a segment that charts use", () => {
  let api: TestApi;
  let key: TestKey;
  const charts = [
    { id: "cht_1", title: "Growth" },
    { id: "cht_2", title: "Revenue" },
  ];
  /** Beside the real routes, under another path. */
  const links = [{ id: "lnk_1", title: "Investors of Growth" }];
  const routes = segmentRoutes({ findSegmentUsers: async () => ({ charts, links }) })
    .filter(({ method }) => method === "DELETE")
    .map((route) => ({ ...route, path: route.path.replace("/v0/segments", "/v0/used_segments") }));
  before(async () => {
    api = await startApi("sqlite", {}, routes);
    const { workspaceId } = await api.createKey();
    key = await api.createKey({ workspaceId, projectId: await api.createProject(workspaceId, "App") });
  });
  after(() => api.stop());

  const call = (method: string, path: string, body?: object) =>
    fetch(`${api.apiUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${key.text}`, ...(body ? { "content-type": "application/json" } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });

  test("is deleted only by force, and the answers name the charts", async () => {
    const made = (await (await call("POST", PATH, { title: "Used", filters: GERMANS })).json()) as Segment;
    const refused = await expectError(
      await call("DELETE", `/v0/used_segments/${made.id}`),
      "plain",
      400,
      "BAD_REQUEST",
    );
    assert.match(
      refused.message,
      /^2 charts and 1 link "Growth" \(cht_1\), "Revenue" \(cht_2\), "Investors of Growth" \(lnk_1\) .* force=true/,
    );
    assert.equal((await call("GET", `${PATH}/${made.id}`)).status, 200);
    const forced = await call("DELETE", `/v0/used_segments/${made.id}?force=true`);
    assert.deepEqual([forced.status, await forced.json()], [200, { charts, links }]);
    await expectError(await call("GET", `${PATH}/${made.id}`), "plain", 404, "NOT_FOUND");
  });
});
