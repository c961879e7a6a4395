import { isPlain, ofSession, readConditions, readPages } from "../report/conditions.ts";
import { readParts, toCtes, unionOf } from "../report/parts.ts";
import { defineReport, type ReportContext, type ReportStatement } from "../report/report.ts";
import { countedEvents } from "./chosen-events.ts";
import { withImportedCounts } from "./imported-counts.ts";
import { HITS, SESSIONS, VISITORS } from "./top.ts";

const PARTS = readParts("top_pages");
const TRUE = "1 = 1";
/** What is not rolled up. */
const OPEN = { from: "open_sessions", weight: "v.weight" } as const;
const END_COLUMNS = "project_id, value, n_hits, n_sessions, n_bounces, n_viewers";

/** `all` counts pages by their views, the others sessions by the page that they began or ended with. */
const MODES = {
  all: { measure: "visitors", last: VISITORS },
  entry: { measure: "toFloat64(bounces) / sessions", last: { name: "bounce_rate", type: "Float64" } },
  exit: { measure: "toFloat64(sessions) / viewers", last: { name: "exit_rate", type: "Float64" } },
} as const;
type Mode = keyof typeof MODES;

export const topPages = defineReport<Mode>({
  read: ({ mode }) => (mode === "entry" || mode === "exit" ? mode : "all"),
  plan(mode, context) {
    const { measure, last } = MODES[mode];
    const { ctes, params, pages, onPage } = isPlain(context) ? planPlain(mode, context) : planFiltered(mode, context);
    const own = { ctes: [...ctes, ...toCtes(PARTS, ["split", "counts"], { measure, pages, on_page: onPage })], params };
    return {
      // Of pages that visits begin or end with, imported days have no rates.
      ...(mode === "all" ? withImportedCounts(own, context, "page", "pages") : own),
      addsImported: mode === "all",
      columns: [
        { name: "project_id", type: "String" },
        { name: "origin", type: "String" },
        { name: "pathname", type: "String" },
        HITS,
        SESSIONS,
        { ...last, from: "measure" },
      ],
      order: [
        ...(mode === "all" ? ["measure DESC"] : []),
        ...["sessions DESC", "hits DESC", "origin", "pathname", "project_id"],
      ],
      page: context,
    };
  },
});

interface Pages extends Pick<ReportStatement, "ctes" | "params"> {
  /** The relation of pages: project_id, value, hits, sessions, and what the mode's measure needs. */
  readonly pages: string;
  /** Which of them are shown. */
  readonly onPage: string;
}

function planPlain(mode: Mode, context: ReportContext): Pages {
  const { bots } = readConditions(context, ofSession).texts;
  if (mode === "all") {
    const { ctes, isCounted } = countedEvents(context);
    const texts = { bots, of_dimension: "r.dimension = 'page'", is_counted: isCounted };
    const parts = toCtes(PARTS, ["clean", "dirty", "known", "dirty_counts", "dirty_views", "pages"], texts);
    return { ctes: [...ctes, ...parts], params: {}, pages: "pages", onPage: TRUE };
  }
  const isDirty = { bots, session_filter: TRUE, matched: "v.day >= s.dirty_from", end: endOf(mode), ...OPEN };
  const parts = ["clean_ends", "chosen_ends", ...(mode === "exit" ? ["clean_viewers", "chosen_viewers"] : [])];
  const ctes = toCtes(PARTS, ["chosen", ...parts, "ends"], { ...isDirty, every: unionOf(parts, END_COLUMNS) });
  return { ctes, params: { dimension: `${mode}_page` }, pages: "ends", onPage: TRUE };
}

/** Sessions are kept in which one event meets all conditions on events; the page scope `page` shows that page alone. */
function planFiltered(mode: Mode, context: ReportContext): Pages {
  const { texts, params, hasEvents } = readConditions(context, ofSession);
  const shown = context.pageScope === "page" ? readPages(context) : undefined;
  const matched = hasEvents ? "(v.project_id, v.session) IN (SELECT project_id, session FROM matching)" : TRUE;
  const all = { ...texts, matched, end: mode === "all" ? "''" : endOf(mode), from: "sessions", weight: "1" };
  const chosen = [...(hasEvents ? ["matching"] : []), "chosen"];
  const found = { params: { ...params, ...shown?.params }, onPage: shown?.of("pathname") ?? TRUE };
  if (mode === "all") return { ...found, ctes: toCtes(PARTS, [...chosen, "views"], all), pages: "views" };
  const parts = ["chosen_ends", ...(mode === "exit" ? ["chosen_viewers"] : [])];
  const ctes = toCtes(PARTS, [...chosen, ...parts, "ends"], { ...all, every: unionOf(parts, END_COLUMNS) });
  return { ...found, ctes, pages: "ends" };
}

function endOf(mode: "entry" | "exit"): string {
  return `concat(v.${mode}_origin, ' ', v.${mode}_page)`;
}
