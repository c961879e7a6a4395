import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, test } from "node:test";
import { RETAINED } from "../src/control/retention.ts";
import { runHere } from "./support/command.ts";
import { newPerson, PASSWORD } from "./support/people.ts";
import { makeDataDir, readCredentials, startService, type TestService } from "./support/service.ts";
import { waitFor } from "./support/wait.ts";
import { connectWarehouse } from "./support/warehouse.ts";

const BIN = resolve(import.meta.dirname, "../bin/sextant.js");

/** The CLI as people run it, beside a running service. */
interface ListedToken {
  createdAt: string;
  expiresAt: string | null;
  revokedAt: string | null;
}

describe("sextant, while the server runs", () => {
  const data = makeDataDir();
  const startedAtMs = Date.now();
  let service: TestService;
  before(async () => {
    service = await startService(data.dir);
  });
  after(async () => {
    await service.kill("SIGTERM");
    data.remove();
  });

  function run(args: readonly string[], options: { input?: string; dir?: string } = {}) {
    const env = { ...process.env, SEXTANT_DATA_DIR: options.dir ?? data.dir };
    const done = spawnSync(process.execPath, [BIN, ...args], {
      env,
      input: options.input ?? "",
      encoding: "utf8",
      timeout: 60_000,
    });
    return { code: done.status, out: done.stdout, err: done.stderr };
  }
  /** In this process; the others are run as people run them. */
  const here = (args: readonly string[]) => runHere(data.dir, args);
  async function json<T>(args: readonly string[], input = ""): Promise<T> {
    const done = await runHere(data.dir, [...args, "--json"], { input });
    assert.equal(done.code, 0, done.err);
    return JSON.parse(done.out) as T;
  }
  const validate = async (key: string) =>
    (await fetch(`${service.apiUrl}/api/validate-api-key`, { method: "POST", headers: { "x-api-key": key } })).status;

  test("wallets erase removes what the API wrote and prints a receipt that does not name the wallet", async () => {
    const { apiKey } = readCredentials(data.dir);
    const project = await json<{ id: string }>(["projects", "create", "Wallets"]);
    const address = `0x${"c".repeat(40)}`;
    const call = (method: string, path: string, body?: object) =>
      fetch(`${service.apiUrl}/v0/profiles/${address}${path}?project_id=${project.id}`, {
        method,
        headers: { authorization: `Bearer ${apiKey}`, ...(body ? { "content-type": "application/json" } : {}) },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
    assert.equal((await call("PUT", "/properties", { ens: "c.eth" })).status, 200);
    assert.equal((await call("GET", "")).status, 200);
    const erase = ["wallets", "erase", address.replace("0xc", "0xC"), "--project", project.id];
    const done = await here(erase);
    assert.equal(done.code, 0, done.err);
    assert.match(done.out, /^Erased 0 events, 0 visitors, 1 properties, 0 labels, 0 parked events\. Receipt ers_/);
    assert.ok(!done.out.includes(address));
    assert.equal((await call("GET", "")).status, 404);
    assert.equal((await json<{ properties: number }>(erase)).properties, 0);
    assert.equal((await here(["wallets", "erase", "0x1", "--project", project.id])).code, 1);
  });

  test("a created key works at once with its scopes and project, a revoked one stops within a second", async () => {
    const project = await json<{ id: string }>(["projects", "create", "Swap app"]);
    const made = await json<{ id: string; apiKey: string; scopes: string; projectId: string; expiresAt: string }>([
      "keys",
      "create",
      "--name",
      "Reports",
      "--scopes",
      "query:read,forms:read",
      "--project",
      project.id,
      "--expires",
      "90d",
    ]);
    assert.equal(made.scopes, "query:read,forms:read");
    assert.equal(made.projectId, project.id);
    assert.ok(Math.abs(Date.parse(made.expiresAt) - Date.now() - 90 * 86_400_000) < 60_000);
    assert.equal(await validate(made.apiKey), 200);
    assert.equal(run(["keys", "revoke", made.id]).code, 0);
    await waitFor("the key to stop", async () => (await validate(made.apiKey)) === 401, 1_000);
    const listed = await json<{ id: string; revokedAt: string | null }[]>(["keys", "list"]);
    assert.ok(listed.find((key) => key.id === made.id)?.revokedAt);
  });

  test("an existing key can be imported from standard input, once", async () => {
    const text = "formo_live_abcdefghij0123456789";
    await json(["keys", "create", "--name", "Moved", "--value", "-"], `${text}\n`);
    assert.equal(await validate(text), 200);
    const again = run(["keys", "create", "--value", "-"], { input: text });
    assert.equal(again.code, 1);
    assert.match(again.err, /already in use/);
  });

  test("write keys, workspaces and projects are created, listed and renamed", async () => {
    const workspace = await json<{ id: string }>(["workspaces", "create", "Second"]);
    await json(["workspaces", "rename", workspace.id, "Second team"]);
    const workspaces = await json<{ name: string }[]>(["workspaces", "list"]);
    assert.ok(workspaces.some((one) => one.name === "Second team"));
    const project = await json<{ id: string }>(["projects", "create", "App", "--workspace", workspace.id]);
    await json(["projects", "rename", project.id, "App 2", "--workspace", workspace.id]);
    const made = await json<{ id: string; writeKey: string }>(["write-keys", "create", "--workspace", workspace.id]);
    assert.match(made.writeKey, /^sxw_/);
    assert.equal((await here(["write-keys", "revoke", made.id, "--workspace", workspace.id])).code, 0);
    const [listed] = await json<{ id: string; projectId: string; revokedAt: string | null }[]>([
      "write-keys",
      "list",
      "--workspace",
      workspace.id,
    ]);
    assert.equal(listed?.projectId, project.id);
    assert.ok(listed?.revokedAt);
    const told = await here(["write-keys", "create", "--workspace", workspace.id]);
    assert.match(told.out, /within a second/, "the running service does not know a new key at once");
    assert.match((await here(["keys", "list"])).err, /several workspaces: choose one with --workspace/);
  });

  test("BI tokens are bound to a project, expire only if asked, and are listed without their text", async () => {
    const { id } = await json<{ id: string }>(["workspaces", "create", "Charts"]);
    const project = await json<{ id: string }>(["projects", "create", "App", "--workspace", id]);
    const create = (...more: string[]) =>
      json<{ id: string; biToken: string }>(["bi-tokens", "create", "--workspace", id, ...more]);
    const made = await create("--project", project.id, "--name", "Grafana");
    const brief = await create("--expires", "12h");
    assert.match(made.biToken, /^sxr_[0-9A-Za-z]{33}$/);
    assert.equal((await here(["bi-tokens", "revoke", brief.id, "--workspace", id])).code, 0);
    const listed = await json<ListedToken[]>(["bi-tokens", "list", "--workspace", id]);
    assert.ok(!JSON.stringify(listed).includes(made.biToken));
    assert.ok(listed[0]?.createdAt);
    assert.deepEqual(listed[0], {
      createdAt: listed[0].createdAt,
      id: made.id,
      name: "Grafana",
      prefix: made.biToken.slice(0, 10),
      projectId: project.id,
      expiresAt: null,
      revokedAt: null,
      lastUsedAt: null,
    });
    assert.ok(listed[1]?.expiresAt && listed[1].revokedAt);
    const foreign = (await json<{ id: string }[]>(["workspaces", "list"]))[0]?.id ?? "";
    assert.match((await here(["bi-tokens", "revoke", made.id, "--workspace", foreign])).err, /no active BI token/);
  });

  test("users: a printed link sets the password once; a disabled user is out within a second", async () => {
    const [workspace] = await json<{ id: string }[]>(["workspaces", "list"]);
    const chosen = ["--workspace", workspace?.id ?? ""];
    const added = await json<{ id: string; url: string }>(["users", "add", "Ada", "--role", "owner", ...chosen]);
    assert.match((await here(["users", "add", "ADA", ...chosen])).err, /there is a user ADA already/);
    const person = newPerson(service.apiUrl);
    const reset = (url: string) =>
      person.send("POST", "/api/reset", { token: url.split("#token=")[1], password: PASSWORD });
    const again = await json<{ url: string }>(["users", "reset", "ada"]);
    assert.equal((await reset(added.url)).status, 404, "a newer link replaces it");
    assert.equal((await reset(again.url)).status, 200);
    assert.equal((await reset(again.url)).status, 404);
    assert.equal((await person.send("GET", "/api/account")).status, 200);

    await json(["users", "add", "Grace", ...chosen]);
    await json(["users", "role", "Grace", "owner", ...chosen]);
    const listed = await json<{ name: string; roles: string }[]>(["users", "list"]);
    assert.deepEqual(
      listed.map(({ name, roles }) => [name, roles.split(" ", 1)[0]]),
      [
        ["Ada", "admin"],
        ["Grace", "owner"],
      ],
    );
    assert.match((await here(["users", "role", "Grace", "viewer", ...chosen])).err, /one owner/);
    assert.match((await here(["users", "role", "Ada", "boss", ...chosen])).err, /there is no role boss/);
    assert.match((await here(["users", "reset", "Nobody"])).err, /there is no user Nobody/);
    await json(["users", "disable", "Ada"]);
    await waitFor("Ada to be out", async () => (await person.send("GET", "/api/account")).status === 401, 5_000);
    const sign = () => person.send("POST", "/api/sign-in/password", { name: "Ada", password: PASSWORD });
    assert.equal((await sign()).status, 401);
    await json(["users", "enable", "Ada"]);
    assert.equal((await sign()).status, 200);
  });

  test("a project's retention is set and shown, with the last run of each removal", async () => {
    const { id } = await json<{ id: string }>(["workspaces", "create", "Keeping"]);
    const project = await json<{ id: string }>(["projects", "create", "App", "--workspace", id]);
    await json(["projects", "retention", project.id, "90", "--workspace", id]);
    type Line = { what: string; of: string; kept: string; lastRun: string | null };
    const shown = await json<Line[]>(["retention"]);
    assert.equal(shown.find(({ of }) => of === project.id)?.kept, "90 days");
    assert.deepEqual([...new Set(shown.map(({ what }) => what))].sort(), [...RETAINED].sort());
    for (const { what, lastRun } of shown) assert.ok(Date.parse(lastRun ?? "") >= startedAtMs, what);
    const metrics = await (await fetch(`${service.opsUrl}/metrics`)).text();
    for (const what of RETAINED)
      assert.match(metrics, new RegExp(`^sextant_retention_removed_total\\{what="${what}"\\} 0$`, "m"));
    await json(["projects", "retention", project.id, "forever", "--workspace", id]);
    const lifted = await json<Line[]>(["retention"]);
    assert.equal(lifted.find(({ of }) => of === project.id)?.kept, "for ever");
  });

  const mistakes: [string, string[], RegExp][] = [
    ["an unknown scope", ["keys", "create", "--scopes", "query:write"], /there is no scope query:write/],
    ["a past expiry", ["keys", "create", "--expires", "2001-01-01"], /lies in the past/],
    ["a senseless expiry", ["keys", "create", "--expires", "soon"], /--expires takes a span/],
    ["an unknown project", ["keys", "create", "--project", "prj_x"], /no project prj_x/],
    ["an unknown key", ["keys", "revoke", "key_x"], /no active API key key_x/],
    ["a key that is too short", ["keys", "create", "--value", "abc"], /shorter than 16/],
    ["a senseless retention", ["projects", "retention", "prj_x", "0"], /from 1 to 36500/],
    ["an empty name", ["projects", "create", " "], /1 to 200 characters/],
    [
      "an unknown reason",
      ["events", "parked", "--reason", "bad"],
      /no reason bad; the reasons are bad_json, not_an_object/,
    ],
    ["an unknown command", ["dance"], /unknown command 'dance'/],
  ];
  for (const [what, args, message] of mistakes) {
    test(`${what} is one clear line and exit code 1`, async () => {
      const { workspaceId } = readCredentials(data.dir);
      const named = args[0] === "dance" ? args : [...args, "--workspace", workspaceId];
      const done = await here(named);
      assert.equal(done.code, 1);
      assert.match(done.err, message);
      assert.doesNotMatch(done.err, /^\s+at /m);
    });
  }

  test("without a data directory it reports that and creates nothing", () => {
    const done = run(["keys", "list"], { dir: `${data.dir}-nowhere` });
    assert.equal(done.code, 1);
    assert.match(done.err, /there is no Sextant data in .*start the service once/);
  });

  test("a store with an older schema is refused and not upgraded", async () => {
    const control = new DatabaseSync(join(data.dir, "control.sqlite"));
    const newest = "(select max(version) from schema_migrations)";
    const { version } = control.prepare(`select ${newest} as version`).get() as { version: number };
    control.exec(`delete from schema_migrations where version = ${version}`);
    const older = run(["workspaces", "create", "Too early"]);
    assert.equal(older.code, 1);
    assert.match(older.err, /control store has schema version \d+, this Sextant needs \d+: start the service/);
    assert.equal(control.prepare(`select ${newest} as version`).get()?.version, version - 1);
    assert.equal(control.prepare("select count(*) as n from workspaces where name = 'Too early'").get()?.n, 0);
    control.close();

    const engine = connectWarehouse(data.dir);
    await engine.select("DELETE FROM schema_migrations WHERE version = (SELECT max(version) FROM schema_migrations)");
    await engine.close();
    const rebuild = run(["rebuild"]);
    assert.equal(rebuild.code, 1);
    assert.match(rebuild.err, /^sextant: the warehouse has schema \d+, this Sextant needs \d+: start the service/);
  });

  test("--help lists the commands and needs no data", () => {
    const done = run(["--help"], { dir: `${data.dir}-nowhere` });
    assert.equal(done.code, 0);
    for (const name of ["serve", "workspaces", "projects", "keys", "write-keys", "bi-tokens", "users", "forms"])
      assert.match(done.out, new RegExp(`^ +${name}`, "m"));
  });
});
