/**
 * The floor for webhooks: a server that answers 201 once it has parsed a submission and posts it to its targets right after, with
 * nothing on disk, no signature, no retry and no check of the address. Nothing that promises a delivery can be faster.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Agent, request as send } from "undici";

const targets = process.argv.slice(2).map((port) => `http://127.0.0.1:${port}/`);
const dispatcher = new Agent({ connections: 16 });
let sent = 0;

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const answers = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>;
    sent += 1;
    const submissionId = `bare-${sent}`;
    response.writeHead(201, { "content-type": "application/json" }).end(JSON.stringify({ data: { submissionId } }));
    void post(JSON.stringify({ ...answers, submissionId }));
  });
});

async function post(body: string): Promise<void> {
  for (const target of targets) {
    const answer = await send(target, { method: "POST", body, dispatcher });
    await answer.body.dump();
  }
}

await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
process.on("disconnect", () => process.exit());
process.send?.({ port: (server.address() as AddressInfo).port });
