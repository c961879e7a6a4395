import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createLink } from "../../src/accounts/one-time-links.ts";
import { findBiTokenByHash } from "../../src/control/bi-tokens.ts";
import { hashKey } from "../../src/control/key-text.ts";
import { createWorkspace } from "../../src/control/tenants.ts";
import { startApi, TEST_SECRET, type TestApi } from "../support/api.ts";
import { addPerson, newPerson, PASSWORD, setUp, type TestPerson } from "../support/people.ts";
import { drawnStores } from "../support/stores.ts";

interface Account {
  user: { id: string; name: string };
  workspaces: { id: string; role: string }[];
}

interface Link {
  id: string;
  url: string;
}

const tokenOf = ({ url }: Link) => url.split("#token=")[1] ?? "";

for (const backend of drawnStores(import.meta.filename)) {
  describe(`settings on ${backend}`, () => {
    let api: TestApi;
    let owner: TestPerson & { workspaceId: string };
    let workspaceId: string;
    before(async () => {
      api = await startApi(backend, {}, []);
      owner = await setUp(api);
      workspaceId = owner.workspaceId;
    });
    after(() => api.stop());
    const me = async (person: TestPerson) => (await person.get<Account>("GET", "/api/account")).user.id;
    const roleOf = async (person: TestPerson) =>
      (await person.get<Account>("GET", "/api/account")).workspaces.find(({ id }) => id === workspaceId)?.role;

    test("an invite is a link that works once, for a new account or for somebody signed in", async () => {
      const invite = await owner.get<Link>("POST", "/api/settings/invites", { role: "editor", note: "Grace" });
      assert.match(invite.url, /^http:\/\/127\.0\.0\.1:\d+\/invite#token=[\w-]{43}$/);
      const stored = JSON.stringify(await api.store.read.selectFrom("one_time_links").selectAll().execute());
      assert.ok(!stored.includes(tokenOf(invite)));
      const listed = await owner.send("GET", "/api/settings/invites");
      assert.ok(!(await listed.text()).includes(tokenOf(invite)));

      const grace = newPerson(api.apiUrl);
      const read = await grace.get<object>("POST", "/api/links/read", { token: tokenOf(invite) });
      assert.deepEqual(
        { ...read, expiresAt: "" },
        {
          kind: "invite",
          workspace: { name: "First" },
          role: "editor",
          name: null,
          expiresAt: "",
        },
      );
      const accept = (person: TestPerson, name: string, link: Link) =>
        person.send("POST", "/api/invites/accept", { token: tokenOf(link), name, password: PASSWORD });
      assert.equal((await accept(grace, "ada", invite)).status, 409, "the name of somebody else");
      const answers = await Promise.all(["G", "H", "I"].map((name) => accept(newPerson(api.apiUrl), name, invite)));
      assert.deepEqual(
        answers.map(({ status }) => status).sort((a, b) => a - b),
        [200, 404, 404],
      );
      assert.equal((await accept(grace, "Late", invite)).status, 404);

      const second = await owner.get<Link>("POST", "/api/settings/invites", { role: "viewer" });
      const elsewhere = await api.createKey();
      const known = await addPerson(api, elsewhere.workspaceId, "owner");
      assert.equal((await known.send("POST", "/api/invites/accept", { token: tokenOf(second) })).status, 200);
      assert.equal(await roleOf(known), "viewer");
      assert.equal((await known.send("GET", "/api/forms")).status, 400, "two workspaces: which one?");
      const chosen = { "x-sextant-workspace": elsewhere.workspaceId };
      const form = { title: "A", fields: [{ label: "Name", type: "short_text" }] };
      assert.equal((await known.send("POST", "/api/forms", form, chosen)).status, 201);
      const there = { "x-sextant-workspace": workspaceId };
      assert.equal((await known.send("POST", "/api/forms", form, there)).status, 403, "a viewer there");
      const projectId = await api.createProject(elsewhere.workspaceId, "By its id");
      assert.equal((await known.send("GET", `/v0/top_sources?project_id=${projectId}`)).status, 200);
    });

    test("a revoked or expired invite, and one whose maker has left, do not work", async () => {
      const admin = await addPerson(api, workspaceId, "admin");
      const [revoked, left] = [
        await owner.get<Link>("POST", "/api/settings/invites", { role: "viewer" }),
        await admin.get<Link>("POST", "/api/settings/invites", { role: "viewer" }),
      ];
      assert.equal((await owner.send("DELETE", `/api/settings/invites/${revoked.id}`)).status, 200);
      assert.equal((await owner.send("DELETE", `/api/settings/invites/${revoked.id}`)).status, 404);
      assert.equal((await owner.send("DELETE", `/api/settings/members/${admin.userId}`)).status, 200);
      const nowMs = Date.now();
      const old = { kind: "invite", workspaceId, role: "viewer", note: "", createdBy: "", expiresAtMs: nowMs } as const;
      const expired = await api.store.write((tx) => createLink(tx, TEST_SECRET, old, nowMs));
      for (const token of [tokenOf(revoked), tokenOf(left), expired.token, "x"])
        for (const path of ["/api/links/read", "/api/invites/accept"])
          assert.equal((await newPerson(api.apiUrl).send("POST", path, { token, name: "X" })).status, 404, path);
    });

    test("an admin manages editors and viewers, the owner everybody, and nobody the owner", async () => {
      const [admin, other, editor] = [
        await addPerson(api, workspaceId, "admin"),
        await addPerson(api, workspaceId, "admin"),
        await addPerson(api, workspaceId, "editor"),
      ];
      const ownerId = await me(owner);
      const change = async (person: TestPerson, userId: string, role: string) =>
        (await person.send("PATCH", `/api/settings/members/${userId}`, { role })).status;
      const remove = async (person: TestPerson, userId: string) =>
        (await person.send("DELETE", `/api/settings/members/${userId}`)).status;
      assert.equal(await change(admin, editor.userId, "viewer"), 200);
      assert.equal(await change(admin, editor.userId, "admin"), 403);
      assert.equal(await change(admin, other.userId, "viewer"), 403);
      assert.equal(await change(admin, admin.userId, "owner"), 403);
      assert.equal(await change(admin, ownerId, "viewer"), 409);
      assert.equal((await admin.send("POST", "/api/settings/invites", { role: "admin" })).status, 403);
      assert.equal((await owner.send("POST", "/api/settings/invites", { role: "owner" })).status, 400);
      assert.equal(await change(owner, ownerId, "admin"), 409, "a workspace has an owner");
      assert.equal(await remove(owner, ownerId), 409);
      assert.equal(await remove(admin, other.userId), 403);
      assert.equal(await remove(editor, admin.userId), 403);
      assert.equal(await remove(editor, editor.userId), 200, "members may leave");
      assert.equal(await change(owner, other.userId, "editor"), 200);
    });

    test("ownership is handed over: of two handovers at once one succeeds, and there is one owner", async () => {
      const heirs = [await addPerson(api, workspaceId, "admin"), await addPerson(api, workspaceId, "editor")];
      const done = await Promise.all(
        heirs.map(({ userId }) => owner.send("PATCH", `/api/settings/members/${userId}`, { role: "owner" })),
      );
      assert.equal(done.filter(({ status }) => status === 200).length, 1);
      const members = await owner.get<{ userId: string; role: string }[]>("GET", "/api/settings/members");
      const owners = members.filter(({ role }) => role === "owner");
      assert.equal(owners.length, 1);
      assert.equal(members.find(({ userId }) => userId !== owners[0]?.userId)?.role, "admin");
      const heir = heirs.find(({ userId }) => userId === owners[0]?.userId);
      assert.ok(heir);
      const back = await heir.send("PATCH", `/api/settings/members/${await me(owner)}`, { role: "owner" });
      assert.equal(back.status, 200);
    });

    test("projects are created, renamed and set; a name is there once", async () => {
      const made = await owner.get<{ id: string; excludeBots: boolean; moneyUnit: string; timezone: string }>(
        "POST",
        "/api/settings/projects",
        { name: " Shop " },
      );
      assert.equal(made.excludeBots, true, "a new project leaves bots out");
      assert.equal(made.moneyUnit, "USD");
      assert.equal(made.timezone, "UTC");
      assert.equal((await owner.send("POST", "/api/settings/projects", { name: "Shop" })).status, 409);
      const settings = { excludeBots: false, retentionDays: 90, moneyUnit: "ETH", timezone: "Asia/Kolkata" };
      const change = { name: "Store", ...settings };
      const changed = await owner.get<object>("PATCH", `/api/settings/projects/${made.id}`, change);
      assert.deepEqual({ ...changed, createdAt: "" }, { ...change, id: made.id, createdAt: "", isDemo: false });
      await owner.get("PATCH", `/api/settings/projects/${made.id}`, { retentionDays: null });
      const all = await owner.get<{ id: string; retentionDays: number | null }[]>("GET", "/api/settings/projects");
      assert.equal(all.find(({ id }) => id === made.id)?.retentionDays, null);
      assert.equal((await owner.send("PATCH", "/api/settings/projects/prj_x", { name: "X" })).status, 404);
      assert.equal((await owner.send("PATCH", `/api/settings/projects/${made.id}`, { name: "  " })).status, 400);
      const unit = await owner.send("PATCH", `/api/settings/projects/${made.id}`, { moneyUnit: "a b" });
      assert.equal(unit.status, 400);
      for (const timezone of ["+02:00", "Europe/Nowhere"]) {
        const zone = await owner.send("PATCH", `/api/settings/projects/${made.id}`, { timezone });
        assert.equal(zone.status, 400, timezone);
      }
    });

    test("unknown write keys are listed by their beginning, for those who may see keys", async () => {
      const send = (authorization: string) =>
        fetch(`${api.eventsUrl}/v0/raw_events`, {
          method: "POST",
          headers: { "content-type": "application/json", ...(authorization === "" ? {} : { authorization }) },
          body: "[]",
        });
      const path = "/api/settings/unknown-write-keys";
      type Listed = { prefix: string; requests: number; lastAt: string }[];
      assert.deepEqual(await owner.get<Listed>("GET", path), []);
      const wrong = "sxw_badbadbadbadbadbadbadbadbadbadbad";
      for (const authorization of [`Bearer ${wrong}`, "", `Basic ${wrong}`])
        assert.equal((await send(authorization)).status, 401);
      const listed = await owner.get<Listed>("GET", path);
      assert.deepEqual(
        listed.map(({ prefix, requests }) => [prefix, requests]),
        [
          ["sxw_badbad", 2],
          ["", 1],
        ],
      );
      assert.ok(Math.abs(Date.parse(listed[0]?.lastAt ?? "") - Date.now()) < 60_000);
      const editor = await addPerson(api, workspaceId, "editor");
      assert.equal((await editor.send("GET", path)).status, 403);
    });

    test("a key is shown once, works at once with its scopes, and stops when it is revoked", async () => {
      interface Made {
        id: string;
        key: string;
        scopes: string[];
      }
      const body = { name: "Reports", scopes: ["query:read"] };
      const made = await owner.get<Made>("POST", "/api/settings/keys", body);
      const use = (path: string) => fetch(`${api.apiUrl}${path}`, { headers: { authorization: `Bearer ${made.key}` } });
      assert.equal((await use("/v0/top_chains")).status, 200);
      assert.equal((await use("/api/forms")).status, 403);
      assert.ok(!(await (await owner.send("GET", "/api/settings/keys")).text()).includes(made.key));
      assert.equal((await owner.send("DELETE", `/api/settings/keys/${made.id}`)).status, 200);
      assert.equal((await owner.send("DELETE", `/api/settings/keys/${made.id}`)).status, 404);
      const past = await owner.send("POST", "/api/settings/keys", { ...body, expiresAt: "2020-01-01T00:00:00Z" });
      assert.equal(past.status, 400);
      const repeated = { "idempotency-key": "once" };
      const [one, two] = [
        await owner.send("POST", "/api/settings/keys", body, repeated),
        await owner.send("POST", "/api/settings/keys", body, repeated),
      ];
      assert.equal(await one.text(), await two.text());
      assert.ok(!JSON.stringify(await api.store.read.selectFrom("idempotency").selectAll().execute()).includes("sxt_"));
      const another = await addPerson(api, workspaceId, "admin");
      const replayed = await another.send("POST", "/api/settings/keys", body, repeated);
      assert.equal(replayed.status, 400, "an answer that was kept for one user is not replayed to another");
    });

    test("a write key is made for a project of the workspace", async () => {
      const { id: projectId } = await owner.get<{ id: string }>("POST", "/api/settings/projects", { name: "Sending" });
      const made = await owner.get<{ id: string; key: string }>("POST", "/api/settings/write-keys", {
        name: "Web",
        projectId,
      });
      assert.match(made.key, /^sxw_/);
      assert.equal((await owner.send("DELETE", `/api/settings/write-keys/${made.id}`)).status, 200);
      const keys = await owner.get<{ id: string; revokedAt: string | null }[]>("GET", "/api/settings/write-keys");
      assert.ok(keys.find(({ id }) => id === made.id)?.revokedAt);
    });

    test("a BI token is made for a project of the workspace, and lists without its text until it is revoked", async () => {
      interface Token {
        id: string;
        projectId: string;
        lastUsedAt: string | null;
        revokedAt: string | null;
      }
      const { id: projectId } = await owner.get<{ id: string }>("POST", "/api/settings/projects", { name: "Read" });
      const body = { name: "Grafana", projectId };
      const made = await owner.get<Token & { key: string }>("POST", "/api/settings/bi-tokens", body);
      assert.match(made.key, /^sxr_/);
      const { key, ...listed } = made;
      const list = await owner.send("GET", "/api/settings/bi-tokens");
      const text = await list.text();
      assert.ok(!text.includes(key));
      assert.deepEqual((JSON.parse(text) as { data: Token[] }).data, [listed]);
      assert.equal(listed.lastUsedAt, null);
      const stored = await findBiTokenByHash(api.store.read, hashKey(TEST_SECRET, key));
      assert.equal(stored?.projectId, projectId);
      const strange = await owner.send("POST", "/api/settings/bi-tokens", { ...body, projectId: "prj_x" });
      assert.equal(strange.status, 404);
      assert.equal((await owner.send("DELETE", `/api/settings/bi-tokens/${made.id}`)).status, 200);
      assert.equal((await owner.send("DELETE", `/api/settings/bi-tokens/${made.id}`)).status, 404);
      const [revoked] = await owner.get<Token[]>("GET", "/api/settings/bi-tokens");
      assert.ok(revoked?.revokedAt);
    });

    test("the audit log says who did what, without secrets, and nothing of another workspace", async () => {
      const answer = await owner.send("GET", "/api/settings/audit-log?size=100");
      const text = await answer.text();
      const { data, total } = JSON.parse(text) as {
        data: { action: string; actor: { name: string } }[];
        total: number;
      };
      assert.equal(total, data.length);
      for (const action of [
        "signIn",
        "createInvite",
        "acceptInvite",
        "changeMember",
        "createKey",
        "revokeKey",
        "createBiToken",
      ])
        assert.ok(
          data.some((entry) => entry.action === action && entry.actor.name !== ""),
          action,
        );
      assert.doesNotMatch(text, /sxt_|sxw_|sxr_|token=|argon2/);
      const stranger = await api.store.write((tx) => createWorkspace(tx, "Other", Date.now()));
      const other = await addPerson(api, stranger.id, "owner");
      const theirs = (await (await other.send("GET", "/api/settings/audit-log")).json()) as { data: unknown[] };
      assert.deepEqual(theirs.data, []);
    });

    test("a link to reset sets the password once and ends the sessions", async () => {
      const person = await addPerson(api, workspaceId, "viewer", "Forgetful");
      const nowMs = Date.now();
      const link = {
        kind: "reset",
        userId: person.userId,
        note: "",
        createdBy: "",
        expiresAtMs: nowMs + 60_000,
      } as const;
      const { token } = await api.store.write((tx) => createLink(tx, TEST_SECRET, link, nowMs));
      const fresh = newPerson(api.apiUrl);
      assert.equal(
        (await fresh.send("POST", "/api/invites/accept", { token, name: "X", password: PASSWORD })).status,
        404,
      );
      assert.equal((await fresh.send("POST", "/api/reset", { token, password: "forgetful" })).status, 400);
      assert.equal((await fresh.send("POST", "/api/reset", { token, password: PASSWORD })).status, 200);
      assert.equal((await fresh.send("POST", "/api/reset", { token, password: PASSWORD })).status, 404);
      assert.equal((await fresh.get<Account>("GET", "/api/account")).user.name, "Forgetful");
      assert.equal((await person.send("GET", "/api/account")).status, 401);
    });
  });
}
