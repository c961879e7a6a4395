import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";

const { WRITE_KEY, EVENTS_URL = "http://127.0.0.1:3001", PORT = "4100" } = process.env;
const ATTEMPTS = 6;
if (!WRITE_KEY) {
  console.error("Set WRITE_KEY: it is in data/credentials.json of your Sextant");
  process.exit(1);
}

/** Resolves when the event is on Sextant's disk. Safe to repeat: events with the same message_id count once. */
async function send(event) {
  for (let attempt = 1; ; attempt += 1) {
    const failure = await post(event);
    if (failure === undefined) return;
    if (!failure.retry || attempt === ATTEMPTS) throw new Error(failure.reason);
    await delay(2 ** attempt * 100);
  }
}

async function post(event) {
  try {
    const answer = await fetch(new URL("/v0/raw_events", EVENTS_URL), {
      method: "POST",
      headers: { authorization: `Bearer ${WRITE_KEY}`, "content-type": "application/json" },
      body: JSON.stringify(event),
      signal: AbortSignal.timeout(10_000),
    });
    if (answer.ok) return undefined;
    return { retry: answer.status === 429 || answer.status >= 500, reason: await answer.text() };
  } catch (cause) {
    // No connection, or no answer in time.
    return { retry: true, reason: String(cause) };
  }
}

const server = createServer(async (request, response) => {
  if (request.method !== "POST" || request.url !== "/orders") {
    response.writeHead(404).end();
    return;
  }
  try {
    const { customer, total } = await json(request);
    const order = randomUUID();
    // Not awaited: the customer does not wait for statistics.
    send({
      type: "track",
      event: "Purchase",
      channel: "server",
      version: "0",
      message_id: order,
      anonymous_id: customer,
      user_id: customer,
      original_timestamp: new Date().toISOString(),
      properties: { revenue: total, order },
    }).then(
      () => console.log(`sent ${order}`),
      (cause) => console.error(`not sent ${order}: ${cause.message}`),
    );
    response.writeHead(201, { "content-type": "application/json" }).end(JSON.stringify({ order }));
  } catch {
    response.writeHead(400).end("The body must be JSON with customer and total\n");
  }
});
server.listen(Number(PORT), "127.0.0.1", () => console.log(`orders: http://127.0.0.1:${server.address().port}/orders`));
