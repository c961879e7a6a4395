import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { failureText, RequestFailed } from "../../dashboard/src/api/failure.ts";
import { deviceName } from "../../dashboard/src/format/device.ts";
import { pageName, pathText, seenText, valueName } from "../../dashboard/src/format/names.ts";
import { bytesText } from "../../dashboard/src/format/numbers.ts";
import { parkedText, REASONS } from "../../dashboard/src/format/reasons.ts";
import { actionText, detailsText } from "../../dashboard/src/pages/settings/audit-text.ts";
import { scopesText } from "../../dashboard/src/pages/settings/scopes.ts";
import { columns } from "../../dashboard/src/ui/sql-editor/complete.ts";
import { defaultServers } from "../../scripts/generate/openapi.ts";
import { PARKED_REASONS, REFUSED_REASONS } from "../../src/contract/event-reasons.ts";
import { SCOPES } from "../../src/contract/scopes.ts";
import { SQL_SCHEMA } from "../../src/query/sql/schema.ts";

describe("texts of the dashboard", () => {
  test("every reason of a parked or refused event says what to do", () => {
    for (const reason of [...PARKED_REASONS, ...REFUSED_REASONS]) assert.ok(REASONS[reason], reason);
  });

  test("a value that is named like a part of every object is a text, with its unseen characters named", () => {
    const columns = ["page", "location", "chain_id", "channel", "rdns", "device", "os", "browser", "type", "event"];
    for (const column of columns) {
      for (const value of ["__proto__", "constructor", "toString"]) {
        const name = valueName(column, value);
        assert.ok(typeof name === "string" && name.toLowerCase().includes(value.toLowerCase()), `${column} ${value}`);
      }
      assert.ok(valueName(column, "a\u202Eb").includes("⟨U+202E⟩"), column);
    }
  });

  test("what is wrong with a parked event is a sentence, whatever its details are", () => {
    assert.equal(
      parkedText('{"version":"is required","type":"must be a string"}'),
      "version is required; type must be a string",
    );
    assert.equal(parkedText('{"":"must be a JSON object"}'), "must be a JSON object");
    assert.equal(parkedText('"Error: no"'), "Error: no");
    assert.equal(parkedText("null"), "");
    assert.equal(parkedText("not JSON"), "not JSON");
  });

  test("every write of the API is named in words in the audit log", () => {
    const writes = defaultServers().api.routes.filter(({ method }) => method !== "GET");
    assert.ok(writes.length > 30);
    for (const { operationId } of writes)
      assert.match(actionText(operationId), /^[A-Z][a-z]+(?: [A-Za-z-]+)*$/, operationId);
    assert.equal(actionText("createWriteKey"), "Created write key");
    assert.equal(actionText("changeMember"), "Changed member");
    assert.equal(
      detailsText({ name: "Shop", projectId: "Shop", scopes: ["a", "b"], excludeBots: true, note: null }),
      "project Shop, scopes a b, exclude bots yes",
    );
  });

  test("a refused form names its fields as people know them, each once", () => {
    const refused = (details: Record<string, unknown>) =>
      failureText(
        new RequestFailed(400, "INVALID_VALIDATION_REQUEST", "Invalid request data: body.x is y", { details }),
      );
    assert.equal(
      refused({ "body.password": "must have at least 10 characters" }),
      "Password must have at least 10 characters.",
    );
    assert.equal(
      refused({ "body.targetUrl": "is required", "query.filters.0.op": "must be one of eq, neq" }),
      "Target url is required. Filters 1 op must be one of eq, neq.",
    );
    assert.equal(refused({}), "Invalid request data: body.x is y");
    assert.equal(
      failureText(new RequestFailed(401, "UNAUTHORIZED", "Name or password is wrong")),
      "Name or password is wrong",
    );
    assert.equal(failureText("?"), "Something went wrong.");
  });

  test("the scopes of a key are said in words", () => {
    assert.equal(scopesText(SCOPES), "read and change everything");
    assert.equal(scopesText(["query:read", "forms:write"]), "Reports and SQL, Forms, answers and webhooks (change)");
  });

  test("a page view of no page has a name, too", () => {
    assert.equal(pageName("app.example", "/swap", false), "/swap");
    assert.equal(pageName("app.example", "/swap", true), "app.example/swap");
    assert.equal(pageName("app.example", "", false), "/");
    assert.deepEqual([pageName("", "", false), pageName("", "", true)], ["(none)", "(none)"]);
  });

  test("bytes and devices are short", () => {
    assert.deepEqual([0, 999, 1_234_567, 2e12].map(bytesText), ["0 byte", "999 byte", "1.2 MB", "2 TB"]);
    assert.equal(deviceName("Mozilla/5.0 (X11; Linux x86_64) Chrome/142.0 Safari/537.36 Edg/142.0"), "Edge on Linux");
    assert.equal(deviceName("curl/8"), "Browser");
  });
});

describe("completion of SQL", () => {
  const offered = (text: string) => new Set(columns(SQL_SCHEMA, text).map(({ label }) => label));

  test("offers the columns of the tables in FROM and JOIN", () => {
    const sessions = offered("SELECT l FROM sessions");
    assert.ok(sessions.has("latest_hit") && !sessions.has("page_path"));
    const both = offered("SELECT p\nFROM sessions AS s JOIN events ON true");
    assert.ok(both.has("page_path") && both.has("latest_hit"));
  });

  test("offers the columns of events before there is a FROM", () => {
    assert.ok(offered("SELECT pag").has("page_path"));
  });
});

test("unseen characters of a name are named, and a path is decoded as far as it stays the same path", () => {
  assert.equal(seenText("a\u202Egnp.exe"), "a⟨U+202E⟩gnp.exe");
  assert.equal(seenText("نص 👩‍🚀"), "نص 👩‍🚀");
  assert.equal(pathText("/%F0%9F%9A%80/a%2Fb%3F"), "/🚀/a%2Fb%3F");
  assert.equal(pathText("/100%"), "/100%");
  assert.equal(pathText("/%E2%80%AEx"), "/⟨U+202E⟩x");
});
