import { type Schedule, schedulePath, useScheduleWrite } from "../../api/schedules.ts";
import { shortDayText } from "../../format/dates.ts";
import { full } from "../../format/numbers.ts";
import { recipientText } from "../../format/schedule-words.ts";
import { ActDialog } from "../../ui/telling/act-dialog.tsx";

interface Sent {
  date_from: string;
  date_to: string;
  deliveries: number;
}

/** The last report, to its recipients, now. */
export function TestDialog({ schedule, onClose }: { schedule: Schedule; onClose: () => void }) {
  const test = useScheduleWrite<Sent>(() => ({ method: "POST", path: `${schedulePath(schedule.id)}/test` }));
  return (
    <ActDialog
      {...{
        title: `Test ${schedule.title}`,
        act: "Send it",
        acting: "Making it…",
        leave: "Close",
        change: test,
        onClose,
      }}
    >
      <p>The last report goes out now, marked as a test. It comes at its hour all the same.</p>
      <RecipientList recipients={schedule.recipients} />
      <p role="status">{test.data ? sentText(test.data) : ""}</p>
    </ActDialog>
  );
}

export function RecipientList({ recipients }: Pick<Schedule, "recipients">) {
  return (
    <ul className="telling-lines">
      {recipients.map((one, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two URLs may be hidden alike.
        <li key={at}>{recipientText(one)}</li>
      ))}
    </ul>
  );
}

function sentText({ date_from, date_to, deliveries }: Sent): string {
  const who = deliveries === 1 ? "one recipient" : `${full(deliveries, "count")} recipients`;
  const days = `${shortDayText(date_from)} to ${shortDayText(date_to)}`;
  return deliveries === 0 ? "Nobody is left to send it to." : `The report of ${days} is on its way to ${who}.`;
}
