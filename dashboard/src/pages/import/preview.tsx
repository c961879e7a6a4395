import type { ImportPreview } from "../../api/imports.ts";
import { momentText } from "../../format/dates.ts";
import { seenText } from "../../format/names.ts";
import { full } from "../../format/numbers.ts";
import { Icon } from "../../ui/icon.tsx";
import { ScrollRegion } from "../../ui/scroll-region.tsx";

/** What would become of the first rows. */
export function PreviewRows({ preview, isOld }: { preview: ImportPreview; isOld: boolean }) {
  const { rows, events, isWhole, earliest, latest, refused } = preview;
  const bad = refused.reduce((sum, { rows: n }) => sum + n, 0);
  return (
    <div className={isOld ? "import-preview import-old" : "import-preview"} aria-busy={isOld}>
      <p role="status">
        {isWhole ? "All" : "The first"} <strong>{full(rows, "count")}</strong> rows are{" "}
        <strong>{full(events, "count")}</strong> events
        {earliest === null || latest === null ? "" : `, from ${whenText(earliest)} to ${whenText(latest)}`}.{" "}
        {bad === 0 ? "No row would be refused." : `${full(bad, "count")} would be refused:`}
      </p>
      {refused.length === 0 ? null : (
        <ScrollRegion label="Rows that would be refused">
          <table className="table import-refused">
            <thead>
              <tr>
                <th scope="col">Rows</th>
                <th scope="col">The first</th>
                <th scope="col">Reason</th>
              </tr>
            </thead>
            <tbody>
              {refused.map(({ reason, rows: n, at }) => (
                <tr key={reason}>
                  <td>{full(n, "count")}</td>
                  <td>{seenText(at)}</td>
                  <td>{seenText(reason)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollRegion>
      )}
      {preview.first.length === 0 ? (
        <p className="import-none">
          <Icon name="warning" /> No event can be read like this. Choose the product, or which column is what.
        </p>
      ) : (
        <FirstEvents events={preview.first} />
      )}
    </div>
  );
}

const SHOWN = ["original_timestamp", "type", "event", "anonymous_id", "user_id", "address"] as const;

function FirstEvents({ events }: { events: ImportPreview["first"] }) {
  return (
    <ScrollRegion label="The first events">
      <table className="table import-events">
        <thead>
          <tr>
            {["Time", "Type", "Event", "Visitor", "User id", "Wallet", "Context", "Properties"].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {events.map((event) => (
            <tr key={String(event.message_id)}>
              {SHOWN.map((name) => (
                <td key={name}>{cellText(name, event[name])}</td>
              ))}
              {["context", "properties"].map((name) => (
                <td key={name}>
                  <code>{seenText(JSON.stringify(event[name] ?? {}))}</code>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

function cellText(name: string, value: unknown): string {
  if (value === undefined || value === null || value === "") return "–";
  return name === "original_timestamp" ? whenText(String(value)) : seenText(String(value));
}

/** History may be years old. */
function whenText(time: string): string {
  return `${momentText(Date.parse(time))}, ${time.slice(0, 4)}`;
}
