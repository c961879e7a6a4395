import { type Schedule, type ScheduleRun, schedulePath, useRuns, useScheduleWrite } from "../../api/schedules.ts";
import { useSession } from "../../api/session.ts";
import { momentText, shortDayText } from "../../format/dates.ts";
import { rhythmText } from "../../format/schedule-words.ts";
import { FormFailure } from "../../ui/form.tsx";
import { RowTable } from "../../ui/row-table.tsx";
import { Empty, Failure, Skeleton } from "../../ui/states.tsx";
import { HistoryPanel } from "../../ui/telling/history-panel.tsx";
import { deliveryText } from "../../ui/telling/reasons.ts";

/** The reports that were sent, and what became of each delivery. */
export function Runs({ schedule, onClose }: { schedule: Schedule; onClose: () => void }) {
  const runs = useRuns(schedule.id);
  return (
    <HistoryPanel
      label={`Sent reports of ${schedule.title}`}
      {...{ title: schedule.title, about: rhythmText(schedule), close: "Close what was sent", onClose }}
    >
      {runs.error ? <Failure failure={runs.error} onRetry={() => void runs.refetch()} /> : null}
      {runs.isPending ? <Skeleton rows={3} /> : null}
      {runs.data?.data.length === 0 ? <Empty title="Nothing was sent yet" icon="calendar" /> : null}
      {runs.data && runs.data.data.length > 0 ? <RunTable schedule={schedule} runs={runs.data.data} /> : null}
    </HistoryPanel>
  );
}

function RunTable({ schedule, runs }: { schedule: Schedule; runs: readonly ScheduleRun[] }) {
  const { workspace } = useSession();
  const resend = useScheduleWrite<unknown, string>((id) => ({
    method: "POST",
    path: `${schedulePath(schedule.id)}/runs/${id}/resend`,
  }));
  return (
    <>
      <FormFailure failure={resend.error} />
      <RowTable label="Sent reports" columns={["Days", "Sent", "To"]} hasActions={workspace.can.edit}>
        {runs.map((run) => (
          <tr key={run.id}>
            <td data-label="Days">
              {shortDayText(run.date_from)} to {shortDayText(run.date_to)}
            </td>
            <td data-label="Sent">
              <time dateTime={run.sent_at}>{momentText(Date.parse(run.sent_at))}</time>
            </td>
            <td data-label="To">
              {run.deliveries.map((one) => `${one.value}: ${deliveryText(one)}`).join("; ") || "nobody"}
            </td>
            {workspace.can.edit ? (
              <td className="row-actions">
                {run.deliveries.length === 0 ? null : (
                  <button
                    type="button"
                    className="button small"
                    disabled={resend.isPending}
                    onClick={() => resend.mutate(run.id)}
                  >
                    Send again
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
