/** One thing that was looked at, or could not be (`skip`). `advice` is what to do about it, and stands only where something is wrong. */
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

/** All checks in order. One that throws has failed, and keeps none of the others from being made. */
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
