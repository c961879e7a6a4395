import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isPrivateTrial } from "./private-trial.ts";

const TRIAL = { HOST: "127.0.0.1", PUBLIC_API_URL: "", PUBLIC_EVENTS_URL: "", TRUSTED_PROXIES: [] };

describe("a private trial, whose webhooks may reach loopback,", () => {
  it("listens on loopback", () => {
    for (const HOST of ["127.0.0.1", "127.1.2.3", "::1", "localhost"])
      assert.equal(isPrivateTrial({ ...TRIAL, HOST }), true, HOST);
    for (const HOST of ["0.0.0.0", "::", "10.0.0.1", "sextant.example", "127.example.com"])
      assert.equal(isPrivateTrial({ ...TRIAL, HOST }), false, HOST);
  });

  it("has no public URL, except one on loopback", () => {
    assert.equal(isPrivateTrial({ ...TRIAL, PUBLIC_API_URL: "http://localhost:8787" }), true);
    assert.equal(isPrivateTrial({ ...TRIAL, PUBLIC_API_URL: "http://[::1]:8787" }), true);
    assert.equal(isPrivateTrial({ ...TRIAL, PUBLIC_API_URL: "https://api.example.com" }), false);
    assert.equal(isPrivateTrial({ ...TRIAL, PUBLIC_EVENTS_URL: "https://events.example.com" }), false);
  });

  it("has no trusted proxy", () => {
    assert.equal(isPrivateTrial({ ...TRIAL, TRUSTED_PROXIES: ["127.0.0.1"] }), false);
  });
});
