import type { Gives, ImportPreview } from "../../api/imports.ts";
import { momentText } from "../../format/dates.ts";
import { seenText } from "../../format/names.ts";
import { full } from "../../format/numbers.ts";
import { uniqueKeys } from "../../format/unique-keys.ts";
import { Icon } from "../../ui/icon.tsx";
import { ScrollRegion } from "../../ui/scroll-region.tsx";

/** What would become of the first rows. */
export function PreviewRows({ preview, isOld }: { preview: ImportPreview; isOld: boolean }) {
  const { refused } = preview;
  const gives = preview.sources.find(({ name }) => name === preview.source)?.gives ?? "events";
  return (
    <div className={isOld ? "import-preview import-old" : "import-preview"} aria-busy={isOld}>
      <p role="status">
        {gives === "days" ? <SayDays preview={preview} /> : <SayRows preview={preview} gives={gives} />}
      </p>
      {refused.length === 0 ? null : (
        <ScrollRegion label={gives === "days" ? "Days that would be left out" : "Rows that would be refused"}>
          <table className="table import-refused">
            <thead>
              <tr>
                <th scope="col">{gives === "days" ? "Days" : "Rows"}</th>
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
      {preview.events === 0 ? (
        <p className="import-none">
          <Icon name="warning" /> {NOTHING[gives]}
        </p>
      ) : (
        <First gives={gives} items={preview.first} />
      )}
    </div>
  );
}

const NOTHING: Readonly<Record<Gives, string>> = {
  events: "No event can be read like this. Choose the product, or which column is what.",
  wallets: "No wallet can be read like this. Choose which column is the wallet.",
  days: "No day would be imported.",
};

function SayRows({ preview, gives }: { preview: ImportPreview; gives: Gives }) {
  const { rows, events, isWhole, earliest, latest } = preview;
  const bad = badRows(preview);
  return (
    <>
      {isWhole ? "All" : "The first"} <strong>{full(rows, "count")}</strong> rows are{" "}
      <strong>{full(events, "count")}</strong> {gives}
      {earliest === null || latest === null ? "" : `, from ${whenText(earliest)} to ${whenText(latest)}`}.{" "}
      {bad === 0 ? "No row would be refused." : `${full(bad, "count")} would be refused:`}
    </>
  );
}

function SayDays({ preview }: { preview: ImportPreview }) {
  const { events, earliest, latest } = preview;
  const bad = badRows(preview);
  const span = earliest === null || latest === null ? "" : `, from ${earliest.slice(0, 10)} to ${latest.slice(0, 10)}`;
  return (
    <>
      The sums of <strong>{full(events, "count")}</strong> days would be added to reports{span}. No events are made of
      them. {preview.isWhole ? "" : "Its other tables are looked at when it is imported. "}
      {bad === 0 ? "" : `${full(bad, "count")} would be left out:`}
    </>
  );
}

const badRows = ({ refused }: ImportPreview) => refused.reduce((sum, { rows }) => sum + rows, 0);

interface Column {
  name: string;
  /** Where its value is. */
  at: string;
  isCode?: true;
}

/** The columns of each kind of preview. */
const COLUMNS: Readonly<Record<Gives, readonly Column[]>> = {
  events: [
    { name: "Time", at: "original_timestamp" },
    { name: "Type", at: "type" },
    { name: "Event", at: "event" },
    { name: "Visitor", at: "anonymous_id" },
    { name: "User id", at: "user_id" },
    { name: "Wallet", at: "address" },
    { name: "Context", at: "context", isCode: true },
    { name: "Properties", at: "properties", isCode: true },
  ],
  wallets: [
    { name: "Wallet", at: "address" },
    { name: "Properties", at: "properties", isCode: true },
    { name: "Labels", at: "labels", isCode: true },
    { name: "Since", at: "timestamp" },
  ],
  days: [
    { name: "Day", at: "day" },
    { name: "Visitors", at: "visitors" },
    { name: "Visits", at: "visits" },
    { name: "Page views", at: "pageviews" },
    { name: "Bounces", at: "bounces" },
  ],
};

function First({ gives, items }: { gives: Gives; items: ImportPreview["first"] }) {
  const keys = uniqueKeys(items.map((item) => JSON.stringify(item)));
  return (
    <ScrollRegion label={`The first ${gives}`}>
      <table className={`table import-${gives === "days" ? "days" : "events"}`}>
        <thead>
          <tr>
            {COLUMNS[gives].map(({ name }) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map((item, at) => (
            <tr key={keys[at]}>
              {COLUMNS[gives].map(({ name, at: field, isCode }) => (
                <td key={name}>
                  {isCode ? <code>{seenText(JSON.stringify(item[field] ?? {}))}</code> : cellText(field, item[field])}
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
  if (typeof value === "number") return full(value, "count");
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return name === "original_timestamp" ? whenText(text) : seenText(text);
}

/** History may be years old. */
function whenText(time: string): string {
  return `${momentText(Date.parse(time))}, ${time.slice(0, 4)}`;
}
