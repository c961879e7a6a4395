import { type Schedule, schedulePath, useScheduleWrite } from "../../api/schedules.ts";
import { shortDayText } from "../../format/dates.ts";
import { full } from "../../format/numbers.ts";
import { recipientText } from "../../format/schedule-words.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { FormFailure } from "../../ui/form.tsx";

interface Sent {
  date_from: string;
  date_to: string;
  deliveries: number;
}

/** The last report, to its recipients, now. */
export function TestDialog({ schedule, onClose }: { schedule: Schedule; onClose: () => void }) {
  const test = useScheduleWrite<Sent>(() => ({ method: "POST", path: `${schedulePath(schedule.id)}/test` }));
  return (
    <Dialog title={`Test ${schedule.title}`} onClose={onClose}>
      <p>The last report goes out now, marked as a test. It comes at its hour all the same.</p>
      <ul className="schedule-recipients">
        {schedule.recipients.map((one) => (
          <li key={`${one.type} ${one.value}`}>{recipientText(one)}</li>
        ))}
      </ul>
      <p role="status">{test.data ? sentText(test.data) : ""}</p>
      <FormFailure failure={test.error} />
      <div className="dialog-actions">
        <button type="button" className="button" onClick={onClose}>
          Close
        </button>
        <button type="button" className="button primary" disabled={test.isPending} onClick={() => test.mutate()}>
          {test.isPending ? "Making it…" : "Send it"}
        </button>
      </div>
    </Dialog>
  );
}

function sentText({ date_from, date_to, deliveries }: Sent): string {
  const who = deliveries === 1 ? "one recipient" : `${full(deliveries, "count")} recipients`;
  const days = `${shortDayText(date_from)} to ${shortDayText(date_to)}`;
  return deliveries === 0 ? "Nobody is left to send it to." : `The report of ${days} is on its way to ${who}.`;
}
