import { connect } from "node:net";

/** Sends bytes that no HTTP client would send, and reads the reply as a Response. */
export async function sendRaw(url: string, bytes: string): Promise<Response> {
  const { hostname, port } = new URL(url);
  const text = await new Promise<string>((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    let received = "";
    socket.setEncoding("utf8");
    socket.on("data", (chunk: string) => {
      received += chunk;
    });
    socket.on("close", () => resolve(received));
    socket.on("error", (cause) => (received === "" ? reject(cause) : resolve(received)));
  });
  const [head = "", ...body] = text.split("\r\n\r\n");
  const [status = "", ...lines] = head.split("\r\n");
  const headers = lines.map((line): [string, string] => {
    const at = line.indexOf(":");
    return [line.slice(0, at), line.slice(at + 1).trim()];
  });
  return new Response(body.join("\r\n\r\n"), { status: Number(status.split(" ")[1]), headers });
}

/** Announces a whole body, sends its beginning and disconnects. Resolves when the connection is closed. */
export async function cutRequest(
  url: string,
  headers: Record<string, string>,
  body: Uint8Array,
  bytes: number,
): Promise<void> {
  const { hostname, port, pathname, search } = new URL(url);
  const lines = Object.entries({ host: hostname, ...headers, "content-length": body.length });
  const head = `POST ${pathname}${search} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`;
  await new Promise<void>((resolve) => {
    const socket = connect(Number(port), hostname);
    socket.on("error", () => undefined);
    socket.on("close", () => resolve());
    socket.write(head);
    socket.write(body.subarray(0, bytes), () => socket.destroy());
  });
}
