import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { listAudit } from "../../src/accounts/audit.ts";
import { WALLET_LIMITS } from "../../src/contract/profile-writes.ts";
import { addPerson } from "../support/people.ts";
import { type ProfileApi, startProfileApi } from "../support/profile-api.ts";
import { drawnStores } from "../support/stores.ts";

const ADA = "0xAbCdEf0123456789aBcDeF0123456789abcDEF01";
const ada = ADA.toLowerCase();
const SOL = "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV";
const wallet = (n: number) => `0x${n.toString(16).padStart(40, "0")}`;
const PROFILE = `/v0/profiles/${ADA}`;
const LATER = new Date(Date.now() + 3_600_000).toISOString();

type Case = readonly [method: string, path: string, body: unknown, places: readonly string[]];

/** Requests that are refused -> the places that the answer names, the first of them as `param`. */
const REFUSED: readonly Case[] = [
  ["GET", "/v0/profiles/0x12", undefined, ["params.address"]],
  ["GET", `${PROFILE}?expand=labels,friends`, undefined, ["query.expand"]],
  ["GET", `${PROFILE}?timestamp=2026-01-01T00:00:00`, undefined, ["query.timestamp"]],
  ["GET", `${PROFILE}?at_risk_min_days_inactive=40`, undefined, ["query.at_risk_min_days_inactive"]],
  ["GET", "/v0/profiles?timestamp=2026-01-01T00:00:00Z", undefined, ["query.timestamp"]],
  ["GET", "/v0/profiles?order_by=name", undefined, ["query.order_by"]],
  ["GET", "/v0/profiles?order_dir=up&size=1001&page=0", undefined, ["query.order_dir", "query.page", "query.size"]],
  ["GET", "/v0/profiles", { filters: {}, logic: "xor" }, ["body.filters", "body.logic"]],
  ["GET", "/v0/profiles", { filter: [] }, ["body.filter"]],
  ["GET", "/v0/profiles", { filters: [], conditions: [] }, ["body.conditions"]],
  ["GET", "/v0/profiles", { filters: Array(21).fill({ field: "users.ens", op: "notEmpty" }) }, ["body.filters"]],
  ["GET", "/v0/profiles", filters({ field: "users.shoes", op: "eq", value: 1 }), ["body.filters.0.field"]],
  ["GET", "/v0/profiles", filters({ field: "users.ens", op: "startsWith", value: "a" }), ["body.filters.0.op"]],
  ["GET", "/v0/profiles", filters({ field: "users.ens", op: "isEmpty" }), ["body.filters.0.op"]],
  ["GET", "/v0/profiles", filters({ field: "users.lifecycle", op: "neq", value: "New" }), ["body.filters.0.op"]],
  ["GET", "/v0/profiles", filters({ field: "users.lifecycle", op: "eq", value: "Old" }), ["body.filters.0.value"]],
  ["GET", "/v0/profiles", filters({ field: "users.revenue", op: "contains", value: 1 }), ["body.filters.0.op"]],
  ["GET", "/v0/profiles", filters({ field: "users.revenue", op: "gt", value: "much" }), ["body.filters.0.value"]],
  ["GET", "/v0/profiles", filters({ field: "users.revenue", op: "gt" }), ["body.filters.0.value"]],
  ["GET", "/v0/profiles", filters({ field: "users.paid_source", op: "contains", value: "x" }), ["body.filters.0.op"]],
  ["GET", "/v0/profiles", filters({ field: "users.device", op: "in", value: [] }), ["body.filters.0.value"]],
  ["GET", "/v0/profiles", filters({ field: "users.device", op: "in", value: ["a|b"] }), ["body.filters.0.value"]],
  ["GET", "/v0/profiles", filters({ field: "chains.balance", op: "gt", value: "1" }), ["body.filters.0.value"]],
  ["GET", "/v0/profiles", filters({ field: "apps.balance", op: "gt", value: 1 }), ["body.filters.0.app_id"]],
  [
    "GET",
    "/v0/profiles",
    filters({ field: "labels.value", op: "eq", value: "", tag_id: "t" }),
    ["body.filters.0.value"],
  ],
  ["GET", "/v0/profiles", filters({ field: "labels.value", op: "in", value: "a", tag_id: "t" }), ["body.filters.0.op"]],
  ["GET", "/v0/profiles", filters({ field: "labels.value", op: "eq", value: "a" }), ["body.filters.0.tag_id"]],
  [
    "GET",
    "/v0/profiles",
    filters({ field: "users.ens", op: "eq", value: "a", tag_id: "t" }),
    ["body.filters.0.tag_id"],
  ],
  ["GET", "/v0/profiles", filters({ field: "users.ens", op: "eq", value: "a", color: 1 }), ["body.filters.0.color"]],
  [
    "GET",
    "/v0/profiles",
    filters({ field: "tokens.balance", op: "gt", value: 1, token_address: "0x1", app_id: "a" }),
    ["body.filters.0.app_id"],
  ],
  [
    "GET",
    "/v0/profiles",
    filters({ field: "tokens.balance", op: "gt", value: 1, token_address: "0x1", scope: "protocol" }),
    ["body.filters.0.app_id"],
  ],
  [
    "GET",
    "/v0/profiles",
    filters({ field: "tokens.balance", op: "gt", value: 1, token_address: "0x1", scope: "all" }),
    ["body.filters.0.scope"],
  ],
  [
    "POST",
    "/v0/profiles",
    { conditions: [{ field: "chains.1.wealth", op: "gt", value: 1 }] },
    ["body.conditions.0.field"],
  ],
  ["PUT", "/v0/profiles/nobody/properties", { ens: "a" }, ["params.address"]],
  ["PUT", "/v0/profiles/ada.eth/properties", { ens: "a" }, ["params.address"]],
  ["PUT", `${PROFILE}/properties`, {}, ["body"]],
  ["PUT", `${PROFILE}/properties`, { shoes: "42" }, ["body.shoes"]],
  ["PUT", `${PROFILE}/properties`, { user_id: null }, ["body.user_id"]],
  ["PUT", `${PROFILE}/properties`, { ens: "_is_deleted" }, ["body.ens"]],
  ["PUT", `${PROFILE}/properties`, { ens: "" }, ["body.ens"]],
  ["PUT", `${PROFILE}/properties`, { ens: 5 }, ["body.ens"]],
  ["PUT", `${PROFILE}/properties`, { ens: "x".repeat(WALLET_LIMITS.valueChars + 1) }, ["body.ens"]],
  ["POST", "/v0/profiles/properties", [], ["body"]],
  ["POST", "/v0/profiles/properties", Array(101).fill({ address: ADA, ens: "a" }), ["body"]],
  ["POST", "/v0/profiles/properties", [{ address: "x", ens: "a" }, { address: ADA }], ["body.0", "body.1"]],
  ["POST", `${PROFILE}/labels`, { value: "gold" }, ["body", "body.tag_id"]],
  ["POST", `${PROFILE}/labels`, { tag_id: "tier", timestamp: LATER }, ["body.timestamp"]],
  ["POST", `${PROFILE}/labels`, { tag_id: "tier", timestamp: "yesterday" }, ["body.timestamp"]],
  ["POST", `${PROFILE}/labels`, { tag_id: "tier", _is_deleted: 2 }, ["body", "body._is_deleted"]],
  ["POST", `${PROFILE}/labels`, [{ tag_id: "a" }, { tag_id: "b", timestamp: LATER }], ["body.1.timestamp"]],
  ["DELETE", `${PROFILE}/labels`, {}, ["body.tag_id"]],
  [
    "POST",
    "/v0/profiles/labels",
    [
      { address: ADA, tag_id: "a" },
      { address: ADA, tag_id: "a", timestamp: LATER },
    ],
    ["body.1.timestamp"],
  ],
  ["POST", "/v0/profiles/labels", [{ address: ADA, tag_id: " " }], ["body.0"]],
  ["POST", "/v0/import", { rows: [] }, ["body.addresses"]],
  ["POST", "/v0/import", { addresses: [] }, ["body.addresses"]],
  ["POST", "/v0/import", { addresses: ["x", 5], rows: [{}] }, ["body.addresses.0", "body.addresses.1", "body.rows.0"]],
];

function filters(...list: object[]) {
  return { filters: list };
}

for (const backend of drawnStores(import.meta.filename))
  describe(`what an app says about wallets, with ${backend}`, () => {
    let site: ProfileApi;
    before(async () => {
      site = await startProfileApi(backend);
    });
    after(() => site.stop());
    const profile = async (address = ADA) => (await site.call("GET", `/v0/profiles/${address}?expand=labels`)).body;

    test("what is refused has status 400 and names each place", async () => {
      for (const [method, path, body, places] of REFUSED) {
        const answer = await site.call(method, path, body);
        const about = `${method} ${path} ${JSON.stringify(body)?.slice(0, 200)}: ${answer.text}`;
        assert.equal(answer.status, 400, about);
        assert.equal(answer.body.error.code, "INVALID_VALIDATION_REQUEST", about);
        assert.deepEqual(Object.keys(answer.body.error.details).sort(), [...places].sort(), about);
      }
      const unknown = await site.call("GET", "/v0/profiles/nobody.eth");
      assert.deepEqual([unknown.status, unknown.body.error.code], [400, "BAD_REQUEST"]);
      const broken = await site.call("GET", "/v0/profiles", '{"filters":');
      assert.deepEqual([broken.status, broken.body.error.param], [400, "body"]);
      const text = await site.call("GET", "/v0/profiles", "filters", { headers: { "content-type": "text/plain" } });
      assert.equal(text.status, 415);
      const large = await site.call("GET", "/v0/profiles", `"${"x".repeat(1_100_000)}"`);
      assert.equal(large.status, 413);
    });

    test("a wallet of which nothing is known has no profile", async () => {
      const answer = await site.call("GET", `/v0/profiles/${wallet(404)}`);
      assert.deepEqual([answer.status, answer.body.error.code], [404, "NOT_FOUND"]);
      assert.equal((await site.call("DELETE", `/v0/profiles/${wallet(404)}/labels`, { tag_id: "a" })).status, 204);
      assert.equal((await site.call("GET", `/v0/profiles/${wallet(404)}`)).status, 404);
    });

    test("scopes and credentials are checked before anything else", async () => {
      const { workspaceId } = site.key;
      const reader = await site.api.createKey({ workspaceId, scopes: ["profiles:read"], projectId: site.project });
      const writer = await site.api.createKey({ workspaceId, scopes: ["profiles:write"], projectId: site.project });
      const other = await site.api.createKey({ workspaceId, scopes: ["query:read"], projectId: site.project });
      const put = [`PUT`, `${PROFILE}/properties`, { display_name: "Ada" }] as const;
      assert.equal((await site.call(...put, { text: reader.text })).status, 403);
      assert.equal((await site.call(...put, { text: writer.text })).status, 200);
      assert.equal((await site.call("GET", PROFILE, undefined, { text: writer.text })).status, 200);
      assert.equal((await site.call("POST", "/v0/profiles/search", {}, { text: reader.text })).status, 200);
      const refused = await site.call("GET", "/v0/profiles", { filters: 5 }, { text: other.text });
      assert.equal(refused.status, 403);
      assert.match(refused.body.error.message, /profiles:read/);
      assert.equal((await site.call("GET", "/v0/profiles", undefined, { text: "sxt_none" })).status, 401);
    });

    test("a key that sees several projects names one", async () => {
      const { workspaceId } = site.key;
      await site.api.createProject(workspaceId, "Second");
      const { text } = await site.api.createKey({ workspaceId });
      assert.equal((await site.call("GET", "/v0/profiles", undefined, { text })).status, 400);
      const path = `/v0/profiles?project_id=${site.project}`;
      assert.equal((await site.call("GET", path, undefined, { text })).status, 200);
    });

    test("properties are set, changed and unset, and null gives way to nothing", async () => {
      const set = await site.call("PUT", `${PROFILE}/properties/`, { ens: "ada.eth", email: "ada@example.com" });
      assert.equal(set.status, 200, set.text);
      const { updated_at, ...rest } = set.body;
      assert.deepEqual(rest, { address: ada, ens: "ada.eth", email: "ada@example.com" });
      assert.ok(Math.abs(Date.parse(updated_at) - Date.now()) < 60_000);
      assert.equal((await profile()).email, "ada@example.com");
      const unset = await site.call("PUT", `${PROFILE}/properties`, { email: null, user_id: "u-1" });
      assert.equal(unset.body.email, null);
      const { ens, email, user_id } = await profile();
      assert.deepEqual({ ens, email, user_id }, { ens: "ada.eth", email: null, user_id: "u-1" });
    });

    test("a batch sets bad rows aside, and says why", async () => {
      const { status, body } = await site.call("POST", "/v0/profiles/properties", [
        { address: SOL, twitter: "sol", shoes: 42 },
        { address: "0x1", twitter: "x" },
        { address: wallet(1), user_id: null },
        { address: wallet(1), lens: "_is_deleted" },
        { address: wallet(1) },
      ]);
      assert.equal(status, 200);
      assert.deepEqual([body.successful_rows, body.quarantined_rows], [1, 4]);
      assert.deepEqual(
        body.errors.map(({ index, address }: { index: number; address: string }) => [index, address]),
        [
          [1, "0x1"],
          [2, wallet(1)],
          [3, wallet(1)],
          [4, wallet(1)],
        ],
      );
      assert.match(body.errors[1].reason, /user_id/);
      assert.equal((await profile(SOL)).twitter, "sol");
    });

    test("of the writes of a label the latest time counts, whatever comes last", async () => {
      const at = (day: number) => `2026-01-0${day}T00:00:00Z`;
      const one = await site.call("POST", `${PROFILE}/labels`, { tag_id: " VIP ", value: "new", timestamp: at(5) });
      assert.deepEqual(one.body, {
        address: ada,
        tag_id: "vip",
        value: "new",
        chain_id: "",
        source: "import",
        timestamp: "2026-01-05T00:00:00.000Z",
      });
      const several = await site.call("POST", `${PROFILE}/labels`, [
        { tag_id: "vip", value: "old", timestamp: at(3) },
        { tag_id: "vip", value: "chain", chain_id: "1", timestamp: at(3) },
      ]);
      assert.ok(Array.isArray(several.body) && several.body.length === 2);
      const labels = async () => (await profile()).labels.map(({ value, chain_id }: Label) => `${value} ${chain_id}`);
      assert.deepEqual(await labels(), ["new -", "chain 1"]);
      await site.call("POST", "/v0/profiles/labels", [
        { address: ADA, tag_id: "vip", timestamp: at(6), _is_deleted: 1 },
      ]);
      await site.call("POST", `${PROFILE}/labels`, { tag_id: "vip", value: "late", timestamp: at(4) });
      assert.deepEqual(await labels(), ["chain 1"]);
      assert.equal((await site.call("DELETE", `${PROFILE}/labels`, { tag_id: "vip" })).status, 204);
      assert.deepEqual(await labels(), ["chain 1"]);
      const removed = await site.call("DELETE", `${PROFILE}/labels/`, { tag_id: "VIP", chain_id: "1" });
      assert.deepEqual([removed.status, removed.text], [204, ""]);
      assert.deepEqual(await labels(), []);
    });

    test("an import takes both forms, counts a wallet once, and needs no write key", async () => {
      const plain = await site.call("POST", "/v0/import/", { addresses: [wallet(7), "x", SOL], writeKey: "sxw_any" });
      assert.deepEqual(
        [plain.status, plain.body],
        [
          201,
          {
            successful_rows: 2,
            quarantined_rows: 1,
            errors: [{ index: 1, address: "x", reason: plain.body.errors[0].reason }],
          },
        ],
      );
      const rows = [
        { address: wallet(8), properties: { display_name: "Eight", github: null } },
        { address: wallet(9) },
      ];
      const described = await site.call("POST", "/v0/import", { addresses: [wallet(8), wallet(9)], rows });
      assert.deepEqual([described.status, described.body], [201, { successful_rows: 4, quarantined_rows: 0 }]);
      const { display_name, imported_at } = await profile(wallet(8));
      assert.equal(display_name, "Eight");
      assert.ok(imported_at !== null);
      const { total } = (await site.call("GET", `/v0/profiles?search=${wallet(8)}`)).body;
      assert.equal(total, 1);
    });

    test("a repeated request answers the same and writes nothing again", async () => {
      const headers = { "idempotency-key": `once-${backend}` };
      const path = `/v0/profiles/${wallet(20)}/properties`;
      const first = await site.call("PUT", path, { ens: "first.eth" }, { headers });
      await site.call("PUT", path, { ens: "second.eth" });
      const again = await site.call("PUT", path, { ens: "first.eth" }, { headers });
      assert.equal(again.text, first.text);
      assert.equal(again.headers["idempotency-replayed"], "true");
      assert.equal((await profile(wallet(20))).ens, "second.eth");
      const reused = await site.call("PUT", path, { ens: "third.eth" }, { headers });
      assert.deepEqual([reused.status, reused.body.error.code], [400, "INVALID_IDEMPOTENCY_KEY"]);
    });

    test("what a member changes is in the audit log, without the values", async () => {
      const editor = await addPerson(site.api, site.key.workspaceId, "editor", `Grace ${backend}`);
      const path = `/v0/profiles/${wallet(30)}/properties?project_id=${site.project}`;
      assert.equal((await editor.send("PUT", path, { email: "secret@example.com" })).status, 200);
      const { entries } = await listAudit(site.api.store.read, site.key.workspaceId, { page: 1, size: 5 });
      const [entry] = entries;
      assert.deepEqual(
        [entry?.action, entry?.target, entry?.details],
        ["setProfileProperties", wallet(30), { properties: ["email"] }],
      );
      const viewer = await addPerson(site.api, site.key.workspaceId, "viewer", `Vera ${backend}`);
      assert.equal((await viewer.send("PUT", path, { email: "x" })).status, 403);
    });

    test("another workspace sees nothing of it", async () => {
      const other = await site.api.createKey();
      await site.api.createProject(other.workspaceId, "Theirs");
      const { text } = other;
      assert.equal((await site.call("GET", PROFILE, undefined, { text })).status, 404);
      assert.equal((await site.call("GET", "/v0/profiles", undefined, { text })).body.total, 0);
      await site.call("PUT", `${PROFILE}/properties`, { ens: "theirs.eth" }, { text });
      assert.equal((await profile()).ens, "ada.eth");
    });

    test("a segment of fields that profiles have narrows a search, and another is refused", async () => {
      const save = async (field: string) => {
        const body = { title: field, filters: [{ field, op: "eq", value: "desktop" }], project_id: site.project };
        return (await site.call("POST", "/v0/segments", body)).body.id;
      };
      const [device, page] = [await save("device"), await save("page")];
      assert.equal((await site.call("GET", `/v0/profiles?segment=${device}`)).body.total, 0);
      const refused = await site.call("GET", `/v0/profiles?segment=${page}`);
      assert.deepEqual([refused.status, refused.body.error.param], [400, "query.segment.0.field"]);
    });
  });

interface Label {
  value: string;
  chain_id: string;
}
