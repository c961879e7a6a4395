import type { ViewParameter } from "../charts/kinds/kind.ts";
import type { Asked, Interval, Range } from "../format/range.ts";

interface Page {
  query: Asked;
  compared: Range | undefined;
  interval: Interval;
}

/** The request of a chart: the parameters of the page that its kind needs, and its own. */
export function chartRequest(
  { needs }: { needs: readonly ViewParameter[] },
  { report, params }: { report: string; params?: Asked },
  { query, compared, interval }: Page,
): { path: string; query: Asked } {
  const given: Asked = { ...query, compare_from: compared?.from, compare_to: compared?.to, interval };
  const asked = Object.fromEntries(needs.map((name) => [name, given[name]]));
  return { path: `/v0/${report}`, query: { ...asked, ...params } };
}

/** What several questions ask together: the days from the first to the last. Undefined without any. */
export function joinAsked(parts: readonly { asked: Asked }[]): Asked | undefined {
  const [first, last] = [parts[0]?.asked, parts.at(-1)?.asked];
  return first && { ...first, date_to: last?.date_to };
}
