import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";

/**
 * The visitor's country from a proxy header such as `cf-ipcountry`. It is used only if the connection comes from a
 * trusted proxy, because anyone else could send any value.
 */
export function createCountryReader(
  trustedProxies: readonly string[],
  header: string,
): (request: Pick<IncomingMessage, "headers" | "socket">) => string | undefined {
  if (header === "" || trustedProxies.length === 0) return () => undefined;
  const name = header.toLowerCase();
  const trusted = new BlockList();
  for (const item of trustedProxies) {
    const [address = "", bits] = item.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    if (bits === undefined) trusted.addAddress(address, family);
    else trusted.addSubnet(address, Number(bits), family);
  }
  return (request) => {
    const value = request.headers[name];
    if (typeof value !== "string" || !/^[A-Za-z]{2}$/.test(value)) return undefined;
    const peer = (request.socket.remoteAddress ?? "").replace(/^::ffff:/, "");
    const family = isIP(peer) === 6 ? "ipv6" : "ipv4";
    return isIP(peer) !== 0 && trusted.check(peer, family) ? value.toUpperCase() : undefined;
  };
}
