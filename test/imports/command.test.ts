import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { readConfig } from "../../src/installation/config.ts";
import { createInstallation } from "../../src/installation/installation.ts";
import { runHere } from "../support/command.ts";
import { makeDataDir, serviceEnv, startService, type TestService } from "../support/service.ts";
import { waitFor } from "../support/wait.ts";
import { connectWarehouse, selectNumber } from "../support/warehouse.ts";

const FIXTURES = join(import.meta.dirname, "fixtures");

/** The command beside a running service. */
interface ListedImport {
  id: string;
  projectId: string;
  file: string;
  state: string;
  message: string | null;
  rows: number;
  events: number;
  firstDay: string | null;
  lastDay: string | null;
}

describe("sextant import", () => {
  const data = makeDataDir();
  let service: TestService;
  before(async () => {
    service = await startService(data.dir);
  });
  after(async () => {
    await service.kill("SIGTERM");
    data.remove();
  });

  const run = (...args: string[]) => runHere(data.dir, ["import", ...args]);
  function write(name: string, content: string | Buffer): string {
    const path = join(data.dir, "..", name);
    writeFileSync(path, content);
    return path;
  }
  async function createProject(): Promise<string> {
    const made = await runHere(data.dir, ["projects", "create", `Import ${Math.random()}`, "--json"]);
    return (JSON.parse(made.out) as { id: string }).id;
  }

  test("history of an export is stored with its own times, devices, places and wallets", async (t) => {
    const project = await createProject();
    const path = write("umami.csv.gz", gzipSync(readFileSync(join(FIXTURES, "umami.csv"))));
    const done = await run("events", path, "--from", "umami", "--project", project);
    assert.equal(done.code, 0, done.err);
    assert.match(
      done.out,
      /^Imported 2 events from 3 rows of umami\.csv\.gz\. Refused 1 row: .*umami\.csv\.gz\.refused\.ndjson/,
    );
    const warehouse = connectWarehouse(data.dir);
    t.after(() => warehouse.close());
    const select = async () =>
      (
        await warehouse.select<Record<string, unknown>>(
          `SELECT message_id, strftime(timestamp, '%Y-%m-%d %H:%M:%S') AS at, channel, type, event, address, session_id,
            device, browser, os, location, referrer, utm_campaign, pathname FROM events
            WHERE project_id = '${project}' ORDER BY timestamp`,
        )
      ).rows;
    const rows = await waitFor("both events", async () => {
      const found = await select();
      return found.length === 2 && found;
    });
    const common = {
      channel: "import",
      session: "0a",
      device: "desktop",
      browser: "edge",
      os: "windows",
      location: "DE",
      pathname: "/swap",
    };
    assert.deepEqual(
      rows.map(({ session_id, message_id, ...row }) => ({
        ...row,
        id: String(message_id).slice(-1),
        session: String(session_id).slice(-2),
      })),
      [
        {
          ...common,
          id: "1",
          at: "2024-03-01 10:15:00",
          type: "page",
          event: "",
          address: "",
          referrer: "google.com",
          utm_campaign: "spring",
        },
        {
          ...common,
          ...{
            id: "2",
            at: "2024-03-01 10:16:30",
            type: "track",
            event: "Swap Completed",
            referrer: "",
            utm_campaign: "",
          },
          address: "0xabc0000000000000000000000000000000000001",
        },
      ],
    );
    const [line = ""] = readFileSync(`${path}.refused.ndjson`, "utf8").split("\n");
    const refused = JSON.parse(line) as { line: number; reason: string; value: { event_id: string } };
    assert.equal(refused.line, 4);
    assert.match(refused.reason, /^event_type is "2" without an event_name/);
    assert.equal(refused.value.event_id, "018f1c2e-aaaa-7d6e-8a11-000000000003");
    const ledger = (outcome: string) =>
      selectNumber(
        warehouse,
        `SELECT coalesce(sum(events), 0) AS n FROM ledger WHERE project_id = '${project}' AND outcome = '${outcome}'`,
      );
    await waitFor("the refused row in the ledger", async () => (await ledger("refused")) === 1);
    const listed = JSON.parse((await run("list", "--json")).out) as Record<string, unknown>[];
    const {
      rows: n,
      events,
      refused: bad,
      state,
      source,
    } = listed.find(({ projectId }) => projectId === project) ?? {};
    assert.deepEqual([n, events, bad, state, source], [3, 2, 1, "done", "umami"]);
    const keys = JSON.parse((await runHere(data.dir, ["write-keys", "list", "--json"])).out) as {
      name: string;
      revokedAt: string | null;
    }[];
    assert.ok(
      keys.filter(({ name }) => name === "Import").every(({ revokedAt }) => revokedAt !== null),
      "its write key ends with it",
    );
  });

  test("a dry run shows the first rows and what would be refused, and sends and writes nothing", async () => {
    const done = await run("events", join(FIXTURES, "generic.csv"), "--dry-run");
    assert.equal(done.code, 0, done.err);
    assert.match(
      done.out,
      /^generic\.csv: 9 rows, 4 events, from 2021-07-01T12:00:00\.000Z to 2021-07-01T12:01:00\.000Z\. Nothing was sent\./,
    );
    assert.match(done.out, /"event": "Order"/);
    assert.match(done.out, /5 rows would be refused:/);
    assert.match(done.out, /1 +line 8 +properties is "not json"/);
    assert.ok(!existsSync(join(FIXTURES, "generic.csv.refused.ndjson")));
    const json = JSON.parse((await run("events", join(FIXTURES, "generic.csv"), "--dry-run", "--json")).out) as {
      refused: object[];
    };
    assert.equal(json.refused.length, 5);
  });

  test("a wrong file or option gets one line that names the file, the line and what was expected", async () => {
    const project = await createProject();
    const umami = join(FIXTURES, "umami.csv");
    const posthog = join(FIXTURES, "posthog.jsonl");
    for (const [args, expected] of [
      [
        [umami, "--from", "posthog"],
        /^sextant: umami\.csv, line 2: no export of PostHog, uuid, event, timestamp, properties missing; expected a batch export/,
      ],
      [
        [posthog, "--from", "umami"],
        /posthog\.jsonl, line 1: no export of Umami, event_id, session_id, event_type missing/,
      ],
      [[write("empty.csv", "")], /empty\.csv, no rows; expected rows with a timestamp/],
      [[write("header.csv", "timestamp,event\n")], /header\.csv, no rows/],
      [
        [write("bad.ndjson", '{"event":\n'.repeat(3))],
        /bad\.ndjson, line 1: it is not valid JSON.*; none of its 3 rows is an event/,
      ],
      [
        [write("many.csv", `a,b\n${"1,2\n".repeat(3_000)}`)],
        /line 2: it has neither a type.*none of the first 1000 rows is an event/,
      ],
      [["/nowhere/at-all.csv"], /no such file/],
      [[umami, "--from", "hotjar"], /--from takes generic, umami.*, not hotjar/],
      [[umami, "--from", "umami", "--map", "event=x"], /--map and --set are for --from generic/],
      [[umami, "--map", "evnt=x"], /--map evnt=x: a field is timestamp, message_id/],
    ] as const) {
      const done = await run("events", ...args, "--project", project);
      assert.equal(done.code, 1, `${args.join(" ")}: ${done.out}`);
      assert.match(done.err, expected);
      assert.equal(done.out, "");
    }
    const listed = (JSON.parse((await run("list", "--json")).out) as ListedImport[]).filter(
      ({ projectId }) => projectId === project,
    );
    assert.equal(listed.length, 6, "every file that could be opened");
    for (const { state, message, file, events } of listed) {
      assert.deepEqual([state, events], ["failed", 0], file);
      assert.match(message ?? "", /expected /, file);
    }
  });

  test("days are imported, listed and deleted, and other imports are not deleted", async () => {
    const project = await createProject();
    const done = await run("days", join(FIXTURES, "plausible"), "--project", project, "--json");
    const { id, sums } = JSON.parse(done.out) as { id: string; sums: number };
    const list = async () =>
      (JSON.parse((await run("list", "--json")).out) as ListedImport[]).filter(
        ({ projectId }) => projectId === project,
      );
    const [listed] = await list();
    assert.deepEqual(
      [listed?.id, listed?.state, listed?.rows, listed?.firstDay, listed?.lastDay],
      [id, "done", sums, "2024-01-01", "2024-01-03"],
    );
    const removed = await run("delete", id, "--json");
    assert.deepEqual(JSON.parse(removed.out), { id, removed: sums });
    assert.deepEqual(await list(), []);
    const again = await run("delete", id);
    assert.match(again.err, /there is no import of days/);
  });

  const ADDRESSES = ["0xAbC0000000000000000000000000000000000001", "0x0000000000000000000000000000000000000002"];
  const HOLDERS = [
    "wallet,ens,Tier,note,label.season",
    `${ADDRESSES[0]},first.eth,gold,x,2`,
    `${ADDRESSES[1]},,,y,`,
    "not-a-wallet,,,,",
    `${ADDRESSES[1]},${"n".repeat(2_049)},,,`,
  ].join("\n");

  test("wallets of a file get their properties and labels, as POST /v0/import writes them, and other rows are listed", async (t) => {
    const project = await createProject();
    const path = write("holders.csv.zst", zstdCompressSync(HOLDERS));
    const args = ["wallets", path, "--map", "label.tier=Tier", "--set", "label.from=dune"];
    const dry = await run(...args, "--dry-run");
    assert.match(dry.out, /^holders\.csv\.zst: 4 rows, 2 wallets\. Nothing was sent\./);
    assert.match(dry.out, /Not read: note\./);
    assert.match(dry.out, /1 +line 4 +address: must be an EVM address/);
    const done = await run(...args, "--project", project);
    assert.equal(done.code, 0, done.err);
    assert.match(done.out, /^Imported 2 wallets from 4 rows of holders\.csv\.zst\. Refused 2 rows: /);
    const refused = readFileSync(`${path}.refused.ndjson`, "utf8").trim().split("\n");
    assert.deepEqual(
      refused
        .map((text) => JSON.parse(text) as { line: number; reason: string })
        .map(({ line, reason }) => [line, reason]),
      [
        [4, "address: must be an EVM address (0x and 40 hexadecimal digits) or a Solana address"],
        [5, "properties.ens: must have at most 2048 characters"],
      ],
    );
    const warehouse = connectWarehouse(data.dir);
    t.after(() => warehouse.close());
    const read = async (sql: string) => (await warehouse.select<{ row: string }>(sql)).rows.map(({ row }) => row);
    const [one, two] = ADDRESSES.map((address) => address.toLowerCase());
    assert.deepEqual(
      await read(
        `SELECT concat_ws(' ', address, name, value) AS row FROM wallet_properties WHERE project_id = '${project}' ORDER BY row`,
      ),
      [`${two} _imported import`, `${one} _imported import`, `${one} ens first.eth`].sort(),
    );
    assert.deepEqual(
      await read(
        `SELECT concat_ws(' ', address, tag_id, value) AS row FROM wallet_labels WHERE project_id = '${project}' ORDER BY row`,
      ),
      [`${two} from dune`, `${one} from dune`, `${one} season 2`, `${one} tier gold`].sort(),
    );
    const listed = JSON.parse((await run("list", "--json")).out) as Record<string, unknown>[];
    const { source, rows, events } = listed.find(({ projectId }) => projectId === project) ?? {};
    assert.deepEqual([source, rows, events], ["wallets", 4, 2]);
  });

  test("a file that another process imports is refused, and goes on when that process is dead", async (t) => {
    const project = await createProject();
    const path = write("two.csv", `address\n${ADDRESSES.join("\n")}\n`);
    const again = () => run("wallets", path, "--project", project);
    assert.equal((await again()).code, 0);
    const control = await createInstallation(readConfig(serviceEnv(data.dir))).openControl("refused");
    t.after(() => control.close());
    const hold = (pid: number | undefined, untilMs: number) =>
      control.store.write((tx) =>
        tx
          .updateTable("imports")
          .set({ lease_owner: `${hostname()}/${pid}/other`, lease_until: untilMs, state: "running" })
          .where("project_id", "=", project)
          .execute(),
      );
    await hold(process.pid, Date.now() + 10_000);
    let isOver = false;
    const asked = again().finally(() => {
      isOver = true;
    });
    for (; !isOver; await delay(50)) await hold(process.pid, Date.now() + 10_000);
    const refused = await asked;
    assert.equal(refused.code, 1);
    assert.match(
      refused.err,
      /^sextant: two\.csv is being imported into the project by another process; `sextant import list`/,
    );
    await hold(process.pid, Date.now() + 1_000);
    assert.equal((await again()).code, 0, "a lease that has ended, though its number is in use");
    await hold(spawnSync(process.execPath, ["--version"]).pid, Date.now() + 10_000);
    assert.equal((await again()).code, 0, "a holder that is gone");
    const held = await control.store.read
      .selectFrom("imports")
      .select(["lease_owner", "state"])
      .where("project_id", "=", project)
      .execute();
    assert.deepEqual(
      held.map(({ lease_owner, state }) => [lease_owner, state]),
      [[null, "done"]],
    );
  });
});
