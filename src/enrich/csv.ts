import { readFileSync } from "node:fs";

/**
 * Reads a list of `data/`: a header line, then two plain columns. Written by hand: there is no quoting because
 * no list needs it; the test of the lists' format would fail for one that does.
 */
export function readList(name: string, header: readonly [string, string]): [string, string][] {
  const file = new URL(`./data/${name}.csv`, import.meta.url);
  const [first, ...lines] = readFileSync(file, "utf8").trimEnd().split("\n");
  if (first !== header.join(",")) throw new Error(`data/${name}.csv: expected the header ${header.join(",")}`);
  return lines.map((line, index) => {
    const comma = line.indexOf(",");
    if (comma < 1) throw new Error(`data/${name}.csv, line ${index + 2}: expected two columns`);
    return [line.slice(0, comma), line.slice(comma + 1)];
  });
}
