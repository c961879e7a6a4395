import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import fc from "fast-check";
import { FIELD_TYPES } from "../../src/contract/forms.ts";
import { SEED } from "../../src/lib/testing.ts";
import {
  callApi,
  EVERY_ANSWER,
  EVERY_FIELD,
  makeForm,
  pageToken,
  pollItems,
  postPage,
  sendJson,
} from "../support/forms.ts";
import { drawnStores } from "../support/stores.ts";
import { useApi } from "../support/use-api.ts";

const RUNS = { seed: SEED, numRuns: 150 };

const text = fc.oneof(
  { weight: 12, arbitrary: fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 20 }) },
  { weight: 1, arbitrary: fc.constantFrom("\u0000", "\ud800", "id", "__proto__") },
);
const option = fc.record({ label: text, value: text }, { requiredKeys: ["label"] });
const CHOICES = ["select", "radio", "checkbox_group"] as const;
const base = { label: text, required: fc.boolean(), help: text };
const others = FIELD_TYPES.filter((type) => !CHOICES.some((choice) => choice === type));
const field = fc.oneof(
  { weight: 6, arbitrary: fc.record({ ...base, type: fc.constantFrom(...others) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      ...base,
      type: fc.constantFrom(...CHOICES),
      options: fc.array(option, { minLength: 1, maxLength: 3 }),
    }),
  },
  // Options where there are none, or none where there are some.
  { weight: 1, arbitrary: fc.record({ ...base, type: fc.constantFrom(...FIELD_TYPES), options: fc.array(option) }) },
);
const form = fc.record({ title: text, description: text, fields: fc.array(field, { minLength: 1, maxLength: 4 }) });

for (const backend of drawnStores(import.meta.filename)) {
  describe(`random input on ${backend}`, () => {
    const suite = useApi(backend);
    let formId: string;
    let created = 0;
    before(async () => {
      formId = (await makeForm(suite.api, suite.key, EVERY_FIELD)).id;
    });

    test("a form is created as sent, or refused with the error envelope", async () => {
      const sent = fc.oneof({ weight: 4, arbitrary: form }, { weight: 1, arbitrary: fc.jsonValue() });
      await fc.assert(
        fc.asyncProperty(sent, async (body) => {
          const answer = await callApi(suite.api, suite.key, "POST", "/api/forms", body);
          assert.ok([201, 400].includes(answer.status), `${answer.status} ${await answer.clone().text()}`);
          const made = (await answer.json()) as { data?: { id: string; fields: { key: string | null }[] } };
          if (made.data === undefined) return;
          created += 1;
          const keys = made.data.fields.flatMap((one) => one.key ?? []);
          assert.equal(new Set(keys).size, keys.length);
          const again = await callApi(suite.api, suite.key, "PUT", `/api/forms/${made.data.id}`, made.data);
          assert.deepEqual(((await again.json()) as { data: unknown }).data, made.data);
          assert.equal((await fetch(`${suite.api.apiUrl}/f/${made.data.id}`)).status, 200);
        }),
        RUNS,
      );
      assert.ok(created >= 20, `only ${created} forms were right`);
    });

    test("answers are stored and readable, or refused, and never cause a 5xx", async () => {
      const value = fc.oneof(fc.jsonValue({ maxDepth: 3 }), text, fc.double());
      const answers = fc.dictionary(fc.constantFrom(...Object.keys(EVERY_ANSWER)), value);
      await fc.assert(
        fc.asyncProperty(answers, fc.boolean(), async (changes, whole) => {
          const answer = await sendJson(suite.api, formId, whole ? { ...EVERY_ANSWER, ...changes } : changes);
          assert.ok([201, 400].includes(answer.status), `${answer.status} ${await answer.clone().text()}`);
        }),
        RUNS,
      );
      for (const item of await pollItems(suite.api, suite.key, formId)) assert.equal(item.formId, formId);
    });

    test("a posted page gets thanks, or is shown again with what was typed", async () => {
      const names = fc.constantFrom(...Object.keys(EVERY_ANSWER), "_homepage", "other", "");
      await fc.assert(
        fc.asyncProperty(fc.array(fc.tuple(names, text), { maxLength: 12 }), async (entries) => {
          const answer = await postPage(suite.api, formId, [...entries, ["_token", pageToken(formId)]]);
          assert.ok([303, 400].includes(answer.status), `${answer.status} ${await answer.clone().text()}`);
          const page = await answer.text();
          assert.doesNotMatch(page, /\[object|undefined/);
        }),
        RUNS,
      );
    });
  });
}
