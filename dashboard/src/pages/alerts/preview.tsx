/** When an alert would have fired in the last 30 days. */
import { useEffect, useState } from "react";
import type { EventPreview, MetricPreview, WalletPreview } from "../../../../src/contract/metric-alerts.ts";
import { previewRequest, useAlertPreview } from "../../api/alerts.ts";
import { momentText, shortDayText } from "../../format/dates.ts";
import { full } from "../../format/numbers.ts";
import { wallTime, zoneName } from "../../format/zone.ts";
import { useView } from "../../state/view.ts";
import { ScrollRegion } from "../../ui/scroll-region.tsx";
import { Empty, Failure, Skeleton } from "../../ui/states.tsx";
import { EditorPart } from "../../ui/telling/editor-frame.tsx";
import { type Draft, filtersOf, metricOf } from "./draft.ts";
import { DayBars, NumberLine } from "./preview-chart.tsx";

/** One question for a word that is typed, not for each of its letters. */
const PAUSE_MS = 400;

export function WouldHaveFired({ draft }: { draft: Draft }) {
  const { project } = useView();
  const request = useLater(
    previewRequest(project, {
      trigger_type: draft.trigger,
      trigger_filters: filtersOf(draft),
      slack_property_keys: [],
      include_imported: draft.includeImported,
      metric: metricOf(draft.metric),
    }),
  );
  const isAsked = !(draft.trigger === "metric" && isUnfinished(draft));
  const preview = useAlertPreview(request, isAsked);
  return (
    <EditorPart title="The last 30 days">
      {isAsked && preview.error ? (
        <Failure failure={preview.error} onRetry={() => void preview.refetch()} />
      ) : isAsked && preview.isPending ? (
        <Skeleton rows={4} />
      ) : null}
      {isAsked && !preview.error && preview.data ? (
        <div aria-busy={preview.isPlaceholderData} className={preview.isPlaceholderData ? "alert-old" : undefined}>
          {preview.data.metric && draft.trigger === "metric" ? <OfNumber preview={preview.data.metric} /> : null}
          {preview.data.events && draft.trigger === "event" ? <OfEvents preview={preview.data.events} /> : null}
          {preview.data.wallets && draft.trigger === "user" ? <OfWallets preview={preview.data.wallets} /> : null}
        </div>
      ) : null}
    </EditorPart>
  );
}

function isUnfinished({ metric }: Draft): boolean {
  return metric.kept === undefined && metric.of === "sql" && metric.query.trim() === "";
}

/** The value once it has not changed for a moment. */
function useLater<T>(value: T): T {
  const [later, setLater] = useState(value);
  const text = JSON.stringify(value);
  useEffect(() => {
    const timer = setTimeout(() => setLater(JSON.parse(text) as T), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return later;
}

function OfEvents({ preview }: { preview: EventPreview }) {
  const { matches, days } = preview;
  return (
    <>
      <p role="status" className="alert-would">
        It would have told of <strong>{full(matches, "count")}</strong> {matches === 1 ? "event" : "events"}.
      </p>
      <ByDay days={days} what="Events" />
    </>
  );
}

function OfWallets({ preview }: { preview: WalletPreview }) {
  const { matches, wallets, looked_at, days } = preview;
  return (
    <>
      <p role="status" className="alert-would">
        It would have told <strong>{full(matches, "count")}</strong> {matches === 1 ? "time" : "times"} of{" "}
        {full(wallets, "count")} {wallets === 1 ? "wallet" : "wallets"}.
      </p>
      <p className="note">
        By what {looked_at === 1 ? "the wallet is" : `the ${full(looked_at, "count")} wallets are`} now: what they held
        then is not kept.
        {preview.is_cut ? " There are more wallets, or events, than a look back reads: the last seen ones count." : ""}
      </p>
      <ByDay days={days} what="Wallets" />
    </>
  );
}

function ByDay({ days, what }: Pick<EventPreview, "days"> & { what: "Events" | "Wallets" }) {
  return (
    <>
      <DayBars days={days} what={what} />
      <details>
        <summary>The numbers of the days</summary>
        <ScrollRegion label={`${what} by day`}>
          <table className="table alert-days">
            <thead>
              <tr>
                <th scope="col">Day</th>
                <th scope="col">{what}</th>
              </tr>
            </thead>
            <tbody>
              {days.map((day) => (
                <tr key={day.date}>
                  <th scope="row">{shortDayText(day.date)}</th>
                  <td>{full(day.matches, "count")}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollRegion>
      </details>
    </>
  );
}

function OfNumber({ preview }: { preview: MetricPreview }) {
  const { firings, points, evaluations } = preview;
  if (evaluations === 0)
    return <Empty title="There is nothing to look back on">The project has no events of a whole window yet.</Empty>;
  return (
    <>
      <p role="status" className="alert-would">
        It would have fired <strong>{full(firings.length, "count")}</strong> {firings.length === 1 ? "time" : "times"}{" "}
        in {full(evaluations, "count")} evaluations{preview.is_cut ? ", as far back as was asked" : ""}.
      </p>
      <NumberLine points={points} firings={firings} />
      {firings.length === 0 ? null : (
        <ScrollRegion label="Firings of the last 30 days">
          <table className="table alert-firings">
            <thead>
              <tr>
                <th scope="col">From ({zoneName()})</th>
                <th scope="col">To</th>
                <th scope="col">Number</th>
                <th scope="col">Told</th>
              </tr>
            </thead>
            <tbody>
              {firings.map(({ from, to, value, notified }) => (
                <tr key={from}>
                  <th scope="row">{zonedText(from)}</th>
                  <td>{to === null ? "still" : zonedText(to)}</td>
                  <td>{value === null ? "no data" : full(value, "number")}</td>
                  <td>{notified ? "yes" : "no: within the rest"}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollRegion>
      )}
    </>
  );
}

/** By the clocks of the project's zone, as a firing tells it. */
function zonedText(time: string): string {
  return momentText(wallTime(Date.parse(time)));
}
