const BROWSERS = [
  ["Firefox", "Firefox"],
  ["Edg", "Edge"],
  ["OPR", "Opera"],
  ["Chrome", "Chrome"],
  ["Safari", "Safari"],
] as const;
const SYSTEMS = ["Windows", "Android", "iPhone", "iPad", "Mac", "Linux"];

/** Such as "Chrome on Linux": people tell their sessions and passkeys apart by it. */
export function deviceName(userAgent: string): string {
  const browser = BROWSERS.find(([mark]) => userAgent.includes(mark))?.[1] ?? "Browser";
  const system = SYSTEMS.find((name) => userAgent.includes(name));
  return system === undefined ? browser : `${browser} on ${system}`;
}
