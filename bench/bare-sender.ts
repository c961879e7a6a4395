/**
 * The floor for webhooks: a server that parses a submission, answers 201, and then posts it to its targets, without
 * signature, retry or address check. With a file name it first writes each submission to the file and syncs it, as a
 * durable delivery requires. Arguments: the file or "", the targets' ports.
 */
import { fdatasyncSync, openSync, writeSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Agent, request as send } from "undici";

const [file = "", ...ports] = process.argv.slice(2);
const log = file === "" ? undefined : openSync(file, "a");
const targets = ports.map((port) => `http://127.0.0.1:${port}/`);
const dispatcher = new Agent({ connections: 16 });
let sent = 0;

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const answers = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>;
    sent += 1;
    const submissionId = `bare-${sent}`;
    if (log !== undefined) {
      writeSync(log, `${JSON.stringify({ ...answers, submissionId })}\n`);
      fdatasyncSync(log);
    }
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
