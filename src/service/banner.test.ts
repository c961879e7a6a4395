import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { banner } from "./banner.ts";

const KEYS = { workspaceId: "wsp_1", projectId: "prj_1", apiKey: "sxt_secret", writeKey: "sxw_secret" };
const FACTS = {
  version: "1.2.3",
  apiUrl: "http://127.0.0.1:3000",
  eventsUrl: "http://127.0.0.1:3001",
  opsUrl: "http://127.0.0.1:3002",
  dataDir: "/srv/data",
  credentialsFile: "/srv/data/credentials.json",
  credentials: KEYS,
  setupUrl: "http://127.0.0.1:3000/setup#token=setup-secret",
  isTerminal: true,
  stores: "SQLite",
};

describe("the banner", () => {
  test("shows the first keys on a terminal, with a command that uses one of them", () => {
    const text = banner(FACTS);
    assert.match(text, /^ {2}Dashboard {3}http:\/\/localhost:3000$/m);
    for (const value of Object.values(KEYS)) assert.ok(text.includes(` ${value}\n`), value);
    assert.ok(text.includes('curl -X POST http://127.0.0.1:3000/api/validate-api-key -H "x-api-key: sxt_secret"'));
  });

  test("shows no key when output is not a terminal, only the file that holds them", () => {
    const text = banner({ ...FACTS, isTerminal: false });
    assert.doesNotMatch(text, /secret/);
    assert.match(text, /First start: the first keys are in\n\/srv\/data\/credentials\.json /);
    assert.ok(text.includes('-H "x-api-key: $API_KEY"'));
  });

  test("shows the link to the first account until there is one", () => {
    assert.ok(banner(FACTS).includes("\n  http://localhost:3000/setup#token=setup-secret\n"));
    assert.doesNotMatch(banner({ ...FACTS, setupUrl: undefined }), /setup/);
  });

  test("names this machine where people sign in: a passkey needs a name; other addresses stay as they are", () => {
    const apiUrl = "https://127.0.0.1.example.com";
    const setupUrl = `${apiUrl}/setup#token=t`;
    const text = banner({ ...FACTS, apiUrl, setupUrl });
    assert.ok(text.includes(`Dashboard   ${apiUrl}\n`) && text.includes(`\n  ${setupUrl}\n`));
    const v6 = banner({ ...FACTS, apiUrl: "http://[::1]:3000", setupUrl: undefined });
    assert.match(v6, /Dashboard {3}http:\/\/localhost:3000$/m);
  });

  test("lists no address that the node does not serve", () => {
    const worker = banner({ ...FACTS, apiUrl: "", eventsUrl: "", credentials: undefined });
    assert.doesNotMatch(worker, /Dashboard|API|Docs|Events|curl/);
    assert.match(worker, /^ {2}Operations {2}http:\/\/127\.0\.0\.1:3002\/readyz$/m);
    const ingest = banner({ ...FACTS, apiUrl: "", credentials: undefined });
    assert.match(ingest, /^ {2}Events {6}http:\/\/127\.0\.0\.1:3001$/m);
  });
});
