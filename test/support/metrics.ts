import { waitFor } from "./wait.ts";

/** A metric of a service's operations port: its sum over all labels, or over the given ones. */
export async function readMetrics(opsUrl: string): Promise<(name: string, labels?: Record<string, string>) => number> {
  const text = await (await fetch(`${opsUrl}/metrics`)).text();
  return (name, labels = {}) => {
    const lines = [...text.matchAll(new RegExp(`^${name}(?:\\{(.*)\\})? (\\S+)$`, "gm"))];
    const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
    const found = lines.filter(([, given = ""]) => wanted.every((label) => given.split(",").includes(label)));
    // A missing metric is not 0.
    return found.length === 0 ? Number.NaN : found.reduce((all, [, , value]) => all + Number(value), 0);
  };
}

/** The ledger of the last hour in the metrics, once it has so many events. Under load the next sample may take 30 s. */
export async function waitForLedgerMetrics(opsUrl: string, received: number) {
  return waitFor(
    `${received} events in the ledger's metrics`,
    async () => {
      const sums = await readLedgerMetrics(opsUrl);
      return sums.received >= received && sums;
    },
    60_000,
  );
}

async function readLedgerMetrics(opsUrl: string) {
  const read = await readMetrics(opsUrl);
  const of = (outcome: string) => read("sextant_ledger_events", { outcome });
  return {
    received: read("sextant_ledger_received"),
    stored: of("stored"),
    duplicate: of("duplicate"),
    parked: of("parked"),
    refused: of("refused"),
  };
}
