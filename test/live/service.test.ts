import assert from "node:assert/strict";
import { test } from "node:test";
import { type EventStream, expectStream } from "../support/event-stream.ts";
import { sampleEvent } from "../support/events.ts";
import { makeDataDir, readCredentials, startService } from "../support/service.ts";
import { waitFor } from "../support/wait.ts";

test("events that are sent reach the stream, and a stop of the service ends it without delay", async (t) => {
  const data = makeDataDir();
  const service = await startService(data.dir);
  const streams: EventStream[] = [];
  try {
    const { apiKey, writeKey } = readCredentials(data.dir);
    const stream = await expectStream(`${service.apiUrl}/v0/live/stream`, apiKey);
    // Reads nothing: it must not hold up the stop.
    const deaf = await expectStream(`${service.apiUrl}/v0/live/stream`, apiKey);
    deaf.response.pause();
    streams.push(stream, deaf);
    const delays: number[] = [];
    for (let nth = 0; nth < 3; nth += 1) {
      const sentAt = performance.now();
      const sent = await fetch(`${service.eventsUrl}/v0/raw_events`, {
        method: "POST",
        headers: { authorization: `Bearer ${writeKey}`, "content-type": "application/json" },
        body: JSON.stringify(sampleEvent(`stream-${nth}`, { event: `sent ${nth}` })),
      });
      assert.equal(sent.status, 200, await sent.text());
      await stream.find("event", ({ event }) => event === `sent ${nth}`);
      delays.push(Math.round(performance.now() - sentAt));
    }
    t.diagnostic(`from sending to receiving: ${delays.join(", ")} ms`);
    const exited = service.kill("SIGTERM");
    assert.deepEqual((await stream.find("end")).data, { reason: "stopping" });
    await waitFor("the end of the stream", () => stream.hasEnded());
    // Requests that do not end by themselves are cut after 5 s.
    assert.ok(stream.response.complete, "it was ended, not cut");
    assert.equal(await exited, 0);
  } finally {
    for (const stream of streams) stream.close();
    await service.kill("SIGKILL");
    data.remove();
  }
});
