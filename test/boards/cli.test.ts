import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { runCli } from "../../src/cli/cli.ts";
import { newId } from "../../src/lib/ids.ts";
import { startApi, TEST_SECRET, type TestApi, type TestKey } from "../support/api.ts";

interface Board {
  id: string;
  title: string;
  charts: number;
  enabled: boolean;
}

describe("sextant boards", () => {
  let api: TestApi;
  let key: TestKey;
  const file = join(tmpdir(), `${newId("board")}.json`);
  before(async () => {
    api = await startApi("sqlite", {}, []);
    key = await api.createKey();
    await api.createProject(key.workspaceId, "App");
  });
  after(async () => {
    rmSync(file, { force: true });
    await api.stop();
  });

  const get = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const answer = await fetch(`${api.apiUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${key.text}`, ...(body ? { "content-type": "application/json" } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    assert.ok(answer.ok, await answer.clone().text());
    return (await answer.json()) as T;
  };

  async function run(args: readonly string[], input = "") {
    const [out, err]: [string[], string[]] = [[], []];
    const unused = () => Promise.reject(new Error("not for this command"));
    const code = await runCli(args, {
      open: async () => ({ store: api.store, secret: TEST_SECRET, close: async () => undefined }),
      openEvents: unused,
      backup: unused,
      restore: unused,
      examine: unused,
      sendTestMail: unused,
      serve: unused,
      apiUrl: () => "https://boards.example",
      eventsUrl: () => undefined,
      clock: { nowMs: () => Date.now() },
      readStdin: async () => input,
      out: (text) => void out.push(text),
      err: (text) => void err.push(text),
      version: "0",
    });
    return { code, out: out.join(""), err: err.join("") };
  }

  test("what export prints is what import makes, of every template and with every field", async () => {
    const filters = [{ field: "device", op: "eq", value: "desktop" }];
    const segment = await get<{ id: string }>("POST", "/v0/segments", { title: "s", filters });
    for (const template of ["growth", "revenue", "defi", "retention"]) {
      const { id } = await get<Board>("POST", "/v0/boards", { template, isPublic: template === "defi" });
      const chart = { chart_type: "table", title: "Ä", description: "d", report: "kpis", params: { limit: 3 } };
      const settings = { layout: { width: 2 }, segments: [segment.id], own: [1, null, "x"] };
      await get("POST", `/v0/boards/${id}/charts`, { ...chart, settings });
      const exported = await run(["boards", "export", id]);
      assert.equal(exported.code, 0, exported.err);
      writeFileSync(file, exported.out);
      const made = await run(["--json", "boards", "import", file]);
      assert.equal(made.code, 0, made.err);
      const { id: copy } = JSON.parse(made.out) as Board;
      assert.equal((await run(["boards", "export", copy])).out, exported.out);
      const [one, other] = [await get<Board>("GET", `/v0/boards/${id}`), await get<Board>("GET", `/v0/boards/${copy}`)];
      assert.deepEqual(
        [other.title, other.charts, other.enabled],
        [one.title, one.charts, false],
        "nobody asked for a link",
      );
      const fromInput = await run(["boards", "import"], exported.out);
      assert.match(fromInput.out, /^Created board brd_/);
    }
    const { out } = await run(["boards", "list"]);
    assert.match(out, /TITLE/);
    assert.equal((JSON.parse((await run(["--json", "boards", "list"])).out) as unknown[]).length, 12);
  });

  test("segments that the project lacks are refused by the chart, or left out", async () => {
    const gone = newId("seg");
    const compared = { report: "kpis", x_axis: "date", y_axis: ["visitors"], settings: { segments: [gone] } };
    const charts: Record<string, unknown>[] = [
      { chart_type: "table", title: "Kept", report: "top_sources" },
      {
        chart_type: "bar",
        title: "Limited",
        report: "top_sources",
        x_axis: "source",
        y_axis: ["hits"],
        params: { limit: 3, segment: gone },
      },
      { chart_type: "stacked", title: "Stack", ...compared, group_by: "segment" },
      { chart_type: "line", title: "Lines", ...compared, group_by: "segment" },
      { chart_type: "retention", title: "Return", settings: { segment: gone, layout: { width: 2 } } },
    ];
    for (const [at, chart] of charts.entries()) {
      const input = JSON.stringify({ sextant_board: 1, title: "t", charts: [charts[0], chart] });
      const { code, err } = await run(["boards", "import"], input);
      if (at === 0) assert.equal(code, 0, err);
      else
        assert.deepEqual([code, err.includes(`Chart 2: There is no segment ${gone}; --without-segments`)], [1, true]);
    }
    const all = JSON.stringify({ sextant_board: 1, title: "t", charts });
    const made = await run(["--json", "boards", "import", "-", "--without-segments"], all);
    assert.equal(made.code, 0, made.err);
    const exported = JSON.parse((await run(["boards", "export", (JSON.parse(made.out) as Board).id])).out) as {
      charts: unknown[];
    };
    const alone = { report: "kpis", x_axis: "date", y_axis: ["visitors"], settings: {} };
    assert.deepEqual(exported.charts, [
      charts[0],
      { ...charts[1], params: { limit: 3 } },
      { chart_type: "bar", title: "Stack", ...alone },
      { chart_type: "line", title: "Lines", ...alone },
      { chart_type: "retention", title: "Return", settings: { layout: { width: 2 } } },
    ]);
  });

  test("a file that is no board is refused by field, and nothing is made", async () => {
    const before_ = (JSON.parse((await run(["--json", "boards", "list"])).out) as unknown[]).length;
    const right = { sextant_board: 1, title: "t", charts: [] };
    const cases: [string, RegExp][] = [
      ["{", /not valid JSON/],
      [JSON.stringify({ ...right, sextant_board: 2 }), /board.sextant_board must be 1/],
      [JSON.stringify({ ...right, more: 1 }), /board.more is not a known field/],
      [
        JSON.stringify({ ...right, charts: [{ chart_type: "x", title: "t" }] }),
        /board.charts.0.chart_type must be one of/,
      ],
      [JSON.stringify({ ...right, charts: [{ chart_type: "funnel", title: "t" }] }), /Chart 1: Funnel chart must have/],
      [
        JSON.stringify({ ...right, charts: [{ chart_type: "bar", title: "t", query: "SELECT 1" }] }),
        /must have an x_axis/,
      ],
    ];
    for (const [input, message] of cases) {
      const { code, err } = await run(["boards", "import", "-"], input);
      assert.equal(code, 1);
      assert.match(err, message);
    }
    assert.equal((JSON.parse((await run(["--json", "boards", "list"])).out) as unknown[]).length, before_);
    const unknown = await run(["boards", "export", newId("brd")]);
    assert.deepEqual([unknown.code, /has no board/.test(unknown.err)], [1, true]);
  });
});
