import { connect } from "node:net";

/** Sends bytes that no HTTP client would send, and reads what comes back as a Response. */
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
