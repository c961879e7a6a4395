/** What the sections of the settings have in common. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useState } from "react";
import type { ApiRequest } from "../../api/client.ts";
import { unwrap } from "../../api/forms.ts";
import { useSession } from "../../api/session.ts";
import { momentText } from "../../format/dates.ts";
import { CopyButton } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Empty, Failure, Skeleton } from "../../ui/states.tsx";
import { FormFailure, formTexts } from "../sign-in/card.tsx";
import "../../ui/row-table.css";

export interface SectionProps {
  title: string;
  about: ReactNode;
  action?: ReactNode;
  children: ReactNode;
}

export function Section({ title, about, action, children }: SectionProps) {
  return (
    <section className="panel settings-section" aria-label={title}>
      <header className="settings-head">
        <div>
          <h2>{title}</h2>
          <p className="note">{about}</p>
        </div>
        {action}
      </header>
      {children}
    </section>
  );
}

/** A list of the workspace, by its path. */
export function useList<T>(path: string, enabled = true) {
  const { workspace } = useSession();
  return useQuery({
    queryKey: ["settings", workspace.id, path],
    queryFn: ({ signal }) => unwrap<readonly T[]>({ path, signal }),
    enabled,
  });
}

/** A write after which lists and the account are read again. */
export function useWrite<T, V = void>(toRequest: (value: V) => ApiRequest, onDone?: (answer: T) => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (value: V) => unwrap<T>(toRequest(value)),
    onSuccess: async (answer) => {
      onDone?.(answer);
      await Promise.all([
        client.invalidateQueries({ queryKey: ["settings"] }),
        client.invalidateQueries({ queryKey: ["account"] }),
      ]);
    },
  });
}

interface ListProps<T> {
  list: ReturnType<typeof useList<T>>;
  empty: string;
  columns: readonly string[];
  row: (item: T) => { key: string; cells: readonly ReactNode[] };
}

export function List<T>({ list, empty, columns, row }: ListProps<T>) {
  if (list.error) return <Failure failure={list.error} onRetry={() => void list.refetch()} />;
  if (list.isPending) return <Skeleton rows={3} />;
  if (list.data.length === 0) return <Empty title={empty} />;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
    <section className="table-scroll" aria-label={`${columns[0] ?? ""} list`} tabIndex={0}>
      <table className="table row-table">
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column === "" ? <span className="hidden">Actions</span> : column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {list.data.map((item) => {
            const { key, cells } = row(item);
            return (
              <tr key={key}>
                {columns.map((column, index) => (
                  <td key={column} data-label={column} className={column === "" ? "row-actions" : undefined}>
                    {cells[index]}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

interface FormDialogProps {
  title: string;
  submit: string;
  pending: boolean;
  failure: unknown;
  onSubmit: (texts: Record<string, string>, event: FormEvent<HTMLFormElement>) => void;
  onClose: () => void;
  children: ReactNode;
}

export function FormDialog({ title, submit, pending, failure, onSubmit, onClose, children }: FormDialogProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <form className="stack" onSubmit={(event) => onSubmit(formTexts(event), event)}>
        {children}
        <FormFailure failure={failure} />
        <div className="dialog-actions">
          <button type="submit" className="button primary" disabled={pending}>
            {submit}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

interface ConfirmProps {
  label: string;
  title: string;
  about: ReactNode;
  confirm: string;
  pending: boolean;
  failure: unknown;
  onConfirm: () => void;
}

/** A button that asks before it acts. */
export function Confirm({ label, title, about, confirm, pending, failure, onConfirm }: ConfirmProps) {
  const [asked, setAsked] = useState(false);
  return (
    <>
      <button type="button" className="button small danger" onClick={() => setAsked(true)}>
        {label}
      </button>
      {asked ? (
        <Dialog title={title} onClose={() => setAsked(false)}>
          <p>{about}</p>
          <FormFailure failure={failure} />
          <div className="dialog-actions">
            <button type="button" className="button" onClick={() => setAsked(false)}>
              Keep it
            </button>
            <button type="button" className="button danger" disabled={pending} onClick={onConfirm}>
              {confirm}
            </button>
          </div>
        </Dialog>
      ) : null}
    </>
  );
}

/** A text that is shown once. */
export function Once({
  title,
  about,
  text,
  onClose,
}: {
  title: string;
  about: string;
  text: string;
  onClose: () => void;
}) {
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{about}</p>
      <pre className="code">{text}</pre>
      <div className="dialog-actions">
        <CopyButton text={text}>Copy</CopyButton>
      </div>
    </Dialog>
  );
}

export function When({ at, never = "never" }: { at: string | null; never?: string }) {
  if (at === null) return <span className="note">{never}</span>;
  return (
    <time className="nowrap" dateTime={at}>
      {momentText(Date.parse(at))}
    </time>
  );
}
