import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { runCli } from "../../src/cli/cli.ts";
import type { FormView } from "../../src/contract/forms.ts";
import { startApi, TEST_SECRET, type TestApi, type TestKey } from "../support/api.ts";
import {
  callApi,
  EVERY_ANSWER,
  EVERY_FIELD,
  EVERY_ITEM,
  pageToken,
  pollItems,
  postPage,
  sendJson,
} from "../support/forms.ts";

describe("sextant forms", () => {
  let api: TestApi;
  let key: TestKey;
  const file = join(tmpdir(), "everything.json");
  before(async () => {
    api = await startApi("sqlite", {}, []);
    key = await api.createKey();
    writeFileSync(file, JSON.stringify(EVERY_FIELD));
  });
  after(async () => {
    rmSync(file);
    await api.stop();
  });

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
      apiUrl: () => "https://forms.example",
      eventsUrl: () => undefined,
      clock: { nowMs: () => Date.now() },
      readStdin: async () => input,
      out: (text) => void out.push(text),
      err: (text) => void err.push(text),
      version: "0",
    });
    return { code, out: out.join(""), err: err.join("") };
  }
  async function json<T>(args: readonly string[], input = ""): Promise<T> {
    const done = await run(["--json", ...args], input);
    assert.equal(done.code, 0, done.err);
    return JSON.parse(done.out) as T;
  }

  test("create reads a file or standard input; list, show, delete and the API know the form", async () => {
    const made = await json<FormView>(["forms", "create", file]);
    assert.equal(made.url, `https://forms.example/f/${made.id}`);
    const typed = await run(["forms", "create"], JSON.stringify(EVERY_FIELD));
    assert.match(typed.out, /^Created form frm_\w+ \(Everything we ask\)\.\n\n {2}https:\/\/forms\.example\/f\/frm_/);
    assert.match(typed.out, /^x_handle +social +no +X handle +-$/m);
    const listed = await json<{ id: string }[]>(["forms", "list"]);
    assert.equal(listed.length, 2);
    const shown = await json<FormView & { submissions: number }>(["forms", "show", made.id]);
    assert.deepEqual([shown.fields, shown.submissions], [made.fields, 0]);
    assert.equal((await callApi(api, key, "GET", `/api/forms/${made.id}`)).status, 200);
    assert.match((await run(["forms", "delete", made.id])).out, /^Deleted form/);
    assert.equal((await callApi(api, key, "GET", `/api/forms/${made.id}`)).status, 404);
    assert.equal((await json<unknown[]>(["forms", "list"])).length, 1);
  });

  test("submissions are shown as text or JSON, with suspected spam on request", async () => {
    const form = await json<FormView>(["forms", "create", file]);
    assert.match((await run(["forms", "submissions", form.id])).out, /^There is no submission here\.\n$/);
    await sendJson(api, form.id, { ...EVERY_ANSWER, biography: "\u001b[31mred\nline" });
    await postPage(api, form.id, [
      ...["name", "email", "country", "wallet"].map((name): [string, string] => [name, nestedText(name)]),
      ["rating", "1"],
      ["i_agree", "true"],
      ["_homepage", "x"],
      ["_token", pageToken(form.id)],
    ]);
    const found = await json<Record<string, unknown>[]>(["forms", "submissions", form.id]);
    assert.deepEqual(found, await pollItems(api, key, form.id));
    assert.partialDeepStrictEqual(found[0], { name: EVERY_ITEM.name, country: EVERY_ITEM.country });
    const { out } = await run(["forms", "submissions", form.id]);
    assert.match(out, /^ {2}interests +DeFi & staking, Games$/m);
    assert.match(out, /^ {2}biography +\[31mred line$/m);
    assert.match(out, /1 of 1\n$/);
    const spam = await json<{ spamReason: string }[]>(["forms", "submissions", form.id, "--spam"]);
    assert.deepEqual(
      spam.map((one) => one.spamReason),
      ["honeypot"],
    );
    assert.match((await run(["forms", "show", form.id])).out, /submissions {2}1, and 1 suspected of spam/);
  });

  test("a page too large for one response is refused with the limit and page to use, not shown in part", async () => {
    const form = await json<FormView>(["forms", "create", file]);
    const item = JSON.stringify({ biography: "a".repeat(5_000_000) });
    const place = { workspace_id: key.workspaceId, form_id: form.id, token_hash: null, spam: 0, spam_reason: null };
    const rows = [1, 2, 3].map((at) => ({ ...place, id: `sub_large${at}`, item, submitted_at: at }));
    await api.store.write((tx) => tx.insertInto("submissions").values(rows).execute());
    const refused = await run(["--json", "forms", "submissions", form.id]);
    assert.notEqual(refused.code, 0);
    assert.match(refused.err, /try --limit 1 --page 1/);
    const shown = await json<{ id: string }[]>(["forms", "submissions", form.id, "--limit", "1", "--page", "2"]);
    assert.deepEqual(
      shown.map(({ id }) => id),
      ["sub_large2"],
    );
  });

  function nestedText(name: string): string {
    const value = EVERY_ANSWER[name as "name" | "wallet"];
    return typeof value === "string" ? value : value.address;
  }

  const mistakes: [string, string[], string, RegExp][] = [
    ["a file that is not there", ["forms", "create", "/nowhere.json"], "", /cannot read \/nowhere\.json/],
    ["no JSON", ["forms", "create"], "{", /the form is not valid JSON/],
    ["a wrong shape", ["forms", "create"], '{"title":"T"}', /the form cannot be used:\n.*fields/s],
    [
      "a wrong rule",
      ["forms", "create"],
      '{"title":"T","fields":[{"label":"A","type":"select"}]}',
      /fields\/0\/options must have at least 1 item/,
    ],
    ["an unknown form", ["forms", "show", "frm_x"], "", /the workspace has no form frm_x/],
    ["an unknown form to delete", ["forms", "delete", "frm_x"], "", /the workspace has no form frm_x/],
    ["a senseless limit", ["forms", "list", "--limit", "many"], "", /--limit takes 1 to 200/],
  ];
  for (const [what, args, input, message] of mistakes)
    test(`${what} is one clear message and exit code 1`, async () => {
      const done = await run(args, input);
      assert.equal(done.code, 1);
      assert.match(done.err, message);
    });
});
