import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { FORM_LIMITS, type FormView } from "../../src/contract/forms.ts";
import { expectError } from "../support/envelope.ts";
import { callApi, EVERY_ANSWER, EVERY_FIELD, EVERY_ITEM, makeForm, pollItems, sendJson } from "../support/forms.ts";
import { drawnStores } from "../support/stores.ts";
import { useApi } from "../support/use-api.ts";

for (const backend of drawnStores(import.meta.filename)) {
  describe(`form management on ${backend}`, () => {
    const suite = useApi(backend);
    const call = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
      callApi(suite.api, suite.key, method, path, body, headers);
    const dataOf = async (answer: Response) => ((await answer.json()) as { data: FormView }).data;

    describe("200", () => {
      test("lists are paged, newest first", async () => {
        const other = await suite.api.createKey();
        const made = [];
        for (const title of ["A", "B", "C"])
          made.push(await makeForm(suite.api, other, { title, fields: [{ label: "Name", type: "short_text" }] }));
        const newest = made.sort((a, b) => b.createdAt.localeCompare(a.createdAt) || (a.id < b.id ? 1 : -1));
        const page = async (query: string) =>
          (await callApi(suite.api, other, "GET", `/api/forms${query}`)).json() as Promise<{ data: FormView[] }>;
        assert.deepEqual(await page("?size=2"), {
          data: newest.slice(0, 2),
          total: 3,
          page: 1,
          size: 2,
          has_more: true,
        });
        assert.deepEqual(await page("?size=2&page=2"), {
          data: newest.slice(2),
          total: 3,
          page: 2,
          size: 2,
          has_more: false,
        });
        assert.deepEqual(await page("?page=9"), { data: [], total: 3, page: 9, size: 50, has_more: false });
      });

      test("one submission is read by its id; under another form it is 404", async () => {
        const form = await makeForm(suite.api, suite.key, EVERY_FIELD);
        const sent = await sendJson(suite.api, form.id, EVERY_ANSWER);
        const { submissionId } = ((await sent.json()) as { data: { submissionId: string } }).data;
        const answer = await call("GET", `/api/forms/${form.id}/submissions/${submissionId}`);
        assert.equal(answer.status, 200);
        const [polled] = await pollItems(suite.api, suite.key, form.id);
        assert.deepEqual(await answer.json(), { isSuccess: true, data: polled });
        const other = await makeForm(suite.api, suite.key);
        for (const path of [`${other.id}/submissions/${submissionId}`, `${form.id}/submissions/sub_%00`])
          await expectError(await call("GET", `/api/forms/${path}`), "api", 404, "NOT_FOUND");
      });

      test("a response holds about 8 MiB, and continuing from its page and size misses nothing", async () => {
        const other = await suite.api.createKey();
        const form = await makeForm(suite.api, other, {
          title: "Long",
          fields: [{ label: "Text", type: "long_text" }],
        });
        const item = JSON.stringify({ text: "é".repeat(250_000) });
        const ids = Array.from({ length: 20 }, (_, i) => `sub_${String.fromCharCode(97 + i)}`);
        const fields = JSON.stringify([{ ...form.fields[0], help: "é".repeat(500_000) }]);
        for (const [i, id] of ids.entries())
          await suite.api.store.write(async (tx) => {
            const owner = { workspace_id: other.workspaceId };
            const place = { ...owner, form_id: form.id, token_hash: null, spam: 0, spam_reason: null };
            await tx
              .insertInto("submissions")
              .values({ ...place, id, item, submitted_at: i })
              .execute();
            if (i >= 9) return;
            const one = { ...owner, id: `frm_${id.slice(4)}`, title: "Big", description: "", fields, version: 1 };
            await tx
              .insertInto("forms")
              .values({ ...one, created_at: 0, updated_at: 0, deleted_at: null })
              .execute();
          });
        async function walk(path: string): Promise<string[]> {
          const seen: string[] = [];
          for (let query = "page=1&size=200", more = true; more; ) {
            const text = await (await callApi(suite.api, other, "GET", `${path}?${query}`)).text();
            assert.ok(text.length > 0 && Buffer.byteLength(text) < 9 * 1024 * 1024, `${Buffer.byteLength(text)} bytes`);
            const list = JSON.parse(text) as { data: { id: string }[]; page: number; size: number; has_more: boolean };
            seen.push(...list.data.map((one) => one.id));
            more = list.has_more;
            query = `page=${list.page + 1}&size=${list.size}`;
          }
          return seen;
        }
        assert.deepEqual(await walk(`/api/forms/${form.id}/submissions`), ids.toReversed());
        const forms = [
          form.id,
          ...ids
            .slice(0, 9)
            .reverse()
            .map((id) => `frm_${id.slice(4)}`),
        ];
        assert.deepEqual(await walk("/api/forms"), forms);
      });

      test("an update keeps ids and keys, changes the time, and leaves submissions unchanged", async () => {
        const form = await makeForm(suite.api, suite.key, EVERY_FIELD);
        assert.equal((await sendJson(suite.api, form.id, EVERY_ANSWER)).status, 201);
        const fields = form.fields.map((field) =>
          field.key === "country"
            ? { ...field, options: [{ label: "Österreich", value: "at" }] }
            : field.key === "interests"
              ? { ...field, options: [{ label: "Other", value: "other" }] }
              : field,
        );
        const answer = await call("PUT", `/api/forms/${form.id}`, { title: "New title", fields });
        assert.equal(answer.status, 200);
        const changed = await dataOf(answer);
        assert.deepEqual(
          changed.fields.map(({ id, key: name }) => [id, name]),
          form.fields.map(({ id, key: name }) => [id, name]),
        );
        assert.equal(changed.description, "");
        assert.ok(changed.updatedAt >= form.updatedAt);
        const [item] = await pollItems(suite.api, suite.key, form.id);
        assert.partialDeepStrictEqual(item, { ...EVERY_ITEM, formTitle: "New title" });
        assert.equal((await sendJson(suite.api, form.id, { ...EVERY_ANSWER, interests: ["other"] })).status, 201);
        const [newer] = await pollItems(suite.api, suite.key, form.id);
        assert.equal(newer?.country, "Österreich");
      });

      test("a deleted form is gone for all clients, together with its submissions", async () => {
        const form = await makeForm(suite.api, suite.key);
        await sendJson(suite.api, form.id, { name: "Ada" });
        const answer = await call("DELETE", `/api/forms/${form.id}`);
        assert.deepEqual([answer.status, await answer.json()], [200, { isSuccess: true, data: { id: form.id } }]);
        for (const path of [
          `/api/forms/${form.id}`,
          `/api/forms/${form.id}/submissions`,
          `/api/webhooks/${form.id}/poll`,
        ])
          await expectError(await call("GET", path), "api", 404, "NOT_FOUND");
        await expectError(await call("DELETE", `/api/forms/${form.id}`), "api", 404, "NOT_FOUND");
        await expectError(await sendJson(suite.api, form.id, { name: "Ada" }), "api", 404, "NOT_FOUND");
        const { data } = (await (await call("GET", "/api/forms?size=200")).json()) as { data: FormView[] };
        assert.ok(!data.some(({ id }) => id === form.id));
      });
    });

    describe("201", () => {
      test("a new form has its URL, and every field its id and key", async () => {
        const answer = await call("POST", "/api/forms", EVERY_FIELD);
        assert.equal(answer.status, 201);
        const body = (await answer.json()) as { isSuccess: boolean; data: FormView };
        assert.equal(body.isSuccess, true);
        const { data } = body;
        assert.equal(data.url, `${suite.api.apiUrl}/f/${data.id}`);
        assert.equal(data.title, EVERY_FIELD.title);
        assert.equal(new Date(data.createdAt).toISOString(), data.createdAt);
        assert.equal(data.updatedAt, data.createdAt);
        const keys = [null, null, ...Object.keys(EVERY_ANSWER)];
        assert.deepEqual(
          data.fields.map((field) => field.key),
          keys,
        );
        assert.equal(new Set(data.fields.map((field) => field.id)).size, keys.length);
        assert.partialDeepStrictEqual(data.fields[9], {
          label: "Country",
          type: "select",
          required: true,
          options: [{ label: "Germany", value: "de" }],
        });
        assert.deepEqual(await dataOf(await call("GET", `/api/forms/${data.id}`)), data);
      });

      test("the same Idempotency-Key creates one form, also in parallel", async () => {
        const send = () =>
          call("POST", "/api/forms", EVERY_FIELD, { "idempotency-key": "one form" }).then(async (answer) => ({
            status: answer.status,
            text: await answer.text(),
          }));
        const answers = await Promise.all(Array.from({ length: 10 }, send));
        const made = new Set(answers.filter(({ status }) => status === 201).map(({ text }) => text));
        assert.equal(made.size, 1);
        assert.ok(answers.every(({ status }) => status === 201 || status === 409));
        assert.equal((await send()).text, [...made][0]);
      });
    });

    describe("404", () => {
      test("an unknown or malformed form id is not found", async () => {
        for (const id of ["frm_0000000000000000000000", "x", "%00", "frm_%00", "'; drop table forms", "💥"])
          for (const [method, body] of [["GET"], ["PUT", EVERY_FIELD], ["DELETE"]] as const)
            await expectError(await call(method, `/api/forms/${id}`, body), "api", 404, "NOT_FOUND");
      });
    });

    describe("409", () => {
      test("of parallel updates of one version each is stored or gets 409; none is lost silently", async () => {
        const form = await makeForm(suite.api, suite.key);
        const put = (title: string) => call("PUT", `/api/forms/${form.id}`, { title, fields: form.fields });
        const statuses = (await Promise.all(Array.from({ length: 8 }, (_, i) => put(`T${i}`)))).map(
          (answer) => answer.status,
        );
        assert.ok(statuses.every((status) => status === 200 || status === 409));
        const row = await suite.api.store.read
          .selectFrom("forms")
          .select("version")
          .where("id", "=", form.id)
          .executeTakeFirstOrThrow();
        assert.equal(row.version, 1 + statuses.filter((status) => status === 200).length);
      });
    });
  });
}

describe("form management", () => {
  const suite = useApi("sqlite");
  const post = (body: unknown) => callApi(suite.api, suite.key, "POST", "/api/forms", body);

  describe("201", () => {
    test("names such as __proto__ and constructor are ordinary titles, labels and keys", async () => {
      const form = await makeForm(suite.api, suite.key, {
        title: "__proto__",
        fields: [
          { label: "__proto__", type: "short_text" },
          { label: "constructor", type: "short_text" },
          { label: "toString", type: "short_text" },
        ],
      });
      const answers = { proto: "a", constructor: "b", to_string: "c" };
      assert.equal((await sendJson(suite.api, form.id, answers)).status, 201);
      const [item] = await pollItems(suite.api, suite.key, form.id);
      assert.deepEqual([item?.proto, item?.constructor, item?.to_string], ["a", "b", "c"]);
      const sly = await fetch(`${suite.api.apiUrl}/f/${form.id}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: '{"__proto__": {"proto": "x"}}',
      });
      const error = await expectError(sly, "api", 400, "INVALID_VALIDATION_REQUEST");
      assert.deepEqual(error.details, { "body.__proto__": "is not a field of this form" });
    });
  });

  describe("400", () => {
    const wrong: [string, object, Record<string, string>][] = [
      ["nothing", {}, { "body.title": "is required", "body.fields": "is required" }],
      ["no field", { title: "T", fields: [] }, { "body.fields": "must have at least 1 item" }],
      [
        "blank names",
        { title: " ", fields: [{ label: " ", type: "email" }] },
        { "body.title": "must not be empty", "body.fields.0.label": "must not be empty" },
      ],
      [
        "control characters",
        { title: "a\u0000b", description: "\u0007", fields: [{ label: "x\u0000", type: "email", help: "\u0001" }] },
        {
          "body.title": "must not contain control characters",
          "body.description": "must not contain control characters",
          "body.fields.0.label": "must not contain control characters",
          "body.fields.0.help": "must not contain control characters",
        },
      ],
      [
        "a choice without options, and options without a choice",
        {
          title: "T",
          fields: [
            { label: "A", type: "select" },
            { label: "B", type: "email", options: [{ label: "x" }] },
          ],
        },
        {
          "body.fields.0.options": "must have at least 1 item",
          "body.fields.1.options": "is not for fields of type email",
        },
      ],
      [
        "two options of one value",
        { title: "T", fields: [{ label: "A", type: "radio", options: [{ label: "x" }, { label: "y", value: "x" }] }] },
        { "body.fields.0.options.1.value": "is the value of another option already" },
      ],
      [
        "an id on a new form",
        { title: "T", fields: [{ id: "fld_1", label: "A", type: "email" }] },
        { "body.fields.0.id": "is not a field of this form" },
      ],
      [
        "too long",
        { title: "x".repeat(201), fields: [{ label: "x".repeat(5_001), type: "paragraph" }] },
        {
          "body.title": "must have at most 200 characters",
          "body.fields.0.label": "must have at most 5000 characters",
        },
      ],
      [
        "a label longer than a question may be",
        { title: "T", fields: [{ label: "x".repeat(301), type: "email" }] },
        { "body.fields.0.label": "must have at most 300 characters" },
      ],
      [
        "too many fields",
        { title: "T", fields: Array.from({ length: FORM_LIMITS.fields + 1 }, () => ({ label: "A", type: "email" })) },
        { "body.fields": "must have at most 100 items" },
      ],
    ];

    for (const [what, body, details] of wrong)
      test(what, async () => {
        const error = await expectError(await post(body), "api", 400, "INVALID_VALIDATION_REQUEST");
        assert.deepEqual(error.details, details);
      });

    test("an unknown type lists the known ones", async () => {
      const answer = await post({ title: "T", fields: [{ label: "A", type: "photo" }] });
      const error = await expectError(answer, "api", 400, "INVALID_VALIDATION_REQUEST");
      assert.match(error.details?.["body.fields.0.type"] ?? "", /must be one of short_text, .*paragraph/);
    });

    test("an update may not name a field twice or one of another form", async () => {
      const form = await makeForm(suite.api, suite.key);
      const [field] = form.fields;
      const fields = [field, field, { ...field, id: "fld_other" }];
      const answer = await callApi(suite.api, suite.key, "PUT", `/api/forms/${form.id}`, { title: "T", fields });
      const error = await expectError(answer, "api", 400, "INVALID_VALIDATION_REQUEST");
      assert.deepEqual(error.details, {
        "body.fields.1.id": "names the same field as another one",
        "body.fields.2.id": "is not a field of this form",
      });
    });

    test("page number and size have limits", async () => {
      for (const query of ["page=0", "size=0", "size=201", "page=x", "page=1&page=2"])
        await expectError(
          await callApi(suite.api, suite.key, "GET", `/api/forms?${query}`),
          "api",
          400,
          "INVALID_VALIDATION_REQUEST",
        );
    });
  });

  describe("401 and 403", () => {
    test("no key is 401, no scope 403; a write scope reads; a project's key sees the workspace's forms", async () => {
      const form = await makeForm(suite.api, suite.key);
      const reader = await suite.api.createKey({ workspaceId: suite.key.workspaceId, scopes: ["forms:read"] });
      const writer = await suite.api.createKey({ workspaceId: suite.key.workspaceId, scopes: ["forms:write"] });
      const stranger = await suite.api.createKey({ workspaceId: suite.key.workspaceId, scopes: ["query:read"] });
      const projectId = await suite.api.createProject(suite.key.workspaceId, "App");
      const bound = await suite.api.createKey({
        workspaceId: suite.key.workspaceId,
        projectId,
        scopes: ["forms:read"],
      });
      const paths = [
        "/api/forms",
        `/api/forms/${form.id}`,
        `/api/forms/${form.id}/submissions`,
        `/api/webhooks/${form.id}/poll`,
      ];
      for (const path of paths) {
        await expectError(await callApi(suite.api, { text: "" }, "GET", path), "api", 401, "UNAUTHORIZED");
        const error = await expectError(await callApi(suite.api, stranger, "GET", path), "api", 403, "FORBIDDEN");
        assert.match(error.message, /forms:read/);
        for (const allowed of [reader, writer, bound])
          assert.equal((await callApi(suite.api, allowed, "GET", path)).status, 200, path);
      }
      const writes = [
        ["POST", "/api/forms"],
        ["PUT", `/api/forms/${form.id}`],
        ["DELETE", `/api/forms/${form.id}`],
      ] as const;
      for (const [method, path] of writes) {
        const error = await expectError(
          await callApi(suite.api, reader, method, path, EVERY_FIELD),
          "api",
          403,
          "FORBIDDEN",
        );
        assert.match(error.message, /forms:write/);
      }
    });
  });
});
