import { lazy, Suspense, useState } from "react";
import { type Row, reportRequest, useReport } from "../api/reports.ts";
import { full } from "../format/numbers.ts";
import { useSetSearch, useView } from "../state/view.ts";
import { Counted } from "./counted.tsx";

const WhichBots = lazy(async () => ({ default: (await import("./which-bots.tsx")).WhichBots }));

/** How many visitors of the view are bots: nobody is left out, or counted, without a word. */
export function BotsLine() {
  const view = useView();
  const set = useSetSearch();
  const [open, setOpen] = useState<"which" | "counted">();
  const { data, isPlaceholderData } = useReport<Row>(
    // Plain, it is answered from stored daily numbers.
    reportRequest("top_sources", { ...view.query, bots: "include", metric_column: "device" }),
  );
  const bots = Number(data?.data.find(({ device }) => device === "bot")?.visitors ?? 0);
  // Its line is kept free, so that the page does not move.
  if (data === undefined || isPlaceholderData) return <p className="note bots-line">&nbsp;</p>;
  const count = `${full(bots, "count")} ${bots === 1 ? "bot" : "bots"}`;
  const out = view.leavesBotsOut;
  return (
    <p className="note bots-line">
      <span>{bots === 0 ? "No bots in this view" : out ? `${count} left out` : `${count} counted as visitors`}</span>
      {bots === 0 && out ? null : (
        <button
          type="button"
          className="link-button"
          // The project's own setting needs no word in the URL.
          onClick={() => set({ bots: out ? (view.query.bots ? undefined : "include") : toLeaveOut(view.query.bots) })}
        >
          {out ? "show" : "leave them out"}
        </button>
      )}
      {bots === 0 ? null : (
        <button type="button" className="link-button" onClick={() => setOpen("which")}>
          which ones?
        </button>
      )}
      {open === "which" ? (
        <Suspense fallback={null}>
          <WhichBots onClose={() => setOpen(undefined)} onCounted={() => setOpen("counted")} />
        </Suspense>
      ) : null}
      {open === "counted" ? <Counted title="Bots" name="bots" onClose={() => setOpen(undefined)} /> : null}
    </p>
  );
}

function toLeaveOut(asked: unknown): "exclude" | undefined {
  return asked === "include" ? undefined : "exclude";
}
