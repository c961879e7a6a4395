import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { newSecret, signPayload } from "../../src/webhooks/sign.ts";

const GUIDE = readFileSync(new URL("../../docs/webhooks.md", import.meta.url), "utf8");

function snippet(language: string): string {
  return new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "m").exec(GUIDE)?.[1] ?? "";
}

/** Each as a program that reads cases from standard input and writes a verdict for each. */
const GO_IMPORTS = [
  "crypto/hmac",
  "crypto/sha256",
  "encoding/base64",
  "encoding/json",
  "fmt",
  "math",
  "net/http",
  "os",
];
const PROGRAMS = {
  js: {
    file: "verify.mjs",
    command: [process.execPath],
    text: `${snippet("js")}
import { readFileSync } from "node:fs";
const cases = JSON.parse(readFileSync(0, "utf8"));
console.log(JSON.stringify(cases.map(({ secret, headers, body }) => verify(secret, headers, body))));`,
  },
  python: {
    file: "verify.py",
    command: ["python3"],
    text: `${snippet("python")}
import json, sys
print(json.dumps([verify(one["secret"], one["headers"], one["body"].encode()) for one in json.load(sys.stdin)]))`,
  },
  go: {
    file: "verify.go",
    command: ["go", "run"],
    text: `package main
import (${[...GO_IMPORTS, "strconv", "strings", "time"].map((name) => `"${name}"`).join("; ")})
${snippet("go")}
func main() {
	var cases []struct { Secret, Body string; Headers map[string]string }
	if err := json.NewDecoder(os.Stdin).Decode(&cases); err != nil { panic(err) }
	verdicts := []bool{}
	for _, one := range cases {
		header := http.Header{}
		for name, value := range one.Headers { header.Set(name, value) }
		verdicts = append(verdicts, verify(one.Secret, header, []byte(one.Body)))
	}
	json.NewEncoder(os.Stdout).Encode(verdicts)
}`,
  },
};

const [secret, other] = [newSecret(), newSecret()];
const body = '{"eventType":"FORM_SUBMISSION","name":"Zoë 🧭"}';

function signed(secrets: readonly string[], timestampS: number, content = body) {
  const signature = signPayload({ id: "msg_1", timestampS, body: content, secrets });
  return { "webhook-id": "msg_1", "webhook-timestamp": String(timestampS), "webhook-signature": signature };
}

/** Of now: the tests of this folder may take longer than a signature is good for. */
function listCases(): [what: string, verdict: boolean, headers: object][] {
  const nowS = Math.floor(Date.now() / 1000);
  return [
    ["what was signed with the secret", true, signed([secret], nowS)],
    ["during a rotation, with the new secret first", true, signed([other, secret], nowS)],
    ["another secret", false, signed([other], nowS)],
    ["another body", false, signed([secret], nowS, `${body} `)],
    ["a signature of ten minutes ago", false, signed([secret], nowS - 600)],
    ["a nonsense signature", false, { ...signed([secret], nowS), "webhook-signature": "v1,nonsense v2," }],
  ];
}

describe("the verification of webhooks in the guide", () => {
  let dir = "";
  before(() => {
    dir = mkdtempSync(join(tmpdir(), "verify-"));
  });
  after(() => rmSync(dir, { recursive: true, force: true }));

  for (const [language, { file, command, text }] of Object.entries(PROGRAMS)) {
    const [program = "", ...args] = command;
    const isThere = spawnSync(program, ["--version"]).error === undefined;
    test(`in ${language} accepts what Sextant signed and nothing else`, {
      skip: !isThere && `no ${program} here`,
    }, () => {
      const path = join(dir, file);
      writeFileSync(path, text);
      const cases = listCases();
      const input = JSON.stringify(cases.map(([, , headers]) => ({ secret, headers, body })));
      const { stdout, stderr } = spawnSync(program, [...args, path], { input, encoding: "utf8" });
      assert.equal(stdout.trim() === "", false, stderr);
      assert.deepEqual(
        JSON.parse(stdout),
        cases.map(([, verdict]) => verdict),
        cases.map(([what]) => what).join("; "),
      );
    });
  }
});
