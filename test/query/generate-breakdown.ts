// Seeded queries of breakdown.
import { makeWindow, PROPERTIES, type Random } from "./generate.ts";
import { makeCommon, type QuerySource } from "./generate-events.ts";
import type { BreakdownQuery } from "./oracle-breakdown.ts";

const OF_SESSIONS =
  "referrer|referrer_url|ref|utm_source|utm_medium|utm_campaign|utm_term|utm_content|origin|device|browser|os|channel|paid_source|location";
const COLUMNS = `${OF_SESSIONS}|rdns|rdns|entry_page|exit_page|page|page|chain_id|chain_id|builder_codes|builder_codes|event|custom_event`;
const MEASURES =
  "hits|sessions|visitors|wallets|transacting_wallets|conversion|transactions|volume|revenue|revenue_per_wallet";

export function generateBreakdown(random: Random, source: QuerySource): BreakdownQuery {
  const isProperty = random.chance(0.15);
  const metric_column = isProperty
    ? `properties.${random.pick(["missing", "status", ...Object.keys(PROPERTIES)])}`
    : random.pick(COLUMNS.split("|"));
  const asked = makeCommon(random, source, (event) => {
    if (metric_column === "rdns" || metric_column === "chain_id" || metric_column === "builder_codes")
      return event[metric_column] !== "";
    return metric_column.endsWith("page") ? event.type === "page" : true;
  });
  const compared = makeCompared(random, source);
  const suffix = compared !== undefined && random.chance(0.5) ? "_change" : "";
  return {
    ...asked,
    metric_column,
    ...(random.chance(0.4) ? { measures: makeMeasures(random) } : {}),
    ...(random.chance(0.7) ? { order_by: `${random.pick(MEASURES.split("|"))}${suffix}` } : {}),
    ...(random.chance(0.5) ? { order: random.pick(["asc", "desc"] as const) } : {}),
    ...compared,
  };
}

function makeMeasures(random: Random): string {
  const some = MEASURES.split("|").filter(() => random.chance(0.3));
  return (some.length === 0 ? [random.pick(MEASURES.split("|"))] : some).join(",");
}

/** Any days, also some of the window itself. */
function makeCompared(random: Random, { days }: QuerySource): Partial<BreakdownQuery> | undefined {
  if (random.chance(0.4)) return undefined;
  if (random.chance(0.4)) return { include_previous_period: true };
  const { from, to } = makeWindow(random, days);
  return { compare_from: from, compare_to: to };
}
