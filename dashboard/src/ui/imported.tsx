/** Marks what another product has counted: no sum of it is shown as the project's own without a word. */
import type { ImportedNote } from "../api/reports.ts";
import { rangeText } from "../format/dates.ts";
import type { Day } from "../format/days.ts";
import { useSetSearch, useView } from "../state/view.ts";
import "./imported.css";

const NAMES: Readonly<Record<string, string>> = { plausible: "Plausible" };
const nameOf = (source: string) => NAMES[source] ?? source;

/** Of one chart or list. */
export function ImportedBadge({ note }: { note: ImportedNote }) {
  const { today } = useView();
  return <SharedImportedBadge note={note} today={today} />;
}

/** The same for a page without a session. */
export function SharedImportedBadge({ note, today }: { note: ImportedNote; today: Day }) {
  const { from, to, source, included, reason } = note;
  const days = `${rangeText({ from, to }, today)}: days that ${nameOf(source)} counted`;
  return (
    <span
      className={included ? "imported-badge" : "imported-badge imported-out"}
      title={included ? `${days}.` : `${days}, left out: ${reason}.`}
    >
      {included ? "includes imported days" : "without imported days"}
    </span>
  );
}

/** Of a page, with the switch. Charts that cannot have them say so themselves. */
export function ImportedLine({ note }: { note: ImportedNote }) {
  const { query, today } = useView();
  const set = useSetSearch();
  const isOff = query.imported !== undefined;
  if (!note.included && !isOff) return null;
  const days = `${rangeText(note, today)}, counted by ${nameOf(note.source)}`;
  return (
    <p className="note bots-line">
      <span>{isOff ? `Imported days left out (${days})` : `Includes imported days (${days})`}</span>
      <button type="button" className="link-button" onClick={() => set({ imported: isOff ? undefined : "false" })}>
        {isOff ? "include them" : "leave them out"}
      </button>
    </p>
  );
}
