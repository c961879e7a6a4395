import { existsSync } from "node:fs";
import type { FirstCredentials } from "../control/bootstrap.ts";

interface BannerFacts {
  version: string;
  /** Empty when this node does not serve it. */
  apiUrl: string;
  eventsUrl: string;
  opsUrl: string;
  dataDir: string;
  credentialsFile: string;
  credentials: FirstCredentials | undefined;
  /** The link to the first account; undefined once there is one. */
  setupUrl: string | undefined;
  /** False when output is not a terminal: a container's log or a journal would keep the keys. */
  isTerminal: boolean;
  stores: string;
}

/**
 * The text that a person sees after `npm start`: addresses, the first keys (once, only on a terminal), and a command to
 * paste.
 */
export function banner(facts: BannerFacts): string {
  const addresses: [string, string][] = [
    ["Dashboard", byName(facts.apiUrl)],
    ["API", facts.apiUrl],
    ["Docs", facts.apiUrl && `${facts.apiUrl}/docs`],
    ["Events", facts.eventsUrl],
    ["Operations", `${facts.opsUrl}/readyz`],
    ["Data", `${facts.dataDir} (${facts.stores})`],
  ];
  const served = addresses.filter(([, address]) => address !== "");
  const lines = [`Sextant ${facts.version} is ready.`, "", ...served.map(pair), ""];
  if (facts.setupUrl !== undefined && facts.apiUrl !== "") lines.push(...describeSetup(facts), "");
  const shown = facts.isTerminal ? facts.credentials : undefined;
  if (facts.credentials) lines.push(...describeKeys(facts.credentialsFile, shown), "");
  if (facts.apiUrl !== "") {
    const key = shown?.apiKey ?? "$API_KEY";
    lines.push("Try it:", "", `  curl -X POST ${facts.apiUrl}/api/validate-api-key -H "x-api-key: ${key}"`, "");
    if (!facts.credentials) lines.push(whereKeysAre(facts.credentialsFile), "");
  }
  return `${lines.join("\n")}\n`;
}

/** A container's log must not keep the link either. */
function describeSetup({ setupUrl = "", isTerminal, credentialsFile }: BannerFacts): string[] {
  if (!isTerminal) return ["Open the dashboard: the link to make the first account is `setupUrl` in", credentialsFile];
  return ["Open the dashboard and make the first account:", "", `  ${byName(setupUrl)}`];
}

function describeKeys(file: string, shown: FirstCredentials | undefined): string[] {
  if (shown === undefined) return ["First start: the first keys are in", `${file} (readable by its owner alone).`];
  return [
    "First start: these keys are shown once, and kept in",
    `${file} (readable by you alone).`,
    "",
    pair(["API key", shown.apiKey]),
    pair(["Write key", shown.writeKey]),
    pair(["Workspace", shown.workspaceId]),
    pair(["Project", shown.projectId]),
  ];
}

function whereKeysAre(file: string): string {
  const first = existsSync(file) ? `The first API key is in ${file}; ` : "";
  return `${first}\`npx sextant keys create\` makes ${first === "" ? "an API key" : "another"}.`;
}

/** Browsers make passkeys for a host's name, not for its number. */
function byName(url: string): string {
  return url.replace(/^http:\/\/(127\.0\.0\.1|\[::1\])(?=[:/]|$)/, "http://localhost");
}

function pair([name, value]: [string, string]): string {
  return `  ${name.padEnd(11)} ${value}`;
}
