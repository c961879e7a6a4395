/** Reads the settings of mail. A message never contains the value, which may hold a password. */
import { isIP } from "node:net";

export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte; otherwise STARTTLS. */
  readonly isSecure: boolean;
  /** Empty for a server that asks for none. */
  readonly user: string;
  readonly password: string;
  /** Whether the connection may be without TLS. */
  readonly allowPlain: boolean;
}

const PORTS = { "smtp:": 587, "smtps:": 465 } as const;

export function readSmtpUrl(value: string | undefined): SmtpServer | undefined {
  if (value === undefined) return undefined;
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url === undefined || !(url.protocol in PORTS) || url.hostname === "")
    throw new Error("must be a URL that starts with smtp:// or smtps:// and names a host");
  if (!["", "/"].includes(url.pathname) || [...url.searchParams.keys()].some((name) => name !== "tls"))
    throw new Error("must have no path, and no parameter but tls");
  const tls = url.searchParams.get("tls");
  const isSecure = url.protocol === "smtps:";
  if (tls !== null && (tls !== "off" || isSecure)) throw new Error("must have no other tls than `smtp://...?tls=off`");
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  return {
    host,
    port: url.port === "" ? PORTS[url.protocol as keyof typeof PORTS] : Number(url.port),
    isSecure,
    user: decode(url.username),
    password: decode(url.password),
    allowPlain: tls === "off" || isLoopback(host),
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error("must have its user and password percent-encoded");
  }
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}

const ADDRESS = /^[^\s<>@",;:]+@[^\s<>@",;:]+$/;

/** An address, or a name and an address. Nothing that could begin another header or a list of senders. */
export function readMailFrom(value: string): string {
  const named = /^([^<>\r\n",;:@]{1,100}) <([^<>]+)>$/.exec(value.trim());
  const address = named?.[2] ?? value.trim();
  if (!ADDRESS.test(address) || address.length > 254)
    throw new Error("must be an address such as reports@example.com, or a name and <address>");
  return value.trim();
}
