import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Form } from "../../forms/form.ts";
import { formPage } from "./form-page.ts";
import { createKeptPages } from "./kept-pages.ts";

const makeForm = (id: string, version: number): Form => ({
  id,
  workspaceId: "ws",
  title: `Form ${id}, version ${version}`,
  description: "",
  fields: [],
  version,
  createdAtMs: 0,
  updatedAtMs: 0,
});
const render = (form: Form, token: string) => formPage({ form, token, typed: new Map(), problems: new Map() });

describe("kept pages of forms", () => {
  test("are the rendered page with the token of each view", () => {
    const pages = createKeptPages();
    const form = makeForm("a", 1);
    assert.equal(pages.put(form, "first"), render(form, "first"));
    assert.equal(pages.find("a", 1, "second"), render(form, "second"));
  });

  test("are not those of another form or version", () => {
    const pages = createKeptPages();
    pages.put(makeForm("a", 1), "token");
    assert.equal(pages.find("a", 2, "token"), undefined);
    assert.equal(pages.find("b", 1, "token"), undefined);
    pages.put(makeForm("a", 2), "token");
    assert.match(pages.find("a", 2, "token") ?? "", /version 2/);
  });

  test("are forgotten beyond a number of characters, what was not asked for first", () => {
    const size = render(makeForm("a", 1), "").length;
    const pages = createKeptPages(size * 2.5);
    pages.put(makeForm("a", 1), "token");
    pages.put(makeForm("b", 1), "token");
    assert.ok(pages.find("a", 1, "token"));
    pages.put(makeForm("c", 1), "token");
    assert.deepEqual(
      ["a", "b", "c"].map((id) => pages.find(id, 1, "token") !== undefined),
      [true, false, true],
    );
  });
});
