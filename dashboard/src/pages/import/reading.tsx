/** How a file is read: what it is, for tables which column is what, and what would become of the first rows. */
import { useState } from "react";
import { type ImportItem, type Reading, useImportPreview, useImportWrite } from "../../api/imports.ts";
import { FormFailure } from "../../ui/form.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Failure, Skeleton } from "../../ui/states.tsx";
import { type Given, MappingFields } from "./mapping.tsx";
import { PreviewRows } from "./preview.tsx";

const OWN_TABLES: Readonly<Record<string, string>> = {
  generic: "something else: one event in each row",
  wallets: "something else: one wallet in each row",
};

interface HowToReadProps {
  item: ImportItem;
  onClose: () => void;
}

export function HowToRead({ item, onClose }: HowToReadProps) {
  const [source, setSource] = useState(item.source ?? undefined);
  const [given, setGiven] = useState(() => givenOf(item));
  const reading = readingOf(source, given);
  const preview = useImportPreview(item.id, reading);
  // After a failure the choice is still there: the file may be something else.
  const [last, setLast] = useState(preview.data);
  if (preview.data !== undefined && preview.data !== last) setLast(preview.data);
  const shown = preview.data ?? last;
  const chosen = source ?? shown?.source;
  const about = shown?.sources.find(({ name }) => name === chosen);
  const choose = (name: string) => {
    // The fields of an event are none of a wallet.
    setGiven({});
    setSource(name);
  };
  const start = useImportWrite<Reading>(
    (body) => ({ method: "POST", path: `/api/imports/${item.id}/start`, body }),
    onClose,
  );
  return (
    <section className="panel import-reading" aria-label={`How ${item.fileName} is read`}>
      <header className="panel-head">
        <h2>{item.fileName}</h2>
        <button type="button" className="button ghost square" aria-label="Close" onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      {preview.isPending ? <Skeleton rows={4} /> : null}
      {preview.error ? <Failure failure={preview.error} onRetry={() => void preview.refetch()} /> : null}
      {shown ? (
        <>
          <label className="import-source">
            It is an export of
            <select value={chosen} onChange={({ target }) => choose(target.value)}>
              {shown.sources.map(({ name, label }) => (
                <option key={name} value={name}>
                  {OWN_TABLES[name] ?? label}
                </option>
              ))}
            </select>
            <small>{about?.file}</small>
          </label>
          {shown.source === chosen && shown.fields.length > 0 ? (
            <MappingFields
              key={chosen}
              of={about?.gives === "wallets" ? "wallet" : "event"}
              fields={shown.fields}
              columns={shown.columns}
              given={given}
              onChange={(next) => {
                // A mapping belongs to what the file was found to be.
                setSource(chosen);
                setGiven(next);
              }}
            />
          ) : null}
          {preview.error ? null : <PreviewRows preview={shown} isOld={preview.isPlaceholderData} />}
          <FormFailure failure={start.error} />
          <div className="import-start">
            <button
              type="button"
              className="button primary"
              disabled={start.isPending || preview.isPlaceholderData || preview.isError || shown.events === 0}
              onClick={() => start.mutate({ ...reading, source: source ?? shown.source })}
            >
              <Icon name="play" /> Import the file
            </button>
            <span className="note">
              {about?.gives === "days"
                ? "The days can be left out of a report, and deleted, at any time."
                : "A row that was imported before changes nothing."}
            </span>
          </div>
        </>
      ) : null}
    </section>
  );
}

/** As it was started before: read in another way, its rows would be other events. */
function givenOf({ columns, values }: ImportItem): Readonly<Record<string, Given>> {
  const given: Record<string, Given> = {};
  for (const [field, column] of Object.entries(columns)) given[field] = { column };
  for (const [field, value] of Object.entries(values)) given[field] = { value };
  return given;
}

function readingOf(source: string | undefined, given: Readonly<Record<string, Given>>): Reading {
  if (source !== undefined && !(source in OWN_TABLES)) return { source };
  const entries = Object.entries(given);
  const columns = entries.flatMap(([field, { column }]) => (column === undefined ? [] : [[field, column] as const]));
  const values = entries.flatMap(([field, { value }]) =>
    value === undefined || value === "" ? [] : [[field, value] as const],
  );
  if (columns.length + values.length === 0) return source === undefined ? {} : { source };
  return { source, columns: Object.fromEntries(columns), values: Object.fromEntries(values) };
}
