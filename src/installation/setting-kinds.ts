/** What a setting may be: how its text is read, and what is said of one that is wrong. */
import { isIP } from "node:net";
import { ROLES, type Role } from "../contract/roles.ts";

export interface Setting<T> {
  /** As shown in the documentation; a computed default is described. */
  fallback: string;
  about: string;
  secret?: true;
  /** Throws an Error whose message ends the sentence "SEXTANT_X ...". */
  read(text: string | undefined): T;
}

export function text(fallback: string, about: string, read: (value: string) => string): Setting<string> {
  return { fallback, about, read: (value) => (value === undefined && fallback === "" ? "" : read(value ?? fallback)) };
}

export function whole(fallback: number, min: number, max: number, about: string): Setting<number> {
  return {
    fallback: String(fallback),
    about,
    read(value) {
      const number = Number(value ?? fallback);
      if (!/^\d+$/.test(value ?? "0") || number < min || number > max)
        throw new Error(`must be a whole number from ${min} to ${max}`);
      return number;
    },
  };
}

export function port(fallback: number, about: string): Setting<number> {
  return whole(fallback, 0, 65_535, about);
}

/** A message never contains the value. */
export function secret(about: string, minChars: number): Setting<string | undefined> {
  return {
    fallback: "",
    about,
    secret: true,
    read(value) {
      if (value !== undefined && value.length < minChars) throw new Error(`must have at least ${minChars} characters`);
      return value;
    },
  };
}

export function url(fallback: string, about: string): Setting<string> {
  return text(fallback, about, (value) => parseUrl(value, ["http:", "https:"]).href.replace(/\/+$/, ""));
}

export function databaseUrl(about: string): Setting<string | undefined> {
  const read = (value: string | undefined) =>
    value === undefined ? undefined : parseUrl(value, ["postgres:", "postgresql:"]) && value;
  return { fallback: "", about, secret: true, read };
}

/** It may contain a password. */
export function optionalUrl(about: string): Setting<string | undefined> {
  const read = (value: string | undefined) =>
    value === undefined ? undefined : parseUrl(value, ["http:", "https:"]) && value;
  return { fallback: "", about, secret: true, read };
}

function parseUrl(value: string, protocols: readonly string[]): URL {
  const parsed = URL.canParse(value) ? new URL(value) : undefined;
  // The value may contain a password, so the message does not repeat it.
  if (!parsed || !protocols.includes(parsed.protocol)) {
    throw new Error(`must be a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(" or ")}`);
  }
  return parsed;
}

export function readHost(value: string): string {
  if (isIP(value) === 0 && !/^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/.test(value))
    throw new Error("must be an IP address or a host name");
  return value;
}

export function readName(value: string): string {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(value)) throw new Error("must be a plain name: letters, digits and underscores");
  return value;
}

export function readHeaderName(value: string): string {
  if (!/^[A-Za-z0-9-]+$/.test(value)) throw new Error("must be the name of an HTTP header");
  return value;
}

export function oneOf<const T extends string>(known: readonly T[], value: string): T {
  const found = known.find((item) => item === value);
  if (found === undefined) throw new Error(`must be one of ${known.join(", ")}`);
  return found;
}

export function readRoles(value: string | undefined): readonly Role[] {
  return [...new Set(list(value ?? ROLES.join(",")).map((item) => oneOf(ROLES, item)))];
}

/** It may contain a key, so no message repeats it. A URL has no comma before its query; one in a query is written %2C. */
export function readRpcUrls(value: string | undefined): ReadonlyMap<number, string> {
  const urls = new Map<number, string>();
  for (const item of list(value ?? "")) {
    const [chain = "", ...rest] = item.split("=");
    const id = /^[1-9]\d{0,14}$/.test(chain.trim()) ? Number(chain) : undefined;
    if (id === undefined || urls.has(id)) throw new Error("must list each chain once, as 1=https://node.example.com");
    urls.set(id, parseUrl(rest.join("=").trim(), ["http:", "https:"]).href);
  }
  return urls;
}

export function readOrigins(value: string | undefined): readonly string[] {
  return list(value ?? "").map((item) => {
    const { origin } = parseUrl(item, ["http:", "https:"]);
    if (origin !== item.replace(/\/$/, ""))
      throw new Error(`must list origins such as https://app.example.com, not ${item}`);
    return origin;
  });
}

export function readNetworks(value: string | undefined): readonly string[] {
  return list(value ?? "").map((item) => {
    const [address = "", bits, ...rest] = item.split("/");
    const family = isIP(address);
    const bad =
      family === 0 ||
      rest.length > 0 ||
      (bits !== undefined && !(/^\d+$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128)));
    if (bad) throw new Error(`must list IP addresses or CIDRs, not ${item}`);
    return item;
  });
}

function list(value: string): string[] {
  return value
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}
