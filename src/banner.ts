import { existsSync } from "node:fs";
import type { FirstCredentials } from "./control/bootstrap.ts";

interface BannerFacts {
  version: string;
  apiUrl: string | undefined;
  eventsUrl: string | undefined;
  opsUrl: string;
  dataDir: string;
  credentialsFile: string;
  credentials: FirstCredentials | undefined;
  stores: string;
}

/** What a person sees after `npm start`: where it is, the first keys (once), and a line to paste. */
export function banner(facts: BannerFacts): string {
  const addresses: [string, string][] = [
    ...(facts.apiUrl === undefined
      ? []
      : [["API", facts.apiUrl] as [string, string], ["Docs", `${facts.apiUrl}/docs`] as [string, string]]),
    ...(facts.eventsUrl === undefined ? [] : [["Events", facts.eventsUrl] as [string, string]]),
    ["Operations", `${facts.opsUrl}/readyz`],
    ["Data", `${facts.dataDir} (${facts.stores})`],
  ];
  const lines = [`Sextant ${facts.version} is ready.`, "", ...addresses.map(pair), ""];
  if (facts.credentials) {
    lines.push(
      "First start: these keys are shown once, and kept in",
      `${facts.credentialsFile} (readable by you alone).`,
      "",
      pair(["API key", facts.credentials.apiKey]),
      pair(["Write key", facts.credentials.writeKey]),
      pair(["Workspace", facts.credentials.workspaceId]),
      pair(["Project", facts.credentials.projectId]),
      "",
    );
  }
  if (facts.apiUrl !== undefined) {
    const key = facts.credentials?.apiKey ?? "$API_KEY";
    lines.push("Try it:", "", `  curl -X POST ${facts.apiUrl}/api/validate-api-key -H "x-api-key: ${key}"`, "");
    if (!facts.credentials) lines.push(whereKeysAre(facts.credentialsFile), "");
  }
  return `${lines.join("\n")}\n`;
}

function whereKeysAre(file: string): string {
  const first = existsSync(file) ? `The first API key is in ${file}; ` : "";
  return `${first}\`npx sextant keys create\` makes ${first === "" ? "an API key" : "another"}.`;
}

function pair([name, value]: [string, string]): string {
  return `  ${name.padEnd(11)} ${value}`;
}
