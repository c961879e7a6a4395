import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseHosts, parseSearch, spellingsOf } from "./resolve-name.ts";

describe("names of the hosts file and of resolv.conf", () => {
  it("reads hosts: several addresses of a name, comments, no addresses that are none", () => {
    const hosts = parseHosts("::1 localhost\n127.0.0.1\tLocalHost two # three\nnot-an-address four\n#1.2.3.4 five\n");
    assert.deepEqual(hosts.get("localhost"), [
      { address: "::1", family: 6 },
      { address: "127.0.0.1", family: 4 },
    ]);
    assert.deepEqual([...hosts.keys()], ["localhost", "two"]);
  });

  it("takes the last of search and domain", () => {
    assert.deepEqual(parseSearch("domain a.test\nsearch b.test c.test.\noptions rotate ndots:5 ; ndots:9\n"), {
      domains: ["b.test", "c.test"],
      ndots: 5,
    });
    assert.deepEqual(parseSearch(""), { domains: [], ndots: 1 });
  });

  it("asks in the order of getaddrinfo", () => {
    const search = { domains: ["ns.svc.cluster.local", "cluster.local"], ndots: 2 };
    assert.deepEqual(spellingsOf("api", search), ["api.ns.svc.cluster.local", "api.cluster.local", "api"]);
    assert.deepEqual(spellingsOf("a.b.example", search)[0], "a.b.example");
    assert.deepEqual(spellingsOf("api.", search), ["api"]);
  });
});
