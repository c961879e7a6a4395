import { full } from "../format/numbers.ts";
import { REASONS } from "../format/reasons.ts";

/** Why events were parked or refused, and what to do. */
export function ReasonsTable({ reasons }: { reasons: readonly { outcome: string; reason: string; events: number }[] }) {
  return (
    <table className="table">
      <thead>
        <tr>
          <th scope="col">Outcome</th>
          <th scope="col">Reason and what to do</th>
          <th scope="col" className="number">
            Events
          </th>
        </tr>
      </thead>
      <tbody>
        {reasons.map(({ outcome, reason, events }) => (
          <tr key={`${outcome} ${reason}`}>
            <td>{outcome}</td>
            <td>
              <code>{reason}</code> {REASONS[reason] ?? ""}
            </td>
            <td className="number">{full(events, "count")}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
