import assert from "node:assert/strict";
import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { before, describe, test } from "node:test";
import { purgeSubmissions } from "../../src/forms/submissions.ts";
import { startApi } from "../support/api.ts";
import { expectError } from "../support/envelope.ts";
import {
  callApi,
  EVERY_ANSWER,
  EVERY_FIELD,
  EVERY_ITEM,
  type Item,
  makeForm,
  pageToken,
  pollItems,
  postPage,
  sendJson,
} from "../support/forms.ts";
import { drawnStores } from "../support/stores.ts";
import { useApi } from "../support/use-api.ts";
import { waitFor } from "../support/wait.ts";

const POST_ALL: [string, string][] = Object.entries(EVERY_ANSWER).flatMap(([key, value]) => {
  const texts: readonly unknown[] = Array.isArray(value) ? value : [value];
  return texts.map((one): [string, string] => {
    const { name, address } = one as { name?: string; address?: string };
    return [key, String(name ?? address ?? one)];
  });
});

/** How many a limit of five a minute may have let through since now: five at once, and one more each 12 s. */
function fiveAMinute(): () => number {
  const startedAt = performance.now();
  return () => 5 + Math.floor((performance.now() - startedAt) / 12_000);
}

for (const backend of drawnStores(import.meta.filename)) {
  describe(`submissions on ${backend}`, () => {
    const suite = useApi(backend);
    const list = async (formId: string, query = "") =>
      (await (await callApi(suite.api, suite.key, "GET", `/api/forms/${formId}/submissions${query}`)).json()) as {
        data: Item[];
        total: number;
        has_more: boolean;
      };

    describe("200", () => {
      test("poll returns exactly the ten newest by time and id, descending; the list has all in pages", async () => {
        const form = await makeForm(suite.api, suite.key);
        const rows = Array.from({ length: 25 }, (_, i) => ({
          id: `sub_${["a", "B", "b", "A", "0"][i % 5]}${i}`,
          workspace_id: suite.key.workspaceId,
          form_id: form.id,
          submitted_at: 1_700_000_000_000 + Math.floor(i / 7),
          item: JSON.stringify({ name: `N${i}` }),
          token_hash: null,
          spam: 0,
          spam_reason: null,
        }));
        await suite.api.store.write((tx) => tx.insertInto("submissions").values(rows).execute());
        const newest = rows
          .sort((a, b) => b.submitted_at - a.submitted_at || (a.id < b.id ? 1 : -1))
          .map((row) => row.id);
        const ids = (items: Item[]) => items.map((item) => item.submissionId);
        assert.deepEqual(ids(await pollItems(suite.api, suite.key, form.id)), newest.slice(0, 10));
        const pages = await Promise.all([1, 2, 3].map((page) => list(form.id, `?size=10&page=${page}`)));
        assert.deepEqual(
          pages.flatMap((page) => ids(page.data)),
          newest,
        );
        assert.deepEqual(
          pages.map((page) => [page.total, page.has_more]),
          [
            [25, true],
            [25, true],
            [25, false],
          ],
        );
      });
    });

    describe("201", () => {
      test("poll returns JSON answers of every type as the contract says", async () => {
        const form = await makeForm(suite.api, suite.key, EVERY_FIELD);
        const before = Date.now();
        const answer = await sendJson(suite.api, form.id, EVERY_ANSWER);
        assert.equal(answer.status, 201);
        const body = (await answer.json()) as { isSuccess: boolean; data: { submissionId: string } };
        const [item, ...others] = await pollItems(suite.api, suite.key, form.id);
        const submittedAt = String(item?.submittedAt);
        const { submissionId } = body.data;
        const named = { id: submissionId, submissionId, formId: form.id, formTitle: form.title, submittedAt };
        assert.deepEqual([item, others.length], [{ ...named, ...EVERY_ITEM }, 0]);
        assert.equal(new Date(submittedAt).toISOString(), submittedAt);
        assert.ok(Date.parse(submittedAt) >= before && Date.parse(submittedAt) <= Date.now());
        assert.deepEqual(body, { isSuccess: true, data: { submissionId } });
      });

      test("an Idempotency-Key is one submission and response, byte for byte; another body is refused", async () => {
        const form = await makeForm(suite.api, suite.key);
        const headers = { "idempotency-key": "once" };
        const first = await sendJson(suite.api, form.id, { name: "Ada" }, headers);
        const again = await sendJson(suite.api, form.id, { name: "Ada" }, headers);
        assert.deepEqual([first.status, again.status], [201, 201]);
        assert.equal(again.headers.get("idempotency-replayed"), "true");
        assert.equal(await again.text(), await first.text());
        assert.equal((await list(form.id)).total, 1);
        const other = await sendJson(suite.api, form.id, { name: "Grace" }, headers);
        await expectError(other, "api", 400, "INVALID_IDEMPOTENCY_KEY");
        const failed = await sendJson(suite.api, form.id, {}, { "idempotency-key": "released" });
        await expectError(failed, "api", 400, "INVALID_VALIDATION_REQUEST");
        const parallel = await Promise.all(
          Array.from({ length: 10 }, () =>
            sendJson(suite.api, form.id, { name: "Ada" }, { "idempotency-key": "released" }),
          ),
        );
        assert.ok(parallel.every(({ status }) => status === 201 || status === 409));
        assert.equal((await list(form.id)).total, 2);
      });

      test("an Idempotency-Key of a visitor does not collide with the workspace's own", async () => {
        const form = await makeForm(suite.api, suite.key);
        const headers = { "idempotency-key": "shared" };
        assert.equal((await sendJson(suite.api, form.id, { name: "Ada" }, headers)).status, 201);
        assert.equal((await callApi(suite.api, suite.key, "POST", "/api/forms", EVERY_FIELD, headers)).status, 201);
      });
    });

    describe("303", () => {
      test("a posted page redirects to the thanks page, and poll returns the same answers", async () => {
        const form = await makeForm(suite.api, suite.key, EVERY_FIELD);
        const answer = await postPage(suite.api, form.id, [
          ...POST_ALL,
          ["_token", pageToken(form.id)],
          ["_homepage", ""],
        ]);
        assert.equal(answer.status, 303, await answer.text());
        const thanks = new URL(answer.headers.get("location") ?? "", `${suite.api.apiUrl}/f/${form.id}`);
        assert.match(await (await fetch(thanks)).text(), /Thank you/);
        const [item] = await pollItems(suite.api, suite.key, form.id);
        assert.partialDeepStrictEqual(item, { ...EVERY_ITEM, cv: { name: "cv.pdf", size: null, type: null } });
      });

      test("a page sent ten times at once, and once more later, is one submission", async () => {
        const form = await makeForm(suite.api, suite.key);
        const sent = { name: "Ada", _token: pageToken(form.id) };
        const answers = await Promise.all(Array.from({ length: 10 }, () => postPage(suite.api, form.id, sent)));
        answers.push(await postPage(suite.api, form.id, sent));
        for (const answer of answers) assert.equal(answer.status, 303);
        assert.equal((await list(form.id)).total, 1);
      });

      test("suspected spam gets the thanks page, is not in poll and list, and can be read on request", async () => {
        const form = await makeForm(suite.api, suite.key);
        const trapped = { name: "Robot", _homepage: "https://spam.example", _token: pageToken(form.id) };
        assert.equal((await postPage(suite.api, form.id, trapped)).status, 303);
        assert.equal(
          (await postPage(suite.api, form.id, { name: "Hasty", _token: pageToken(form.id, 0) })).status,
          303,
        );
        assert.deepEqual(await pollItems(suite.api, suite.key, form.id), []);
        assert.equal((await list(form.id)).total, 0);
        const spam = await list(form.id, "?spam=true");
        const reasons = spam.data.map((item) => [item.name, item.spamReason].join(" "));
        assert.deepEqual(reasons.sort(), ["Hasty too_fast", "Robot honeypot"]);
      });
    });

    describe("409", () => {
      test("a page sent again with other answers says so and keeps them; sent once more, they count", async () => {
        const form = await makeForm(suite.api, suite.key);
        const token = pageToken(form.id);
        await postPage(suite.api, form.id, { name: "Ada", _token: token });
        const other = await postPage(suite.api, form.id, { name: "Grace", _token: token });
        const page = await other.text();
        assert.equal(other.status, 409);
        assert.match(page, /have arrived already/);
        assert.match(page, /value="Grace"/);
        const fresh = /name="_token" value="([^"]+)"/.exec(page)?.[1] ?? "";
        assert.equal((await postPage(suite.api, form.id, { name: "Grace", _token: fresh })).status, 303);
        const names = (await pollItems(suite.api, suite.key, form.id)).map((item) => String(item.name));
        assert.deepEqual(names.sort(), ["Ada", "Grace"]);
      });
    });

    test("submissions of deleted forms and old spam are erased, others are not", async () => {
      const form = await makeForm(suite.api, suite.key);
      const gone = await makeForm(suite.api, suite.key);
      await sendJson(suite.api, form.id, { name: "Ada" });
      await sendJson(suite.api, gone.id, { name: "Ada" });
      await postPage(suite.api, form.id, { name: "Robot", _homepage: "x", _token: pageToken(form.id) });
      await callApi(suite.api, suite.key, "DELETE", `/api/forms/${gone.id}`);
      const kept = async () =>
        (
          await suite.api.store.read
            .selectFrom("submissions")
            .select(["form_id", "spam"])
            .where("form_id", "in", [form.id, gone.id])
            .orderBy("spam")
            .execute()
        ).map((row) => `${row.form_id === gone.id ? "gone" : "kept"} ${row.spam}`);
      await purgeSubmissions(suite.api.store, Date.now());
      assert.deepEqual(await kept(), ["kept 0", "kept 1"]);
      await purgeSubmissions(suite.api.store, Date.now() + 31 * 86_400_000);
      assert.deepEqual(await kept(), ["kept 0"]);
    });
  });
}

describe("POST /f/{formId}", () => {
  const suite = useApi("sqlite");
  let formId: string;
  before(async () => {
    formId = (await makeForm(suite.api, suite.key, EVERY_FIELD)).id;
  });

  describe("200", () => {
    test("the page forbids scripts, frames, foreign hosts and copies of itself", async () => {
      const answer = await fetch(`${suite.api.apiUrl}/f/${formId}`);
      const page = await answer.text();
      const policy = answer.headers.get("content-security-policy") ?? "";
      for (const rule of ["default-src 'none'", "form-action 'self'", "frame-ancestors 'none'", "base-uri 'none'"])
        assert.ok(policy.includes(rule), policy);
      assert.doesNotMatch(policy, /unsafe-inline|script-src|https?:/);
      assert.equal(answer.headers.get("cache-control"), "no-store");
      assert.equal(answer.headers.get("x-content-type-options"), "nosniff");
      assert.doesNotMatch(page, /<script| style="|(src|href|action)="(https?:)?\/\//);
    });
  });

  describe("201", () => {
    test("a program may post texts like an HTML form, without loading the page", async () => {
      const form = await makeForm(suite.api, suite.key);
      const answer = await postPage(suite.api, form.id, { name: "Ada", unknown: "x" }, {});
      assert.equal(answer.status, 201);
      assert.match(answer.headers.get("content-type") ?? "", /^application\/json/);
    });
  });

  describe("400", () => {
    test("JSON gets every wrong field by its key, and nothing is stored", async () => {
      const wrong = { email: "x", age: "x", country: "fr", wallet: "0x12", nickname: "?" };
      const error = await expectError(
        await sendJson(suite.api, formId, wrong),
        "api",
        400,
        "INVALID_VALIDATION_REQUEST",
      );
      assert.deepEqual(Object.keys(error.details ?? {}).sort(), [
        "body.age",
        "body.country",
        "body.email",
        "body.i_agree",
        "body.name",
        "body.nickname",
        "body.rating",
        "body.wallet",
      ]);
      assert.equal(error.details?.["body.name"], "is required");
      assert.deepEqual(await pollItems(suite.api, suite.key, formId), []);
    });

    test("a body that is empty, not JSON or not an object is refused", async () => {
      for (const body of [[], null, "x", 7])
        await expectError(await sendJson(suite.api, formId, body), "api", 400, "INVALID_VALIDATION_REQUEST");
      const broken = { method: "POST", headers: { "content-type": "application/json" }, body: "{" };
      await expectError(await fetch(`${suite.api.apiUrl}/f/${formId}`, broken), "api", 400, "BAD_REQUEST");
      await expectError(
        await fetch(`${suite.api.apiUrl}/f/${formId}`, { method: "POST" }),
        "api",
        400,
        "INVALID_VALIDATION_REQUEST",
      );
    });

    test("the page shows the errors beside the fields, keeps what was typed, and stores nothing", async () => {
      const typed = {
        name: 'A"><script>',
        email: "x",
        biography: "\nfirst line\n",
        interests: "art",
        size: "s",
        cv: "cv.pdf",
      };
      const answer = await postPage(suite.api, formId, { ...typed, _token: pageToken(formId) });
      const page = await answer.text();
      assert.equal(answer.status, 400);
      assert.match(page, /<title>Error: /);
      assert.match(page, /value="A&quot;&gt;&lt;script&gt;"/);
      assert.match(
        page,
        /id="field-email" name="email" required aria-invalid="true" aria-describedby="field-email-error"/,
      );
      assert.match(page, /id="field-email-error">Enter an email address/);
      assert.match(page, /<a href="#field-country">Country<\/a>/);
      assert.match(page, /<textarea[^>]*>\n\nfirst line\n<\/textarea>/);
      assert.match(page, /value="art" id="field-interests-2" checked/);
      assert.match(page, /type="hidden" name="cv" value="cv.pdf"/);
      assert.deepEqual(await pollItems(suite.api, suite.key, formId), []);
    });

    test("a page with a foreign, missing or expired token is shown again to be sent once more", async () => {
      const form = await makeForm(suite.api, suite.key);
      const elsewhere = pageToken(formId);
      const tokens: [token: string, isOurs: boolean][] = [
        ["", false],
        ["forged", false],
        [elsewhere, false],
        [pageToken(form.id, 25 * 3_600_000), true],
      ];
      for (const [token, isOurs] of tokens) {
        const startedAtMs = Date.now();
        const answer = await postPage(suite.api, form.id, { name: "Ada", _token: token });
        const page = await answer.text();
        assert.equal(answer.status, 400);
        assert.match(page, /Please send once more/);
        const fresh = /name="_token" value="([^"]+)"/.exec(page)?.[1] ?? "";
        // The time to fill in the page has passed already only for whoever had a page of ours.
        const issuedAtMs = Number(Buffer.from(fresh, "base64url").readBigUInt64BE());
        assert.equal(issuedAtMs < startedAtMs, isOurs, token);
        assert.equal((await postPage(suite.api, form.id, { name: "Ada", _token: fresh })).status, 303);
      }
      assert.ok((await pollItems(suite.api, suite.key, form.id)).length >= 1);
    });
  });

  describe("404", () => {
    test("an unknown form is a friendly page for people and the envelope for programs", async () => {
      for (const id of ["frm_0000000000000000000000", "x", "%00"]) {
        for (const answer of [
          await fetch(`${suite.api.apiUrl}/f/${id}`),
          await postPage(suite.api, id, { name: "Ada" }),
        ]) {
          assert.equal(answer.status, 404);
          assert.match(answer.headers.get("content-type") ?? "", /^text\/html/);
          assert.match(await answer.text(), /This form is not here/);
        }
        const json = await fetch(`${suite.api.apiUrl}/f/${id}`, { headers: { accept: "application/json" } });
        await expectError(json, "api", 404, "NOT_FOUND");
        await expectError(await sendJson(suite.api, id, {}), "api", 404, "NOT_FOUND");
      }
    });
  });

  describe("405, 413, 415", () => {
    test("people get a page, programs get the error envelope", async () => {
      await expectError(await fetch(`${suite.api.apiUrl}/f/${formId}`, { method: "PUT" }), "api", 405, "BAD_REQUEST");
      const large = { name: "x".repeat(1_100_000) };
      await expectError(await sendJson(suite.api, formId, large), "api", 413, "BAD_REQUEST");
      const page = await postPage(suite.api, formId, large);
      assert.equal(page.status, 413);
      assert.match(await page.text(), /That was too much/);
      const xml = { method: "POST", headers: { "content-type": "text/xml" }, body: "<a/>" };
      await expectError(await fetch(`${suite.api.apiUrl}/f/${formId}`, xml), "api", 415, "BAD_REQUEST");
      await expectError(
        await postPage(
          suite.api,
          formId,
          "&x"
            .repeat(30_000)
            .split("&")
            .map((k) => [k, ""]),
          {},
        ),
        "api",
        400,
        "BAD_REQUEST",
      );
    });
  });
});

describe("limits of hosted forms", () => {
  describe("429", () => {
    test("limits an address to 60 posts a minute; people keep what they typed", async (t) => {
      const api = await startApi("sqlite", { formAddressPerMinute: 60 }, []);
      t.after(() => api.stop());
      const key = await api.createKey();
      const form = await makeForm(api, key);
      const startedAt = performance.now();
      const post = () => sendJson(api, form.id, { name: "Ada" });
      const statuses = await Promise.all(Array.from({ length: 80 }, async () => (await post()).status));
      const accepted = statuses.filter((status) => status === 201).length;
      // One more each second that this takes.
      const most = 60 + Math.ceil((performance.now() - startedAt) / 1000);
      assert.ok(accepted >= 60 && accepted <= most, `${accepted} of at most ${most}`);
      const refused = await waitFor("a refusal", async () => {
        const answer = await post();
        return answer.status === 429 && answer;
      });
      assert.match(refused.headers.get("retry-after") ?? "", /^\d+$/);
      await expectError(refused, "api", 429, "TOO_MANY_REQUESTS");
      const page = await waitFor("a refusal of a page", async () => {
        const answer = await postPage(api, form.id, { name: "Grace", _token: pageToken(form.id) });
        return answer.status === 429 && answer;
      });
      assert.match(await page.text(), /value="Grace"/);
      assert.equal((await fetch(`${api.apiUrl}/f/${form.id}`)).status, 200);
      const lines = api.logs.filter((line) => !line.includes("Server listening")).join("");
      assert.doesNotMatch(lines, /127\.0\.0\.1/);
    });

    test("is answered before the body is read", async (t) => {
      const api = await startApi("sqlite", { formAddressPerMinute: 1 }, []);
      t.after(() => api.stop());
      const form = await makeForm(api, await api.createKey());
      assert.equal((await sendJson(api, form.id, { name: "Ada" })).status, 201);
      for (const accept of ["application/json", "text/html"]) {
        const request = httpRequest(`${api.apiUrl}/f/${form.id}`, {
          method: "POST",
          headers: { accept, "content-type": "application/x-www-form-urlencoded", "content-length": 1_000_000 },
          signal: AbortSignal.timeout(20_000),
        });
        const answered = once(request, "response");
        // The body never comes: whoever waits for it answers 408 after 30 s.
        request.flushHeaders();
        const [answer] = (await answered) as [IncomingMessage];
        assert.equal(answer.statusCode, 429);
        request.destroy();
      }
    });

    test("limits the pages that one address opens", async (t) => {
      const api = await startApi("sqlite", { pageAddressPerMinute: 5 }, []);
      t.after(() => api.stop());
      const form = await makeForm(api, await api.createKey());
      const paths = [`/f/${form.id}`, "/docs", "/docs/errors", "/openapi.json", "/docs"];
      const mayBeTaken = fiveAMinute();
      for (const path of paths) assert.equal((await fetch(`${api.apiUrl}${path}`)).status, 200);
      let taken = paths.length;
      const refusalOf = async (path: string) => {
        for (;;) {
          const answer = await fetch(`${api.apiUrl}${path}`);
          if (answer.status === 429) return answer;
          assert.equal(answer.status, 200);
          taken += 1;
          assert.ok(taken <= mayBeTaken(), `${taken} pages`);
        }
      };
      for (const path of paths) assert.match((await refusalOf(path)).headers.get("retry-after") ?? "", /^\d+$/);
      assert.match(await (await refusalOf(`/f/${form.id}`)).text(), /Please wait a moment/);
      assert.equal((await fetch(`${api.opsUrl}/healthz`)).status, 200);
    });

    test("limits the posts to one form from all addresses; other forms still work", async (t) => {
      const api = await startApi("sqlite", { formPerMinute: 5 }, []);
      t.after(() => api.stop());
      const key = await api.createKey();
      const [busy, calm] = [await makeForm(api, key), await makeForm(api, key)];
      const mayBeTaken = fiveAMinute();
      const statuses: number[] = [];
      while (statuses.at(-1) !== 429) {
        assert.ok(statuses.length <= mayBeTaken(), `${statuses.length} posts`);
        statuses.push((await sendJson(api, busy.id, { name: "Ada" })).status);
      }
      assert.ok(statuses.length > 5);
      assert.ok(
        statuses.slice(0, -1).every((status) => status === 201),
        statuses.join(),
      );
      assert.equal((await sendJson(api, calm.id, { name: "Ada" })).status, 201);
    });
  });
});
