import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { sql } from "kysely";
import { createLinkKeys } from "../../src/boards/link-keys.ts";
import { LINK_LIMITS } from "../../src/contract/link-limits.ts";
import { deleteProject } from "../../src/control/tenants.ts";
import { newId } from "../../src/lib/ids.ts";
import { startApi, type TestApi, type TestKey } from "../support/api.ts";
import { createCalls } from "../support/calls.ts";
import { expectError } from "../support/envelope.ts";
import { addPerson } from "../support/people.ts";
import { drawnStores } from "../support/stores.ts";

interface Link {
  id: string;
  title: string | null;
  url: string | null;
  has_password: boolean;
  filters: unknown[] | null;
  segment: string | null;
  date_from: string | null;
  date_to: string | null;
  days: number | null;
  frame_ancestors: string[];
  expires_at: string | null;
  expired: boolean;
  updated_at: string | null;
  charts_left_out: number;
  last_used_at: string | null;
  uses: number;
}

const PATH = "/v0/boards";
/** Needs no engine: the stand-in answers a report without columns. */
const CHART = { chart_type: "table", title: "Sources", report: "top_sources" };
const FILTER = { field: "device", op: "eq", value: "mobile" };

for (const backend of drawnStores(import.meta.filename)) {
  describe(`public links of boards in ${backend}`, () => {
    let api: TestApi;
    let key: TestKey;
    before(async () => {
      api = await startApi(backend, {}, []);
      key = await api.createKey();
      await api.createProject(key.workspaceId, "App");
    });
    after(() => api.stop());

    const { call, get } = createCalls(() => ({ api, key }));
    const makeBoard = async (body: object = {}) => {
      const { id } = await get<{ id: string }>("POST", PATH, { title: "Growth", ...body }, 201);
      await get("POST", `${PATH}/${id}/charts`, CHART, 201);
      return id;
    };
    const makeLink = (board: string, body: object = {}) => get<Link>("POST", `${PATH}/${board}/links`, body, 201);
    const list = async (board: string) => (await get<{ data: Link[] }>("GET", `${PATH}/${board}/links`)).data;
    const isPublic = async (board: string) => (await get<{ enabled: boolean }>("GET", `${PATH}/${board}`)).enabled;
    const tokenOf = (link: Link) => (link.url ?? "").split("/").at(-1) ?? "";
    const view = (link: Link) => fetch(`${api.apiUrl}/api/shared/${tokenOf(link)}`);

    test("one is made with all its limits, listed, changed and revoked", async () => {
      const board = await makeBoard();
      const segment = await get<{ id: string }>("POST", "/v0/segments", { title: "Phones", filters: [FILTER] });
      const wanted = {
        title: " For investors ",
        expires_at: "2099-01-01T00:00:00.000Z",
        password: "correct horse",
        filters: [FILTER],
        segment: segment.id,
        date_from: "2026-01-01",
        date_to: "2026-01-31",
        frame_ancestors: ["https://Example.com", "https://example.com", "http://localhost:8080"],
      };
      const made = await makeLink(board, wanted);
      assert.match(made.id, /^lnk_/);
      assert.ok(made.url?.startsWith(`${api.apiUrl}/s/sxs_`), String(made.url));
      assert.deepEqual(
        [made.title, made.has_password, made.filters, made.segment, made.date_from, made.date_to, made.days],
        ["For investors", true, [FILTER], segment.id, "2026-01-01", "2026-01-31", null],
      );
      assert.deepEqual(made.frame_ancestors, ["https://example.com", "http://localhost:8080"]);
      assert.deepEqual([made.expires_at, made.expired], [wanted.expires_at, false]);
      assert.deepEqual([made.uses, made.last_used_at], [0, null]);
      assert.deepEqual(await list(board), [made], "its address can be copied again");
      const path = `${PATH}/${board}/links/${made.id}`;
      const changed = await get<Link>("PATCH", path, { date_from: null, date_to: null, days: 7, password: null });
      assert.deepEqual([changed.days, changed.date_from, changed.has_password], [7, null, false]);
      assert.deepEqual([changed.url, changed.title, changed.segment], [made.url, made.title, made.segment]);
      assert.ok(changed.updated_at);
      assert.equal((await view(changed)).status, 200);
      const again = await fetch(`${api.apiUrl}/api/shared/${tokenOf(changed)}?again=true`);
      assert.equal(again.status, 200, "a page that is open already");
      const [used] = await list(board);
      assert.equal(used?.uses, 1);
      assert.ok(used?.last_used_at);
      assert.equal((await get<Link>("DELETE", path)).id, made.id);
      assert.deepEqual(await list(board), []);
      await expectError(await view(made), "api", 404, "NOT_FOUND");
      await expectError(await call("DELETE", path), "plain", 404, "NOT_FOUND");
    });

    test("the token is stored as a keyed hash and encrypted, the password hashed", async () => {
      const made = await makeLink(await makeBoard(), { password: "correct horse" });
      const row = await api.store.read
        .selectFrom("board_links")
        .selectAll()
        .where("id", "=", made.id)
        .executeTakeFirstOrThrow();
      const stored = JSON.stringify(row);
      assert.ok(!stored.includes(tokenOf(made)) && !stored.includes("correct horse"), stored);
      assert.match(row.password_hash ?? "", /^\$argon2id\$/);
    });

    const refused: [body: object, param: string, code: "BAD_REQUEST" | "INVALID_VALIDATION_REQUEST" | "NOT_FOUND"][] = [
      [{ title: "" }, "body.title", "INVALID_VALIDATION_REQUEST"],
      [{ password: "short" }, "body.password", "INVALID_VALIDATION_REQUEST"],
      [{ expires_at: "2020-01-01T00:00:00Z" }, "body.expires_at", "BAD_REQUEST"],
      [{ expires_at: "tomorrow" }, "body.expires_at", "INVALID_VALIDATION_REQUEST"],
      [{ filters: [{ field: "nothing", op: "eq", value: "x" }] }, "body.filters.0.field", "INVALID_VALIDATION_REQUEST"],
      [{ filters: "device" }, "body.filters", "INVALID_VALIDATION_REQUEST"],
      [
        { filters: [FILTER, { field: "lifecycle", op: "eq", value: "New" }] },
        "body.filters.1.field",
        "INVALID_VALIDATION_REQUEST",
      ],
      [{ segment: newId("seg") }, "body.segment", "NOT_FOUND"],
      [{ days: 0 }, "body.days", "INVALID_VALIDATION_REQUEST"],
      [{ days: 7, date_to: "2026-01-01" }, "body.days", "BAD_REQUEST"],
      [{ date_from: "2026-02-01", date_to: "2026-01-01" }, "body.date_from", "BAD_REQUEST"],
      [{ date_from: "yesterday" }, "body.date_from", "INVALID_VALIDATION_REQUEST"],
      [
        { frame_ancestors: ["https://a.example; script-src *"] },
        "body.frame_ancestors.0",
        "INVALID_VALIDATION_REQUEST",
      ],
      [{ frame_ancestors: ["https://a;b.example"] }, "body.frame_ancestors.0", "INVALID_VALIDATION_REQUEST"],
      [{ frame_ancestors: ["*"] }, "body.frame_ancestors.0", "INVALID_VALIDATION_REQUEST"],
      [{ frame_ancestors: ["https://a.example/path"] }, "body.frame_ancestors.0", "INVALID_VALIDATION_REQUEST"],
      [{ frame_ancestors: ["javascript:alert(1)"] }, "body.frame_ancestors.0", "INVALID_VALIDATION_REQUEST"],
      [{ board_id: "brd_1" }, "body.board_id", "INVALID_VALIDATION_REQUEST"],
    ];
    test("what cannot be a limit is refused by field, for a new link and a change", async () => {
      const board = await makeBoard();
      const link = await makeLink(board);
      for (const [body, param, code] of refused)
        for (const [method, path] of [
          ["POST", `${PATH}/${board}/links`],
          ["PATCH", `${PATH}/${board}/links/${link.id}`],
        ] as const) {
          const failure = await expectError(
            await call(method, path, body),
            "plain",
            code === "NOT_FOUND" ? 404 : 400,
            code,
          );
          assert.equal(failure.param, param, JSON.stringify(body));
        }
      await expectError(
        await call("PATCH", `${PATH}/${board}/links/${link.id}`, {}),
        "plain",
        400,
        "INVALID_VALIDATION_REQUEST",
      );
      assert.equal((await list(board)).length, 1);
    });

    test("a segment of stages of wallets is refused, because most charts do not know them", async () => {
      const board = await makeBoard();
      const filters = [{ field: "lifecycle", op: "eq", value: "New" }];
      const segment = await get<{ id: string }>("POST", "/v0/segments", { title: "New ones", filters });
      const made = await call("POST", `${PATH}/${board}/links`, { segment: segment.id });
      const failure = await expectError(made, "plain", 400, "BAD_REQUEST");
      assert.equal(failure.param, "body.segment");
      assert.match(failure.message, /lifecycle, which only reports about wallets know/);
    });

    test("every answer about a link says how many charts it leaves out", async () => {
      const board = await makeBoard();
      await get("POST", `${PATH}/${board}/charts`, { chart_type: "table", title: "Life", report: "lifecycle" }, 201);
      const link = await makeLink(board, { days: 7 });
      assert.equal(link.charts_left_out, 1);
      assert.deepEqual(
        (await list(board)).map((one) => one.charts_left_out),
        [1],
      );
      const path = `${PATH}/${board}/links/${link.id}`;
      assert.equal((await get<Link>("PATCH", path, { days: null })).charts_left_out, 0);
      const shown = (await (await view(link)).json()) as { data: { charts_left_out: number } };
      assert.equal(shown.data.charts_left_out, 0);
    });

    test("links of before the secret changed have no address, and are listed, changed and revoked", async () => {
      const board = await makeBoard();
      const link = await makeLink(board);
      const { hash, sealed } = createLinkKeys(Buffer.alloc(32, 7)).make(link.id);
      await api.store.write((tx) =>
        sql`UPDATE board_links SET hash = ${hash}, sealed = ${sealed} WHERE id = ${link.id}`.execute(tx),
      );
      assert.deepEqual(await list(board), [{ ...link, url: null }]);
      const path = `${PATH}/${board}/links/${link.id}`;
      assert.equal((await get<Link>("PATCH", path, { title: "Old" })).url, null);
      assert.equal((await get<Link>("DELETE", path)).url, null);
      assert.deepEqual(await list(board), []);
    });

    const expire = (ids: readonly string[]) =>
      api.store.write((tx) =>
        tx
          .updateTable("board_links")
          .set({ expires_at: Date.now() - 1 })
          .where("id", "in", ids)
          .execute(),
      );
    test(`a board has at most ${LINK_LIMITS.perBoard}, and those that have expired make room`, async () => {
      const board = await makeBoard();
      const links: Link[] = [];
      for (let nth = 0; nth < LINK_LIMITS.perBoard; nth += 1) links.push(await makeLink(board));
      const failure = await expectError(await call("POST", `${PATH}/${board}/links`, {}), "plain", 400, "BAD_REQUEST");
      assert.match(failure.message, /at most 20 links/);
      await expire(links.slice(0, 2).map(({ id }) => id));
      const made = await makeLink(board);
      assert.deepEqual(
        (await list(board)).map(({ id }) => id),
        [...links.slice(2), made].map(({ id }) => id),
      );
    });

    test("a board whose links have all expired is not public, and isPublic makes a link that works", async () => {
      const board = await makeBoard({ isPublic: true });
      const [first] = await list(board);
      await expire([first?.id ?? ""]);
      assert.equal(await isPublic(board), false);
      await get("PATCH", `${PATH}/${board}`, { isPublic: true });
      const links = await list(board);
      assert.deepEqual([await isPublic(board), links.map(({ expired }) => expired)], [true, [true, false]]);
      assert.equal((await view(links[1] as Link)).status, 200);
      const limited = await makeLink(board, { expires_at: "2099-01-01T00:00:00Z" });
      await get("DELETE", `${PATH}/${board}/links/${links[1]?.id}`);
      assert.equal(await isPublic(board), true, "until the last one expires");
      await expire([limited.id]);
      assert.equal(await isPublic(board), false);
    });

    test("a link is used by whoever asks a chart, and opened by whoever asks the board", async () => {
      const board = await makeBoard();
      const [{ id: chart } = { id: "" }] = (await get<{ data: { id: string }[] }>("GET", `${PATH}/${board}/charts`))
        .data;
      const link = await makeLink(board);
      await fetch(`${api.apiUrl}/api/shared/${tokenOf(link)}/charts/${chart}`);
      const [used] = await list(board);
      assert.deepEqual([used?.uses, used?.last_used_at === null], [0, false]);
    });

    test("a board is public while it has a link: isPublic makes one if there is none, and revokes all", async () => {
      const board = await makeBoard();
      assert.deepEqual([await isPublic(board), await list(board)], [false, []]);
      await get("PATCH", `${PATH}/${board}`, { isPublic: true });
      await get("PATCH", `${PATH}/${board}`, { isPublic: true });
      const links = await list(board);
      assert.deepEqual([await isPublic(board), links.length], [true, 1]);
      const second = await makeLink(board);
      await get("PATCH", `${PATH}/${board}`, { isPublic: false });
      assert.deepEqual([await isPublic(board), await list(board)], [false, []]);
      for (const link of [...links, second]) await expectError(await view(link), "api", 404, "NOT_FOUND");
      const third = await makeLink(board);
      assert.equal(await isPublic(board), true);
      await get("DELETE", `${PATH}/${board}/links/${third.id}`);
      assert.equal(await isPublic(board), false);
      const open = await makeBoard({ isPublic: true });
      assert.deepEqual([await isPublic(open), (await list(open)).length], [true, 1]);
    });

    test("links stop with their board and with their project, and no row is left", async () => {
      const own = await api.createKey();
      const of = await api.createProject(own.workspaceId, "Gone");
      const bearer = { authorization: `Bearer ${own.text}` };
      const make = async () => {
        const board = ((await (await call("POST", PATH, { title: "b" }, bearer)).json()) as { id: string }).id;
        const link = (await (await call("POST", `${PATH}/${board}/links`, {}, bearer)).json()) as Link;
        assert.equal((await view(link)).status, 200);
        return { board, link };
      };
      const [one, two] = [await make(), await make()];
      assert.equal((await call("DELETE", `${PATH}/${one.board}`, undefined, bearer)).status, 200);
      await expectError(await view(one.link), "api", 404, "NOT_FOUND");
      await api.store.write((tx) => deleteProject(tx, own.workspaceId, of, Date.now()));
      await expectError(await view(two.link), "api", 404, "NOT_FOUND");
      const left = await api.store.read
        .selectFrom("board_links")
        .select("id")
        .where("workspace_id", "=", own.workspaceId)
        .execute();
      assert.deepEqual(left, []);
    });

    test("a segment that limits a link is not deleted silently", async () => {
      const board = await makeBoard();
      const segment = await get<{ id: string }>("POST", "/v0/segments", { title: "Phones", filters: [FILTER] });
      await makeLink(board, { segment: segment.id, title: "Investors" });
      const failure = await expectError(
        await call("DELETE", `/v0/segments/${segment.id}`),
        "plain",
        400,
        "BAD_REQUEST",
      );
      assert.match(failure.message, /The link "Investors of Growth"/);
    });

    test("a repeated request with an idempotency key makes one link and gives the same address", async () => {
      const board = await makeBoard();
      const headers = { "idempotency-key": newId("k") };
      const [first, again] = [
        await call("POST", `${PATH}/${board}/links`, { title: "Once" }, headers),
        await call("POST", `${PATH}/${board}/links`, { title: "Once" }, headers),
      ];
      assert.deepEqual([first.status, again.status, again.headers.get("idempotency-replayed")], [201, 201, "true"]);
      const text = await first.text();
      assert.equal(text, await again.text());
      assert.equal((await list(board)).length, 1);
      const kept = await api.store.read.selectFrom("idempotency").select("body").execute();
      assert.ok(
        kept.every(({ body }) => !body?.includes(tokenOf(JSON.parse(text) as Link))),
        "kept encrypted",
      );
      for (const method of ["PATCH", "DELETE"]) {
        const path = `${PATH}/${board}/links/${(JSON.parse(text) as Link).id}`;
        const body = method === "PATCH" ? { title: "Twice" } : undefined;
        const own = { "idempotency-key": newId("k") };
        const answers = [await call(method, path, body, own), await call(method, path, body, own)];
        assert.deepEqual(
          answers.map(({ status, headers: sent }) => [status, sent.get("idempotency-replayed")]),
          [
            [200, null],
            [200, "true"],
          ],
        );
      }
    });

    test("the record of a request with a password is no hash that guesses can be compared with", async () => {
      const board = await makeBoard();
      const path = `${PATH}/${board}/links`;
      const body = { password: "correct horse" };
      const key = newId("k");
      for (const replayed of [null, "true"]) {
        const answer = await call("POST", path, body, { "idempotency-key": key });
        assert.deepEqual([answer.status, answer.headers.get("idempotency-replayed")], [201, replayed]);
      }
      const record = api.store.read.selectFrom("idempotency").select("fingerprint").where("key", "=", key);
      const { fingerprint } = await record.executeTakeFirstOrThrow();
      const guessed = createHash("sha256")
        .update(`POST\n${path}\n${JSON.stringify(body)}`)
        .digest("base64url");
      assert.notEqual(fingerprint, guessed);
    });

    test("boards:read lists links without their addresses, and makes, changes and revokes none", async () => {
      const board = await makeBoard();
      const link = await makeLink(board);
      const reader = await api.createKey({ workspaceId: key.workspaceId, scopes: ["boards:read"] });
      const bearer = { authorization: `Bearer ${reader.text}` };
      const listed = await call("GET", `${PATH}/${board}/links`, undefined, bearer);
      assert.deepEqual(((await listed.json()) as { data: Link[] }).data, [{ ...link, url: null }]);
      const writes = [
        ["POST", "", {}],
        ["PATCH", `/${link.id}`, { title: "t" }],
        ["DELETE", `/${link.id}`, undefined],
      ] as const;
      const none = await api.createKey({ workspaceId: key.workspaceId, scopes: ["query:read"] });
      for (const [method, rest, body] of writes) {
        const path = `${PATH}/${board}/links${rest}`;
        const failure = await expectError(await call(method, path, body, bearer), "plain", 403, "FORBIDDEN");
        assert.match(failure.message, /boards:write/);
      }
      const without = { authorization: `Bearer ${none.text}` };
      const path = `${PATH}/${board}/links`;
      await expectError(await call("GET", path, undefined, without), "plain", 403, "FORBIDDEN");
    });

    test("what members do to links is in the audit log, without tokens and passwords", async () => {
      const own = await api.createKey();
      const project_id = await api.createProject(own.workspaceId, "Seen");
      const editor = await addPerson(api, own.workspaceId, "editor", `Ada ${backend}`);
      const board = (await (await editor.send("POST", PATH, { title: "b", project_id })).json()) as { id: string };
      const path = `${PATH}/${board.id}/links`;
      const link = (await (
        await editor.send("POST", path, { title: "Out", password: "correct horse" })
      ).json()) as Link;
      assert.equal((await editor.send("PATCH", `${path}/${link.id}`, { days: 3 })).status, 200);
      assert.equal((await editor.send("DELETE", `${path}/${link.id}`)).status, 200);
      const viewer = await addPerson(api, own.workspaceId, "viewer", `Eve ${backend}`);
      assert.equal((await viewer.send("POST", path, {})).status, 403);
      const noted = await api.store.read
        .selectFrom("audit_log")
        .select(["action", "target", "details"])
        .where("workspace_id", "=", own.workspaceId)
        .where("action", "like", "%Link")
        .orderBy("action")
        .execute();
      assert.deepEqual(
        noted.map(({ action, target }) => [action, target]),
        [
          ["changeBoardLink", link.id],
          ["createBoardLink", link.id],
          ["revokeBoardLink", link.id],
        ],
      );
      const details = noted.map((one) => one.details).join();
      assert.ok(!details.includes(tokenOf(link)) && !details.includes("horse") && details.includes("Out"), details);
    });

    test("the audit log names the links that isPublic revokes", async () => {
      const own = await api.createKey();
      const project_id = await api.createProject(own.workspaceId, "Seen");
      const editor = await addPerson(api, own.workspaceId, "editor", `Eva ${backend}`);
      const made = await editor.send("POST", PATH, { title: "b", project_id, isPublic: true });
      const board = (await made.json()) as { id: string };
      await editor.send("POST", `${PATH}/${board.id}/links`, {});
      const { data } = (await (await editor.send("GET", `${PATH}/${board.id}/links`)).json()) as { data: Link[] };
      const ids = data.map(({ id }) => id);
      assert.equal(ids.length, 2);
      assert.equal((await editor.send("PATCH", `${PATH}/${board.id}`, { isPublic: false })).status, 200);
      const noted = await api.store.read
        .selectFrom("audit_log")
        .select("details")
        .where("workspace_id", "=", own.workspaceId)
        .where("action", "like", "%Board")
        .orderBy("action", "desc")
        .execute();
      assert.deepEqual(
        noted.map(({ details }) => JSON.parse(details) as unknown),
        [
          { title: "b", links: ids.slice(0, 1) },
          { title: "b", isPublic: false, links: ids },
        ],
      );
    });

    test("the page has no cookie, tells nobody its address, and is embedded by the listed origins alone", async () => {
      const board = await makeBoard();
      const link = await makeLink(board, { frame_ancestors: ["https://a.example", "https://b.example:8443"] });
      const plain = await makeLink(board);
      const page = (one: Link, query = "") => fetch(`${one.url}${query}`, { headers: { accept: "text/html" } });
      const policyOf = (answer: Response) => answer.headers.get("content-security-policy") ?? "";
      for (const [answer, status, ancestors] of [
        [await page(link), 200, "'none'"],
        [await page(link, "?embed=1"), 200, "https://a.example https://b.example:8443"],
        [await page(link, "?embed=1&embed=1"), 200, "'none'"],
        [await page(plain, "?embed=1"), 200, "'none'"],
        [await page({ ...link, url: `${api.apiUrl}/s/sxs_nothing` }, "?embed=1"), 404, "'none'"],
      ] as const) {
        assert.equal(answer.status, status);
        assert.match(policyOf(answer), new RegExp(`frame-ancestors ${ancestors}$`));
        assert.equal(answer.headers.get("x-frame-options"), ancestors === "'none'" ? "DENY" : null);
        assert.equal(answer.headers.get("referrer-policy"), "no-referrer");
        assert.match(answer.headers.get("x-robots-tag") ?? "", /noindex/);
        assert.equal(answer.headers.get("cache-control"), "no-store");
        assert.equal(answer.headers.get("set-cookie"), null);
        assert.match(answer.headers.get("content-type") ?? "", /^text\/html/);
      }
    });

    test("no token is in a log line", async () => {
      const link = await makeLink(await makeBoard(), { password: "correct horse" });
      const token = tokenOf(link);
      for (const path of [`/s/${token}`, `/api/shared/${token}`, `/api/shared/${token}/nothing`, `/s/${token}/x`])
        await fetch(`${api.apiUrl}${path}`);
      await fetch(`${api.apiUrl}/api/shared/${token}/open`, {
        method: "POST",
        body: "{",
        headers: { "content-type": "application/json" },
      });
      await fetch(`${api.apiUrl}/api/shared/${token}?what=${token}`);
      assert.ok(api.logs.some((line) => line.includes("/api/shared/:token")));
      assert.deepEqual(
        api.logs.filter((line) => line.includes(token) || line.includes("horse")),
        [],
      );
    });
  });
}
