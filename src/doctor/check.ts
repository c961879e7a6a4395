/** The result of one check; `skip` if it could not run. `advice` is present only if there is a problem. */
export interface CheckResult {
  name: string;
  status: "ok" | "skip" | "warn" | "fail";
  message: string;
  advice?: string;
}

export type Check = () => Promise<CheckResult[]> | CheckResult[];

export const ok = (name: string, message: string): CheckResult => ({ name, status: "ok", message });
export const skip = (name: string, message: string): CheckResult => ({ name, status: "skip", message });
export const warn = (name: string, message: string, advice: string): CheckResult => ({
  ...{ name, status: "warn", message, advice },
});
export const fail = (name: string, message: string, advice: string): CheckResult => ({
  ...{ name, status: "fail", message, advice },
});

/** Runs all checks in order. A check that throws has failed; the others still run. */
export async function runChecks(checks: Readonly<Record<string, Check>>): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  for (const [name, check] of Object.entries(checks)) {
    try {
      results.push(...(await check()));
    } catch (cause) {
      const [line = ""] = (cause instanceof Error ? cause.message : String(cause)).split("\n");
      results.push(fail(name, line, "see docs/operations.md"));
    }
  }
  return results;
}
