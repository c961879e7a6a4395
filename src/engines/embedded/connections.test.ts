import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it, mock } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { openConnections } from "./connections.ts";
import type { Connection, Native } from "./native.ts";

/** Counts what is open; `gone` is a database that does not exist. */
function fakeNative() {
  const open = new Set<Connection>();
  const ran: string[] = [];
  const native: Native = {
    open() {
      const connection: Connection = {};
      open.add(connection);
      return connection;
    },
    close(connection) {
      assert.ok(open.delete(connection), "closed twice");
    },
    async run(_, sql) {
      ran.push(sql);
      if (sql.includes("gone")) throw new Error("Code: 81. DB::Exception: Database gone does not exist.");
      return { bytes: new Uint8Array(), elapsed: 0, rowsRead: 0, bytesRead: 0 };
    },
  };
  return { native, open, ran };
}

const settle = async () => {
  for (let i = 0; i < 20; i += 1) {
    mock.timers.tick(5);
    await turn();
  }
};

describe("connections made ahead", () => {
  beforeEach(() => mock.timers.enable({ apis: ["setTimeout"] }));
  afterEach(() => mock.timers.reset());

  it("are in the database that was asked for last, and each is given once", async () => {
    const { native, open } = fakeNative();
    const connections = openConnections(native, "dir", 2);
    await settle();
    for (const { connection, database } of [connections.take("d"), connections.take("d")]) {
      assert.equal(database, "");
      connections.drop(connection);
    }
    await settle();
    const [first, second] = [connections.take("d"), connections.take("d")];
    assert.deepEqual([first.database, second.database], ["d", "d"]);
    assert.notEqual(first.connection, second.connection);
    assert.equal(connections.idle(), true);
    for (const { connection } of [first, second]) connections.drop(connection);
    await settle();
    assert.equal(open.size, 2);
  });

  it("that are in a database never go to a statement that names none", async () => {
    const { native } = fakeNative();
    const connections = openConnections(native, "dir", 2);
    for (let i = 0; i < 4; i += 1) {
      connections.take("d");
      await settle();
      assert.equal(connections.take("").database, "");
    }
  });

  it("are in none when the database is gone, and the one that failed is closed", async () => {
    const { native, open, ran } = fakeNative();
    const connections = openConnections(native, "dir", 2);
    connections.take("gone");
    connections.take("gone");
    await settle();
    assert.ok(ran.length > 0);
    assert.equal(connections.take("gone").database, "");
    connections.close();
    await settle();
    assert.equal(open.size, 3, "those that were given are the caller's to drop");
    assert.equal(connections.idle(), true);
  });

  it("are made and closed off the path of statements", async () => {
    const { native, open } = fakeNative();
    const connections = openConnections(native, "dir", 4);
    await settle();
    const { connection } = connections.take("d");
    connections.drop(connection);
    await turn();
    assert.equal(open.size, 4, "neither is one made nor is the used one closed");
    assert.ok(open.has(connection));
    await settle();
    assert.ok(!open.has(connection));
    assert.equal(open.size, 4);
  });

  it("are all closed in the end, used ones too", async () => {
    const { native, open } = fakeNative();
    const connections = openConnections(native, "dir", 2);
    await settle();
    const [first, second] = [connections.take("d"), connections.take("d")];
    connections.drop(first.connection);
    connections.close();
    connections.drop(second.connection);
    await settle();
    assert.equal(open.size, 0);
  });
});
