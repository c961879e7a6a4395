/** The only reader of the environment. Values are read once and frozen. */
import { SETTINGS } from "./settings.ts";

type Values = { [K in keyof typeof SETTINGS]: ReturnType<(typeof SETTINGS)[K]["read"]> };
export type Config = Readonly<Values>;

/** Every problem of the environment, one line each. */
export class ConfigError extends Error {
  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.name = "ConfigError";
  }
}

export function readConfig(env: Record<string, string | undefined>): Config {
  const problems: string[] = [];
  for (const name of Object.keys(env)) {
    const short = name.slice("SEXTANT_".length);
    if (name.startsWith("SEXTANT_") && !Object.hasOwn(SETTINGS, short))
      problems.push(`${name} is not a setting${suggestion(short)}`);
  }
  const values: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(SETTINGS)) {
    const value = env[`SEXTANT_${name}`];
    try {
      values[name] = setting.read(value === "" ? undefined : value);
    } catch (cause) {
      problems.push(`SEXTANT_${name} ${(cause as Error).message}`);
    }
  }
  const oidc = ["OIDC_ISSUER", "OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET"].filter((name) => !values[name]);
  if (oidc.length > 0 && oidc.length < 3)
    problems.push(`SEXTANT_${oidc[0]} is missing: the OpenID Connect provider needs issuer, client id and secret`);
  if ((values.SMTP_URL === undefined) !== (values.MAIL_FROM === "") && problems.length === 0)
    problems.push(`SEXTANT_${values.MAIL_FROM === "" ? "MAIL_FROM" : "SMTP_URL"} is missing: mail needs both`);
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.freeze(values) as Config;
}

function suggestion(name: string): string {
  const near = Object.keys(SETTINGS)
    .map((known) => ({ known, edits: editDistance(name, known) }))
    .sort((a, b) => a.edits - b.edits)[0];
  return near && near.edits <= 3 ? `; did you mean SEXTANT_${near.known}?` : "; docs/configuration.md lists them all";
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
