import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { Webhook } from "standardwebhooks";

const { WEBHOOK_SECRET, PORT = "4000" } = process.env;
if (!WEBHOOK_SECRET) {
  console.error("Set WEBHOOK_SECRET: the answer to the subscription shows it once");
  process.exit(1);
}
const webhook = new Webhook(WEBHOOK_SECRET);

/** A delivery may arrive more than once, always with the same id. Keep the ids in your database, with what you did. */
const handled = new Set();

function handle(delivery) {
  console.log(JSON.stringify(delivery));
}

const server = createServer(async (request, response) => {
  // The signature is over the bytes as they came: verify first, parse afterwards.
  const body = await text(request);
  let delivery;
  try {
    delivery = webhook.verify(body, request.headers);
  } catch {
    response.writeHead(401).end("The signature is wrong\n");
    return;
  }
  const id = request.headers["webhook-id"];
  if (!handled.has(id)) {
    handle(delivery);
    handled.add(id);
  }
  // Any 2xx within 15 seconds: do slow work afterwards.
  response.writeHead(204).end();
});
server.listen(Number(PORT), "127.0.0.1", () => console.log(`receiver: http://127.0.0.1:${server.address().port}/`));
