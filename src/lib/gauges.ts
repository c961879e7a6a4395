import { Gauge, type Registry } from "prom-client";

/** Name, help text, and the function that reads the value at each scrape. */
export type GaugeLine = readonly [name: string, help: string, read: () => number];

export function addGauges(registry: Registry, gauges: readonly GaugeLine[]): void {
  for (const [name, help, read] of gauges) {
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
  }
}
