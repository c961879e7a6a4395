import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ConfigError, readConfig } from "./config.ts";
import { SETTINGS } from "./settings.ts";

describe("settings", () => {
  test("all have a default, and the result is frozen", () => {
    const config = readConfig({ PATH: "/bin" });
    assert.equal(config.API_PORT, 3000);
    assert.deepEqual(config.ROLES, ["api", "ingest", "worker"]);
    assert.equal(config.API_RATE_PER_SECOND, 100);
    assert.ok(Object.isFrozen(config));
    assert.deepEqual(Object.keys(config), Object.keys(SETTINGS));
  });

  test("an empty value means the default", () => {
    assert.equal(readConfig({ SEXTANT_API_PORT: "" }).API_PORT, 3000);
  });

  const wrong: [Record<string, string>, RegExp][] = [
    [{ SEXTANT_API_PROT: "1" }, /SEXTANT_API_PROT is not a setting; did you mean SEXTANT_API_PORT\?/],
    [{ SEXTANT_WHATEVER_THIS_IS: "1" }, /SEXTANT_WHATEVER_THIS_IS is not a setting/],
    [{ SEXTANT_API_PORT: "http" }, /SEXTANT_API_PORT must be a whole number from 0 to 65535/],
    [{ SEXTANT_API_PORT: "70000" }, /from 0 to 65535/],
    [{ SEXTANT_API_PORT: "-1" }, /from 0 to 65535/],
    [{ SEXTANT_API_PORT: "1e3" }, /from 0 to 65535/],
    [{ SEXTANT_HOST: "not a host" }, /SEXTANT_HOST must be an IP address or a host name/],
    [{ SEXTANT_ROLES: "api,cook" }, /SEXTANT_ROLES must be one of api, ingest, worker/],
    [
      { SEXTANT_DATABASE_URL: "mysql://u:hunter2@h/d" },
      /SEXTANT_DATABASE_URL must be a URL that starts with postgres:/,
    ],
    [{ SEXTANT_CLICKHOUSE_URL: "h:8123" }, /SEXTANT_CLICKHOUSE_URL must be a URL/],
    [{ SEXTANT_PUBLIC_API_URL: "example.com" }, /SEXTANT_PUBLIC_API_URL must be a URL/],
    [{ SEXTANT_CLICKHOUSE_CLUSTER: "a b" }, /SEXTANT_CLICKHOUSE_CLUSTER must be a plain name/],
    [{ SEXTANT_TRUSTED_PROXIES: "10.0.0.0/40" }, /SEXTANT_TRUSTED_PROXIES must list IP addresses or CIDRs/],
    [
      { SEXTANT_WEBHOOK_ALLOW_NETWORKS: "10.0.0.0/33" },
      /SEXTANT_WEBHOOK_ALLOW_NETWORKS must list IP addresses or CIDRs/,
    ],
    [{ SEXTANT_WEBHOOK_ALLOW_NETWORKS: "intranet" }, /SEXTANT_WEBHOOK_ALLOW_NETWORKS must list IP addresses or CIDRs/],
    [{ SEXTANT_API_CORS_ORIGINS: "https://a.example/path" }, /must list origins/],
    [{ SEXTANT_SECRET: "short" }, /SEXTANT_SECRET must have at least 32 characters/],
    [{ SEXTANT_LOG_LEVEL: "loud" }, /SEXTANT_LOG_LEVEL must be one of/],
  ];
  for (const [env, message] of wrong) {
    test(`${Object.keys(env)[0]}=${Object.values(env)[0]?.slice(0, 12)} is refused, with its name`, () => {
      assert.throws(
        () => readConfig(env),
        (cause: Error) =>
          cause instanceof ConfigError && message.test(cause.message) && !cause.message.includes("hunter2"),
      );
    });
  }

  test("all problems are reported at once", () => {
    assert.throws(
      () => readConfig({ SEXTANT_API_PORT: "x", SEXTANT_OPS_PORT: "y", SEXTANT_NO: "z" }),
      (cause: Error) => cause.message.split("\n").length === 3,
    );
  });
});
