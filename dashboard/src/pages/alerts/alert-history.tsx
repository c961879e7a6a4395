import { useState } from "react";
import { type Alert, type Firing, useAlertWrite, useFirings } from "../../api/alerts.ts";
import { useSession } from "../../api/session.ts";
import { alertText } from "../../format/alert-words.ts";
import { momentText } from "../../format/dates.ts";
import { firingText } from "../../format/firing-words.ts";
import { seenText, shortAddress } from "../../format/names.ts";
import { full } from "../../format/numbers.ts";
import { Address } from "../../ui/address.tsx";
import { FormFailure } from "../../ui/form.tsx";
import { Pager } from "../../ui/pager.tsx";
import { RowTable } from "../../ui/row-table.tsx";
import { Empty, Failure, Skeleton } from "../../ui/states.tsx";
import { HistoryPanel } from "../../ui/telling/history-panel.tsx";
import { deliveryText } from "../../ui/telling/reasons.ts";

/** What an alert has told, and what became of it. */
export function AlertHistory({ alert, onClose }: { alert: Alert; onClose: () => void }) {
  const [page, setPage] = useState(1);
  const firings = useFirings(alert.id, page);
  return (
    <HistoryPanel
      label={`History of ${alert.name}`}
      {...{ title: alert.name, about: alertText(alert), close: "Close the history", onClose }}
    >
      {firings.error ? <Failure failure={firings.error} onRetry={() => void firings.refetch()} /> : null}
      {firings.isPending ? <Skeleton rows={4} /> : null}
      {firings.data?.total === 0 ? <Empty title="It has not fired yet" icon="bell" /> : null}
      {firings.data && firings.data.total > 0 ? (
        <>
          <FiringTable alert={alert} firings={firings.data.data} />
          <Pager
            {...{ total: firings.data.total, page, size: firings.data.size }}
            before="Newer"
            after="Older"
            onPage={setPage}
          />
        </>
      ) : null}
    </HistoryPanel>
  );
}

function FiringTable({ alert, firings }: { alert: Alert; firings: readonly Firing[] }) {
  const { workspace } = useSession();
  const resend = useAlertWrite<{ resent: number }, string>((id) => ({
    method: "POST",
    path: `/v0/alerts/${alert.id}/firings/${id}/resend`,
    body: {},
  }));
  return (
    <>
      <FormFailure failure={resend.error} />
      <RowTable label="Firings" columns={["Time", "What", "Matches", "Told"]} hasActions={workspace.can.edit}>
        {firings.map((firing) => (
          <tr key={firing.id}>
            <td data-label="Time">
              <time className="nowrap" dateTime={firing.created_at}>
                {momentText(Date.parse(firing.created_at))}
              </time>
            </td>
            <td data-label="What">
              <What firing={firing} />
            </td>
            <td data-label="Matches">{full(firing.count, "count")}</td>
            <td data-label="Told">{toldText(firing)}</td>
            {workspace.can.edit ? (
              <td className="row-actions">
                {firing.deliveries.length === 0 ? null : (
                  <button
                    type="button"
                    className="button small"
                    disabled={resend.isPending}
                    onClick={() => resend.mutate(firing.id)}
                  >
                    Send again
                    <span className="hidden"> what was told {momentText(Date.parse(firing.created_at))}</span>
                  </button>
                )}
              </td>
            ) : null}
          </tr>
        ))}
      </RowTable>
    </>
  );
}

/** The wallet of a single match leads to its page. */
function What({ firing }: { firing: Firing }) {
  const text = firingText(firing);
  const { address } = firing.details;
  const shown = typeof address === "string" ? shortAddress(seenText(address)) : "";
  if (typeof address !== "string" || shown === "" || !text.endsWith(shown)) return text;
  return (
    <>
      {text.slice(0, -shown.length)}
      <Address isSeen address={address} />
    </>
  );
}

/** Each recipient with what became of the message. */
function toldText({ state, deliveries }: Firing): string {
  if (state === "muted") return "nobody: it was muted";
  if (deliveries.length === 0) return "the bell alone";
  return deliveries.map((one) => `${one.channel} ${one.target}: ${deliveryText(one)}`).join("; ");
}
