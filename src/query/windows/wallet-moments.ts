/** The wallets that had events, and the moments of those events: what user alerts would have looked at. */
import { readWindowParts, toCtes } from "../report/parts.ts";
import { defineReport, type Report, type ReportContext, type ReportStatement } from "../report/report.ts";

const PARTS = readWindowParts(new URL("./windows.sql", import.meta.url));

interface SeenEvents {
  /** False: without events of imported history. */
  readonly includeImported: boolean;
  readonly limit: number;
}

/** Rows with `wallet` and `last_ms`, the last seen first. */
export function seenWallets(seen: SeenEvents): Report {
  return pageOf("seen_wallets", "last_ms", seen, {});
}

/** Rows with `wallet` and `at_ms`, of these wallets, the newest first. */
export function walletMoments(wallets: readonly string[], seen: SeenEvents): Report {
  return pageOf("wallet_moments", "at_ms", seen, { wallets });
}

function pageOf(
  part: string,
  time: string,
  { includeImported, limit }: SeenEvents,
  params: Readonly<Record<string, unknown>>,
): Report {
  return defineReport({
    read: () => undefined,
    plan(_own, context): ReportStatement {
      const matched = [...personTerms(context), ...(includeImported ? [] : ["e.channel != 'import'"])];
      const [cte] = toCtes(PARTS, [part], { matched: ["1 = 1", ...matched].join(" AND ") });
      return {
        ctes: [{ name: "counts", sql: cte?.sql ?? "" }],
        params,
        columns: [
          { name: "wallet", type: "String" },
          { name: time, type: "Int64" },
        ],
        order: [`${time} DESC`, "wallet"],
        page: { limit, offset: 0 },
      };
    },
  });
}

/** Terms about an event `e`, where projects leave bots out. */
export function personTerms({ leavesBotsOut }: Pick<ReportContext, "leavesBotsOut">): string[] {
  return leavesBotsOut ? ["(e.project_id NOT IN {without_bots:Array(String)} OR e.device != 'bot')"] : [];
}
