import assert from "node:assert/strict";
import { Socket } from "node:net";
import { after, before, beforeEach, describe, mock, test } from "node:test";
import { type AddressPolicy, checkTargetUrl } from "../../src/webhooks/address-guard.ts";
import { fakeLookup, openSender, post, withoutTime } from "../support/sender.ts";
import { startTarget, type Target } from "../support/targets.ts";
import corpus from "./ssrf-targets.json" with { type: "json" };

/**
 * Server-side request forgery: targets that try to reach services that only this machine may reach. `{port}` in the
 * corpus is the port of a real server on all its IPv4 addresses; `answers` are the addresses that DNS returns.
 */
const ROWS: { url: string; reason: string; answers?: string[] }[] = corpus;

/** Every address that a socket of this process tries to connect to, TLS or not. */
const tried: string[] = [];
const connect = Socket.prototype.connect;
mock.method(Socket.prototype, "connect", function (this: Socket, ...args: Parameters<typeof connect>) {
  this.on("connectionAttempt", (address: string) => tried.push(address));
  return connect.apply(this, args);
});

function policyOf(answers?: string[]): AddressPolicy {
  const lookup = answers
    ? async () => fakeLookup({ name: answers })("name")
    : fakeLookup({ "public.test": ["1.1.1.1"] });
  return { allowNetworks: [], allowLoopback: false, lookup };
}

describe("targets on internal addresses:", () => {
  let inside: Target;

  before(async () => {
    inside = await startTarget((response) => response.end("secret"), { host: "0.0.0.0" });
  });
  beforeEach(() => tried.splice(0));
  after(() => inside.close());

  test("the test's watch detects connections", async () => {
    const outcome = await openSender({ allowLoopback: true }).send(post(`http://127.0.0.1:${inside.port}/`));
    assert.equal(outcome.kind, "answered");
    await openSender({ allowLoopback: true }).send(post(`https://127.0.0.1:${inside.port}/`));
    assert.deepEqual(tried, ["127.0.0.1", "127.0.0.1"]);
    assert.equal(inside.connections().made, 2);
  });

  test(`${ROWS.length} targets are refused at subscription and at delivery, without a connection`, async () => {
    assert.ok(ROWS.length >= 80);
    const { made } = inside.connections();
    const messages = new Set<string>();
    for (const { url: template, reason, answers } of ROWS) {
      const url = template.replace("{port}", String(inside.port));
      const policy = policyOf(answers);
      const problem = await checkTargetUrl(url, policy);
      assert.equal(problem?.reason, reason, `made: ${url} ${answers?.join()}`);
      if (reason === "address") messages.add(problem?.message ?? "");
      const outcome = await openSender(policy).send(post(url, 2000));
      assert.deepEqual(withoutTime(outcome), { kind: "refused", reason }, `attempted: ${url} ${answers?.join()}`);
    }
    assert.deepEqual(tried, []);
    assert.equal(inside.connections().made, made);
    assert.deepEqual([...messages], ["must lead to a public address"], "one sentence, whatever is behind the address");
  });

  test("responses do not distinguish an open port from a closed one", async () => {
    const closed = await startTarget((response) => response.end());
    await closed.close();
    const answers = await Promise.all(
      [inside.port, closed.port].map(async (port) => {
        const url = `http://127.0.0.1:${port}/`;
        return [await checkTargetUrl(url, policyOf()), withoutTime(await openSender(policyOf()).send(post(url)))];
      }),
    );
    assert.deepEqual(answers[0], answers[1]);
    assert.deepEqual(tried, []);
  });

  test("a public target is accepted, so the refusals are meaningful", async () => {
    const urls = ["https://public.test/", "http://public.test:8080/", "https://1.1.1.1/", "https://[2606:4700::1111]/"];
    for (const url of urls) assert.equal(await checkTargetUrl(url, policyOf()), undefined, url);
  });
});

describe("a name that changes its address (DNS rebinding)", () => {
  const ROUNDS = 200;
  /** Stands for a public address, by the list of allowed networks; no packet leaves the machine. */
  const OUTSIDE = "127.0.0.2";
  const INSIDE = ["127.0.0.1", "::1", "::ffff:127.0.0.1", "10.0.0.1", "169.254.169.254", "0.0.0.0"];

  let outside: Target;
  let inside: Target;
  before(async () => {
    outside = await startTarget((response) => response.end("ok"), { host: OUTSIDE });
    inside = await startTarget((response) => response.end("secret"), { port: outside.port });
  });
  beforeEach(() => tried.splice(0));
  after(async () => {
    await outside.close();
    await inside.close();
  });

  test(`causes no connection to a private address in ${ROUNDS} rounds, whenever it changes`, async () => {
    const outcomes = new Set<string>();
    for (let round = 0; round < ROUNDS; round += 1) {
      const bad = INSIDE[round % INSIDE.length] ?? "";
      // Good at subscription; good, bad or both at the attempt; bad afterwards.
      const attempts = [[OUTSIDE], [bad], [OUTSIDE, bad], [bad, OUTSIDE]];
      const answers = [[OUTSIDE], attempts[Math.floor(round / INSIDE.length) % attempts.length] ?? []];
      let asked = 0;
      const lookup = () => fakeLookup({ name: answers[asked++] ?? [bad] })("name");
      const policy = { allowNetworks: [OUTSIDE], allowLoopback: false, lookup };
      const url = `${round % 5 === 0 ? "https" : "http"}://rebinds.test:${outside.port}/`;
      assert.equal(await checkTargetUrl(url, policy), undefined);
      const outcome = await openSender(policy).send(post(url));
      assert.equal(asked, 2, "one lookup per attempt: what was checked is what is connected to");
      assert.equal(outcome.kind === "refused", answers[1]?.includes(bad), `round ${round}: ${outcome.kind}`);
      outcomes.add(outcome.kind);
    }
    assert.deepEqual([...outcomes].sort(), ["answered", "failed", "refused"], "over TLS the plain target fails");
    assert.deepEqual([...new Set(tried)], [OUTSIDE]);
    assert.equal(inside.connections().made, 0);
    assert.equal(outside.connections().made, tried.length);
  });
});
