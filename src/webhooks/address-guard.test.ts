import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type AddressPolicy, checkTargetUrl, createTargetPolicy, isAllowed, networkProblem } from "./address-guard.ts";

const STRICT: AddressPolicy = { allowNetworks: [], allowLoopback: false };

/** The first and last address of every special block, so that an off-by-one error fails a test. */
const SPECIAL = {
  "this network": ["0.0.0.0", "0.255.255.255"],
  private: ["10.0.0.0", "10.255.255.255", "172.16.0.0", "172.31.255.255", "192.168.0.0", "192.168.255.255"],
  "carrier NAT": ["100.64.0.0", "100.127.255.255"],
  loopback: ["127.0.0.0", "127.0.0.1", "127.255.255.255", "::1"],
  "link-local": ["169.254.0.0", "169.254.169.254", "169.254.255.255", "fe80::", "fe80::1", "febf:ffff::1"],
  "protocol assignments": ["192.0.0.0", "192.0.0.192", "192.0.0.255", "2001:1::1", "2001:1ff:ffff::1"],
  documentation: ["192.0.2.1", "198.51.100.1", "203.0.113.255", "2001:db8::1", "3fff:fff:ffff::1"],
  "6to4 relay": ["192.88.99.1"],
  AS112: ["192.31.196.1", "192.175.48.1", "2001:4:112::1", "2620:4f:8000::1"],
  AMT: ["192.52.193.1", "2001:3::1"],
  benchmarking: ["198.18.0.0", "198.19.255.255", "2001:2::1"],
  multicast: ["224.0.0.0", "239.255.255.255", "ff00::", "ff02::1"],
  reserved: ["240.0.0.0", "255.255.255.254", "255.255.255.255"],
  unspecified: ["::"],
  "unique local": ["fc00::", "fd00:ec2::254", "fdff:ffff::1"],
  "site-local": ["fec0::1"],
  mapped: ["::ffff:127.0.0.1", "::ffff:7f00:1", "::ffff:8.8.8.8"],
  translated: ["::ffff:0:7f00:1"],
  "IPv4-compatible": ["::7f00:1", "::127.0.0.1", "::808:808"],
  NAT64: ["64:ff9b::7f00:1", "64:ff9b::808:808", "64:ff9b:1::a00:1"],
  "6to4": ["2002:7f00:1::", "2002:808:808::1"],
  Teredo: ["2001::1", "2001:0:7f00:1::"],
  discard: ["100::1"],
  "segment routing": ["5f00::1"],
  unassigned: ["4000::1", "8000::1", "e000::1"],
  "a platform's own": ["168.63.129.16", "100.100.100.200"],
  "with a zone": ["fe80::1%lo", "2606:4700::1111%eth0"],
  "not an address": ["", "localhost", "127.1", "2130706433", "0x7f000001", "1.1.1", "[::1]"],
};

const PUBLIC = ["1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255"];
PUBLIC.push(
  "128.0.0.0",
  "172.15.255.255",
  "172.32.0.0",
  "192.0.1.0",
  "198.17.255.255",
  "198.20.0.0",
  "223.255.255.255",
);
PUBLIC.push("2001:200::1", "2606:4700:4700::1111", "2a00:1450:4001::200e", "2003::1", "3ffe:ffff::1");

describe("an address is refused", () => {
  for (const [kind, addresses] of Object.entries(SPECIAL)) {
    test(`when it is ${kind}`, () => {
      for (const address of addresses) assert.equal(isAllowed(address, STRICT), false, address);
    });
  }
});

describe("an address is allowed", () => {
  test("when it is public, also right beside a special block", () => {
    for (const address of PUBLIC) assert.equal(isAllowed(address, STRICT), true, address);
  });

  test("when it lies in a listed network, and only there", () => {
    const policy = { ...STRICT, allowNetworks: ["10.1.0.0/16", "fd00::/8", "192.168.7.7"] };
    for (const address of ["10.1.0.0", "10.1.255.255", "fd12::1", "192.168.7.7", "1.1.1.1"])
      assert.equal(isAllowed(address, policy), true, address);
    for (const address of ["10.0.255.255", "10.2.0.0", "fc00::1", "192.168.7.8", "::ffff:10.1.0.1", "127.0.0.1"])
      assert.equal(isAllowed(address, policy), false, address);
  });

  test("when it is loopback and that is allowed, but not in disguise", () => {
    const policy = { ...STRICT, allowLoopback: true };
    for (const address of ["127.0.0.1", "127.9.9.9", "::1"]) assert.equal(isAllowed(address, policy), true, address);
    for (const address of ["0.0.0.0", "::", "::ffff:127.0.0.1", "::7f00:1", "64:ff9b::7f00:1", "10.0.0.1"])
      assert.equal(isAllowed(address, policy), false, address);
  });
});

describe("a list of networks", () => {
  test("takes addresses and CIDRs of both families", () => {
    for (const text of ["10.0.0.0/8", "10.1.2.3", "10.1.2.3/8", "0.0.0.0/0", "fd00::/8", "::1", "::/0", "::1/128"])
      assert.equal(networkProblem(text), undefined, text);
  });

  test("says what is wrong with anything else, and is never used with it", async () => {
    const wrong = ["", "10", "10/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/8/8", "10.0.0.0/a", "::/129"];
    wrong.push("10.0.0.0/8 ", "010.0.0.0/8", "localhost", "fe80::1%lo", "10.0.0.0/255.0.0.0", "*", "::/0x1");
    for (const text of wrong) {
      assert.match(networkProblem(text) ?? "", /^must list .+ not /, text);
      assert.throws(() => isAllowed("8.8.8.8", { ...STRICT, allowNetworks: [text] }), /allowed networks/, text);
    }
  });
});

describe("a target URL", () => {
  const lookup = async (name: string) => {
    if (name === "hangs.test") return new Promise<never>(() => undefined);
    if (name === "public.test") return [{ address: "1.1.1.1", family: 4 }];
    throw new Error("no such name");
  };
  const check = async (url: string, policy: Partial<AddressPolicy> = {}) =>
    (await checkTargetUrl(url, { ...STRICT, lookup, ...policy }))?.reason;

  test("may be http or https, with a port, a path, a query and a fragment", async () => {
    for (const url of [
      "https://public.test",
      "http://public.test:8080/a?b=c#d",
      "HTTPS://PUBLIC.test/",
      "http://1.1.1.1/",
    ])
      assert.equal(await check(url), undefined, url);
  });

  test("may have 2,048 characters", async () => {
    const url = "https://public.test/".padEnd(2048, "a");
    assert.equal(await check(url), undefined);
    assert.equal(await check(`${url}a`), "length");
  });

  test("may name a host whose DNS does not answer now: every attempt checks again", async () => {
    assert.equal(await check("https://absent.test/"), undefined);
  });

  test("is checked for 3 s at most", async ({ mock }) => {
    mock.timers.enable({ apis: ["setTimeout"] });
    const checked = check("https://hangs.test/");
    mock.timers.tick(3000);
    assert.equal(await checked, undefined);
  });

  test("may lead to loopback when that is allowed", async () => {
    const allowed = { allowLoopback: true, lookup: async () => [{ address: "127.0.0.1", family: 4 }] };
    for (const url of ["http://127.0.0.1:3000/", "http://[::1]/", "http://localhost/", "http://a.localhost./"]) {
      assert.equal(await check(url, allowed), undefined, url);
      assert.equal(await check(url), "address", url);
    }
    const listed = { ...allowed, allowLoopback: false, allowNetworks: ["127.0.0.0/8"] };
    assert.equal(await check("http://localhost/", listed), undefined);
  });
});

describe("the addresses of this machine", () => {
  const lookup = async () => [{ address: "93.184.215.14", family: 4 }];
  const policy = (allowNetworks: readonly string[] = []) =>
    createTargetPolicy({ allowNetworks, allowLoopback: false, publicUrls: ["https://api.example.com", ""] }, lookup);

  test("the addresses of its public URLs are refused, by number and by another name, unless listed", async () => {
    for (const url of ["http://93.184.215.14:8123/", "https://another.example.org/hook"]) {
      assert.equal((await checkTargetUrl(url, policy()))?.reason, "address", url);
      assert.equal(await checkTargetUrl(url, policy(["93.184.215.14"])), undefined, url);
    }
    assert.equal(await checkTargetUrl("http://93.184.215.15/", policy()), undefined);
  });
});
