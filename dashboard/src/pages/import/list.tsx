import { serviceUrl } from "../../api/client.ts";
import { type ImportItem, useImportWrite } from "../../api/imports.ts";
import { useSession } from "../../api/session.ts";
import { stopSending, useSendings } from "../../api/upload.ts";
import { momentText } from "../../format/dates.ts";
import { bytesText, full } from "../../format/numbers.ts";
import { Confirm, FormFailure } from "../../ui/form.tsx";
import { RowTable } from "../../ui/row-table.tsx";
import { DaysButton } from "./days.tsx";

interface ListProps {
  items: readonly ImportItem[];
  onOpen: (id: string) => void;
}

const COLUMNS = ["File", "Size", "State", "Rows", "Events", "Refused rows", "Begun"] as const;

export function ImportList({ items, onOpen }: ListProps) {
  const { workspace } = useSession();
  return (
    <section className="panel import-list" aria-label="Imports">
      <header className="panel-head">
        <h2>Imports</h2>
      </header>
      <RowTable label="Imports" columns={COLUMNS} hasActions={workspace.can.edit}>
        {items.map((item) => (
          <ImportRow key={item.id} item={item} onOpen={() => onOpen(item.id)} />
        ))}
      </RowTable>
    </section>
  );
}

function ImportRow({ item, onOpen }: { item: ImportItem; onOpen: () => void }) {
  const { workspace } = useSession();
  const { fileName, fileBytes, rows, events, days, createdAt } = item;
  return (
    <tr>
      <td data-label="File">
        <strong className="import-name">{fileName}</strong>
        {item.isUpload ? null : <small className="import-way">by the command, {item.source}</small>}
      </td>
      <td data-label="Size">{fileBytes === 0 ? "–" : bytesText(fileBytes)}</td>
      <td data-label="State">
        <State item={item} />
      </td>
      <td data-label="Rows">{full(rows, "count")}</td>
      <td data-label="Events">
        {days === null ? (
          `${full(events, "count")}${item.source === "wallets" ? " wallets" : ""}`
        ) : (
          <DaysButton item={item} days={days} />
        )}
      </td>
      <td data-label="Refused rows">
        <Refused item={item} />
      </td>
      <td data-label="Begun">
        <time className="nowrap" dateTime={createdAt}>
          {momentText(Date.parse(createdAt))}
        </time>
      </td>
      {workspace.can.edit ? (
        <td className="row-actions">
          <Actions item={item} onOpen={onOpen} />
        </td>
      ) : null}
    </tr>
  );
}

/** What a person has to know of each state. */
const STATES: Readonly<Record<ImportItem["state"], string>> = {
  receiving: "Not complete: choose the same file again to go on",
  ready: "Ready to be looked at",
  waiting: "Waits for its turn",
  running: "Is being imported",
  done: "Imported",
  failed: "Failed",
  cancelled: "Stopped",
};

function State({ item }: { item: ImportItem }) {
  const sending = useSendings().get(item.id);
  const { state, fileBytes, doneBytes, message, fileName } = item;
  if (sending !== undefined && sending.failure === undefined)
    return <Progress label={`Sending ${fileName}`} done={sending.sent} total={fileBytes} words="Sending" />;
  if (state === "running" && item.isUpload)
    return <Progress label={`Importing ${fileName}`} done={doneBytes} total={fileBytes} words="Importing" />;
  return (
    <>
      <span className={`import-state import-${state}`}>
        {state === "cancelled" && !item.isUpload ? "Stopped: run the command again to go on" : STATES[state]}
      </span>
      {state === "failed" && message !== null ? <small className="import-message">{message}</small> : null}
      <FormFailure failure={sending?.failure} />
    </>
  );
}

function Progress(props: { label: string; done: number; total: number; words: string }) {
  const { label, done, total, words } = props;
  return (
    <span className="import-progress">
      <span>
        {words}, {Math.floor((100 * done) / Math.max(1, total))} %
      </span>
      <progress value={done} max={total} aria-label={label} />
    </span>
  );
}

function Refused({ item: { id, projectId, refused, fileName, isUpload } }: { item: ImportItem }) {
  const { workspace } = useSession();
  // The command has written them beside its file.
  if (!isUpload && refused > 0) return `${full(refused, "count")}, in ${fileName}.refused.ndjson`;
  if (refused === 0 || !workspace.can.edit) return full(refused, "count");
  return (
    <a href={serviceUrl(`/api/imports/${id}/refused`, { project_id: projectId }).href} download>
      {full(refused, "count")}
      <span className="hidden"> refused rows of {fileName}</span>
    </a>
  );
}

/** Which one of many equal buttons, for whoever does not see the row. */
function Of({ name }: { name: string }) {
  return <span className="hidden"> {name}</span>;
}

/** What a deletion takes along. */
function aboutDeletion({ isUpload, days, source }: ImportItem): string {
  if (days !== null || (source === "plausible" && !isUpload))
    return "Its days leave all reports, and none other. The same export can be imported again.";
  const what = source === "wallets" ? "Wallets" : "Events";
  return isUpload
    ? `The file and the list of its refused rows go. ${what} that were imported stay.`
    : `The import leaves this list. ${what} that were imported stay.`;
}

function Actions({ item, onOpen }: { item: ImportItem; onOpen: () => void }) {
  if (item.isUpload) return <UploadActions item={item} onOpen={onOpen} />;
  return <span className="import-actions">{item.state === "running" ? null : <Delete item={item} />}</span>;
}

function Delete({ item }: { item: ImportItem }) {
  const remove = useImportWrite<void>(() => ({ method: "DELETE", path: `/api/imports/${item.id}` }));
  return (
    <Confirm
      label="Delete"
      title={`Delete ${item.fileName}?`}
      about={aboutDeletion(item)}
      confirm="Delete it"
      pending={remove.isPending}
      failure={remove.error}
      onConfirm={() => remove.mutate()}
    />
  );
}

function UploadActions({ item, onOpen }: { item: ImportItem; onOpen: () => void }) {
  const { id, state, fileName } = item;
  const sending = useSendings().get(id);
  const isSending = sending !== undefined && sending.failure === undefined;
  const cancel = useImportWrite<void>(() => ({ method: "POST", path: `/api/imports/${id}/cancel`, body: {} }));
  return (
    <span className="import-actions">
      {state === "ready" ? (
        <button type="button" className="button small primary" onClick={onOpen}>
          Look at it
          <Of name={fileName} />
        </button>
      ) : null}
      {state === "failed" || state === "cancelled" ? (
        <button type="button" className="button small" onClick={onOpen}>
          Start again
          <Of name={fileName} />
        </button>
      ) : null}
      {isSending ? (
        <button type="button" className="button small" onClick={() => stopSending(id)}>
          Stop
          <Of name={fileName} />
        </button>
      ) : null}
      {state === "waiting" || state === "running" ? (
        <button type="button" className="button small" disabled={cancel.isPending} onClick={() => cancel.mutate()}>
          Stop
          <Of name={fileName} />
        </button>
      ) : null}
      {isSending ? null : <Delete item={item} />}
      <FormFailure failure={cancel.error} />
    </span>
  );
}
