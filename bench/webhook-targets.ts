/** Webhook targets in a separate process: they record when each submission arrives. The last one never answers. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const [count = "20"] = process.argv.slice(2);
let arrivals: [submissionId: string, target: number, atMs: number][] = [];

async function listen(target: number, hangs: boolean): Promise<number> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { submissionId } = JSON.parse(Buffer.concat(chunks).toString()) as { submissionId: string };
      if (!hangs) {
        arrivals.push([submissionId, target, performance.timeOrigin + performance.now()]);
        response.writeHead(204).end();
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

const ports: number[] = [];
for (let target = 0; target <= Number(count); target += 1) ports.push(await listen(target, target === Number(count)));
process.on("message", () => {
  process.send?.({ arrivals });
  arrivals = [];
});
process.on("disconnect", () => process.exit());
process.send?.({ ports });
