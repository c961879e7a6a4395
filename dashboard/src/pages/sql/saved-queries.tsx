import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { SAVED_QUERY_LIMITS } from "../../../../src/contract/saved-queries.ts";
import { call } from "../../api/client.ts";
import { useSession } from "../../api/session.ts";
import { agoText } from "../../format/dates.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { FormFailure } from "../../ui/form.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Failure, Skeleton } from "../../ui/states.tsx";
import { useDialog } from "../../ui/use-dialog.ts";
import { type BrowserQuery, keepBrowserQueries, readBrowserQueries } from "./browser-queries.ts";
import { EXAMPLES } from "./examples.ts";

interface SavedQuery {
  id: string;
  name: string;
  query: string;
  created_by: { id: string; name: string } | null;
  created_at: string;
}

const PATH = "/v0/saved_queries";

function useSavedQueries(project: string) {
  return useQuery({
    queryKey: ["saved-queries", project],
    queryFn: ({ signal }) => call<{ data: SavedQuery[] }>({ path: PATH, query: { project_id: project }, signal }),
    enabled: project !== "",
  });
}

/** A change of the list, which is read again afterwards. */
function useChange<V>(change: (value: V) => Promise<unknown>, onDone: () => void = () => undefined) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: onDone,
    onSettled: () => client.invalidateQueries({ queryKey: ["saved-queries"] }),
  });
}

function ownerText({ created_by, created_at }: SavedQuery): string {
  return `${created_by?.name ?? "an API key"}, ${agoText(Date.parse(created_at), Date.now())}`;
}

interface SavedProps {
  project: string;
  draft: string;
  onChoose: (text: string) => void;
}

/** The queries of the project, those that are still in this browser, and examples. */
export function SavedQueries({ project, draft, onChoose }: SavedProps) {
  const saved = useSavedQueries(project);
  const all = saved.data?.data;
  return (
    <section className="panel" aria-label="Saved queries">
      <div className="panel-body">
        <h2>Saved queries</h2>
        <small>Of this project: its members see them.</small>
        {saved.error ? <Failure failure={saved.error} onRetry={() => void saved.refetch()} /> : null}
        {saved.isLoading ? <Skeleton rows={2} /> : null}
        <ul className="choices sql-saved">
          {all?.map((one) => (
            <SavedRow key={one.id} saved={one} onChoose={onChoose} />
          ))}
        </ul>
        <SaveForm project={project} draft={draft} all={all ?? []} />
        <MoveFromBrowser project={project} />
        <h2>Examples</h2>
        <ul className="choices">
          {EXAMPLES.map((query) => (
            <li key={query.name}>
              <button type="button" onClick={() => onChoose(query.text)}>
                {query.name}
              </button>
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}

/** For those who may not run them. */
export function SavedTexts({ project }: { project: string }) {
  const { data } = useSavedQueries(project);
  if (data === undefined || data.data.length === 0) return null;
  return (
    <section className="panel" aria-label="Saved queries">
      <div className="panel-body">
        <h2>Saved queries</h2>
        {data.data.map((one) => (
          <details key={one.id} className="sql-table">
            <summary>{one.name}</summary>
            <p className="note">Saved by {ownerText(one)}.</p>
            <pre className="code">{one.query}</pre>
          </details>
        ))}
      </div>
    </section>
  );
}

function SavedRow({ saved, onChoose }: { saved: SavedQuery; onChoose: (text: string) => void }) {
  const { asked, ask, close } = useDialog<"rename" | "delete">();
  return (
    <li>
      <button type="button" className="grow" onClick={() => onChoose(saved.query)}>
        {saved.name}
      </button>
      <button
        type="button"
        className="button ghost square"
        aria-label={`Rename ${saved.name}`}
        onClick={() => ask("rename")}
      >
        <Icon name="edit" />
      </button>
      <button
        type="button"
        className="button ghost square"
        aria-label={`Delete ${saved.name}`}
        onClick={() => ask("delete")}
      >
        <Icon name="trash" />
      </button>
      <small>{ownerText(saved)}</small>
      {asked === "rename" ? <RenameDialog saved={saved} onClose={close} /> : null}
      {asked === "delete" ? <DeleteDialog saved={saved} onClose={close} /> : null}
    </li>
  );
}

function RenameDialog({ saved, onClose }: { saved: SavedQuery; onClose: () => void }) {
  const [name, setName] = useState(saved.name);
  const rename = useChange(
    () => call({ method: "PATCH", path: `${PATH}/${saved.id}`, body: { name: name.trim() } }),
    onClose,
  );
  return (
    <Dialog title="Rename the query" onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          rename.mutate(undefined);
        }}
      >
        <label className="field">
          New name
          <input
            type="text"
            data-autofocus
            value={name}
            maxLength={SAVED_QUERY_LIMITS.nameChars}
            onChange={({ target }) => setName(target.value)}
          />
        </label>
        <FormFailure failure={rename.error} />
        <div className="dialog-actions">
          <button type="submit" className="button primary" disabled={name.trim() === "" || rename.isPending}>
            Rename
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function DeleteDialog({ saved, onClose }: { saved: SavedQuery; onClose: () => void }) {
  const remove = useChange(() => call({ method: "DELETE", path: `${PATH}/${saved.id}` }), onClose);
  return (
    <Dialog title={`Delete ${saved.name}?`} onClose={onClose}>
      <p>It is gone for everybody in the project. Saved by {ownerText(saved)}.</p>
      <FormFailure failure={remove.error} />
      <div className="dialog-actions">
        <button type="button" className="button" onClick={onClose}>
          Keep it
        </button>
        <button
          type="button"
          className="button danger"
          disabled={remove.isPending}
          onClick={() => remove.mutate(undefined)}
        >
          Delete it
        </button>
      </div>
    </Dialog>
  );
}

/** Under the name of a saved query, its text is replaced. */
function SaveForm({ project, draft, all }: { project: string; draft: string; all: readonly SavedQuery[] }) {
  const [typed, setTyped] = useState("");
  const name = typed.trim();
  const known = all.find((one) => one.name === name);
  const save = useChange(
    () =>
      known === undefined
        ? call({ method: "POST", path: PATH, body: { project_id: project, name, query: draft } })
        : call({ method: "PATCH", path: `${PATH}/${known.id}`, body: { query: draft } }),
    () => setTyped(""),
  );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (name !== "" && draft !== "") save.mutate(undefined);
      }}
    >
      <div className="sql-save">
        <label className="grow">
          <span className="hidden">Name of this query</span>
          <input
            type="text"
            value={typed}
            placeholder="Name"
            maxLength={SAVED_QUERY_LIMITS.nameChars}
            onChange={({ target }) => setTyped(target.value)}
          />
        </label>
        <button type="submit" className="button" disabled={name === "" || draft === "" || save.isPending}>
          {known === undefined ? "Save" : "Replace"}
        </button>
      </div>
      <FormFailure failure={save.error} />
    </form>
  );
}

function MoveFromBrowser({ project }: { project: string }) {
  const { user } = useSession();
  const [left, setLeft] = useState(() => readBrowserQueries(user.id, project));
  const move = useChange(async () => {
    // The list is oldest last. Each leaves the browser when the project has it, so that a failure loses none.
    for (let rest: BrowserQuery[] = [...left]; rest.length > 0; ) {
      const { name, text } = rest.at(-1) as BrowserQuery;
      const body = { project_id: project, name: name.trim().slice(0, SAVED_QUERY_LIMITS.nameChars), query: text };
      await call({ method: "POST", path: PATH, body });
      rest = rest.slice(0, -1);
      keepBrowserQueries(user.id, project, rest);
      setLeft(rest);
    }
  });
  if (left.length === 0) return null;
  return (
    <div className="sql-move">
      <p className="note">
        {left.length === 1 ? "1 saved query is" : `${left.length} saved queries are`} only in this browser, until you
        sign out.
      </p>
      <button type="button" className="button" disabled={move.isPending} onClick={() => move.mutate(undefined)}>
        {left.length === 1 ? "Move it to the project" : `Move ${left.length} saved queries to the project`}
      </button>
      <FormFailure failure={move.error} />
    </div>
  );
}
