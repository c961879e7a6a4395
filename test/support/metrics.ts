/** What a service says on its operations port: the sum of a metric over all of its labels, or over those that are named. */
export async function readMetrics(opsUrl: string): Promise<(name: string, labels?: Record<string, string>) => number> {
  const text = await (await fetch(`${opsUrl}/metrics`)).text();
  return (name, labels = {}) => {
    const lines = [...text.matchAll(new RegExp(`^${name}(?:\\{(.*)\\})? (\\S+)$`, "gm"))];
    const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
    const found = lines.filter(([, given = ""]) => wanted.every((label) => given.split(",").includes(label)));
    // What is not told is not 0.
    return found.length === 0 ? Number.NaN : found.reduce((all, [, , value]) => all + Number(value), 0);
  };
}
