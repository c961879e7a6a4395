import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { listAudit } from "../../src/accounts/audit.ts";
import type { LocalEngine } from "../../src/engines/duckdb/engine.ts";
import { exportTable } from "../../src/warehouse/export.ts";
import { BOTH_IN_LONG } from "../support/both-engines.ts";
import { selectNumber } from "../support/local-engine.ts";
import { addPerson } from "../support/people.ts";
import { type ProfileApi, startProfileApi, type WalletEvent } from "../support/profile-api.ts";
import { waitFor } from "../support/wait.ts";

const GONE = `0x${"a".repeat(40)}`;
const STAYS = `0x${"b".repeat(40)}`;
/** Of the parts in which the text of a parked event is stored. */
const PIECE_CHARS = 16_384;
const { signal } = new AbortController();

/** Visitors: `own` used the erased wallet alone, `shared` another one as well. */
const ERASED: readonly WalletEvent[] = [
  { address: GONE, daysAgo: 9, anonymous_id: "own", properties: { revenue: 5 } },
  { address: "", daysAgo: 9, anonymous_id: "own", type: "page" },
  { address: "", daysAgo: 2, anonymous_id: "own", type: "page" },
  { address: GONE, daysAgo: 5, anonymous_id: "shared", properties: { revenue: 3 } },
  { address: GONE, daysAgo: 0, anonymous_id: "", event: "swap", properties: { volume: 7 } },
];
const KEPT: readonly WalletEvent[] = [
  { address: "", daysAgo: 8, anonymous_id: "shared", type: "page", context: { page_url: "https://a.example/?ref=x" } },
  { address: STAYS, daysAgo: 5, anonymous_id: "shared", properties: { revenue: 11 } },
  { address: STAYS, daysAgo: 1, anonymous_id: "shared", properties: { revenue: 1 } },
  { address: "", daysAgo: 5, anonymous_id: "other", type: "page" },
];

for (const { name, skip, start } of BOTH_IN_LONG)
  describe(`erasing a wallet on ${name}`, { skip }, () => {
    let site: ProfileApi;
    let text: string;
    /** Never had what the other project is to lose. */
    let without: string;
    before(async () => {
      site = await startProfileApi("sqlite", start);
      const { workspaceId } = site.key;
      without = await site.api.createProject(workspaceId, "Without");
      text = (await site.api.createKey({ workspaceId })).text;
      await site.store([...ERASED, ...KEPT]);
      await site.store(KEPT, without);
    });
    after(() => site.stop());

    const ask = async (path: string, project: string) => {
      const separator = path.includes("?") ? "&" : "?";
      const {
        status,
        body,
        text: sent,
      } = await site.call("GET", `${path}${separator}project_id=${project}`, undefined, { text });
      assert.equal(status, 200, sent);
      return JSON.stringify(body.data).replaceAll(project, "");
    };
    const dates = () => `date_from=${new Date(Date.now() - 10 * 86_400_000).toISOString().slice(0, 10)}`;
    const expectSame = async (state: string) => {
      for (const path of [`/v0/kpis?${dates()}`, `/v0/top_events?${dates()}`, `/v0/revenue_overview?${dates()}`])
        assert.equal(await ask(path, site.project), await ask(path, without), `${path} ${state}`);
      const [one, other] = [site.project, without].map(async (project) => {
        const profiles = JSON.parse(await ask("/v0/profiles", project)) as Record<string, unknown>[];
        // The two projects received the same events some milliseconds apart.
        return profiles.map(({ first_seen: _f, last_seen: _l, updated_at: _u, ...profile }) => profile);
      });
      assert.deepEqual(await one, await other, `profiles ${state}`);
    };
    const materialize = async () => {
      const due = await site.engine.maintenance.listDirty(Date.now(), []);
      for (const partition of due) await site.engine.maintenance.materialize([partition], signal);
    };
    const outcomes = async (project: string) => {
      const sql = `SELECT outcome, sum(events) AS n FROM ledger WHERE project_id = {project:String} GROUP BY outcome ORDER BY outcome`;
      const { rows } = await site.engine.select<{ outcome: string; n: number }>(sql, { params: { project } });
      return rows.filter(({ n }) => n !== 0);
    };

    test("leaves what a project that never had the wallet would have, and a receipt", async () => {
      await materialize();
      await site.call("PUT", `/v0/profiles/${GONE}/properties`, { email: "gone@example.com", ens: "gone.eth" });
      await site.call("POST", `/v0/profiles/${GONE}/labels`, { tag_id: "tier", value: "gold" });
      assert.equal((await site.call("GET", `/v0/profiles/${GONE}`)).body.revenue, 8);
      const {
        status,
        body,
        text: sent,
      } = await site.call("DELETE", `/v0/profiles/${GONE.toUpperCase().replace("0X", "0x")}`);
      assert.equal(status, 200, sent);
      const { id, erased_at, remaining, ...counts } = body;
      assert.match(id, /^ers_/);
      assert.ok(Date.parse(erased_at) > 0 && remaining.length > 0);
      assert.deepEqual(counts, { events: 5, visitors: 1, properties: 2, labels: 1, parked: 0 });
      assert.ok(!sent.includes(GONE));
      assert.equal((await site.call("GET", `/v0/profiles/${GONE}`)).status, 404);
      await expectSame("right after");
      await materialize();
      await expectSame("materialized again");
      assert.deepEqual(await outcomes(site.project), await outcomes(without));
    });

    test("leaves nothing for the next backup, and a second time finds nothing", async () => {
      for (const table of ["events", "wallet_properties", "wallet_labels"] as const)
        for await (const { rows } of exportTable(site.engine, table, 0))
          assert.ok(!JSON.stringify(rows).includes(GONE.slice(2)), table);
      const again = (await site.call("DELETE", `/v0/profiles/${GONE}/`)).body;
      assert.deepEqual([again.events, again.visitors, again.properties, again.labels], [0, 0, 0, 0]);
    });

    test("erases parked events that name the wallet, also where their text was cut in pieces", async () => {
      // In the middle of a piece, across two, and in the second one.
      const textOf = (who: string, at: number) => ({ pad: "x".repeat(at - '{"pad":"","who":"'.length), who });
      const places = [20, PIECE_CHARS - 41, PIECE_CHARS - 1, PIECE_CHARS + 1].map((at) =>
        textOf(GONE.toUpperCase(), at),
      );
      const [, across] = [GONE, STAYS].map((who) => textOf(who, PIECE_CHARS - 20));
      await site.park([...places, across ?? {}]);
      const { parked } = (await site.call("DELETE", `/v0/profiles/${GONE}`)).body;
      assert.equal(parked, places.length);
      const { rows } = await site.engine.select<{ text: string }>("SELECT text FROM parked_raw ORDER BY nth");
      assert.equal(rows.map(({ text: piece }) => piece).join(""), JSON.stringify(across));
      assert.equal(await selectNumber(site.engine, "SELECT count(*) AS n FROM parked_events"), 1);
    });

    test("leaves an event of another wallet whose key is the same", async (t) => {
      const { database } = site.engine as Partial<LocalEngine>;
      if (database === undefined) return t.skip("ClickHouse deletes by the columns of the event");
      await site.store([{ address: GONE, daysAgo: 3, anonymous_id: "twin" }]);
      // 64-bit keys of different messages may be equal: here by hand.
      await database.write((connection) =>
        connection.run(
          `INSERT INTO events SELECT * REPLACE ('${STAYS}' AS address, 'other' AS anonymous_id, 'twin' AS message_id)
          FROM events WHERE project_id = $project AND anonymous_id = 'twin'`,
          { project: site.project },
        ),
      );
      assert.equal((await site.call("DELETE", `/v0/profiles/${GONE}`)).body.events, 1);
      const left = "SELECT count(*) AS n FROM events WHERE message_id = 'twin'";
      assert.equal(await selectNumber(site.engine, left), 1);
    });

    test("shows and erases a wallet of any chain by the address that its events have", async () => {
      await site.park([{ who: "ada.near" }]);
      for (const address of ["bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq", `0x${"c".repeat(64)}`, "ada.near"]) {
        const path = `/v0/profiles/${address}`;
        for (const method of ["GET", "DELETE"]) assert.equal((await site.call(method, path)).status, 400, address);
        await site.store([{ address, daysAgo: 1 }]);
        // Reads of ClickHouse within a quarter of a second share what they know of the partitions.
        await waitFor(`${address} is shown`, async () => (await site.call("GET", path)).body.address === address);
        assert.equal((await site.call("GET", `/v0/profiles?address=${address}`)).body.total, 1);
        const answered = await site.call("DELETE", path);
        assert.equal(answered.status, 200, answered.text);
        const { events, parked } = answered.body;
        assert.deepEqual([events, parked], [1, 0], "a short text in a parked event says nothing");
      }
    });

    test("is for admins, and the audit log names the receipt instead of the wallet", async () => {
      const { workspaceId } = site.key;
      const path = `/v0/profiles/${GONE}?project_id=${site.project}`;
      const editor = await addPerson(site.api, workspaceId, "editor", `Ed ${name}`);
      assert.equal((await editor.send("DELETE", path)).status, 403);
      const admin = await addPerson(site.api, workspaceId, "admin", `Al ${name}`);
      const label = { tag_id: "tier", value: "gold" };
      const labels = `/v0/profiles/${GONE}/labels?project_id=${site.project}`;
      assert.equal((await editor.send("POST", labels, label)).status, 200);
      const { id } = (await (await admin.send("DELETE", path)).json()) as { id: string };
      const { entries } = await listAudit(site.api.store.read, workspaceId, { page: 1, size: 100 });
      assert.deepEqual(
        entries.slice(0, 2).map(({ action, target }) => [action, target]),
        [
          ["eraseProfile", id],
          ["setProfileLabels", id],
        ],
      );
      assert.ok(!JSON.stringify(entries).includes(GONE.slice(2)));
    });
  });
