import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../api/client.ts";
import { useSession } from "../../api/session.ts";
import { shortDayText } from "../../format/dates.ts";
import { type Day, isDay } from "../../format/days.ts";
import { useView } from "../../state/view.ts";
import { FormFailure } from "../../ui/form.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Popover } from "../../ui/popover.tsx";

export interface Note {
  id: string;
  date: Day;
  note: string;
}

/** The notes of the period, in the order of days. */
export function useNotes(): readonly Note[] {
  const { query } = useView();
  const { project_id, date_from, date_to } = query;
  const { data } = useQuery({
    queryKey: ["annotations", project_id, date_from, date_to],
    queryFn: ({ signal }) =>
      call<{ data: Note[] }>({ path: "/v0/annotations", query: { project_id, date_from, date_to }, signal }),
    staleTime: 60_000,
    retry: false,
    enabled: project_id !== undefined,
  });
  return data?.data ?? [];
}

/** Lists the notes of the period, and adds and deletes some. */
export function NotesButton({ notes }: { notes: readonly Note[] }) {
  const { workspace } = useSession();
  return (
    <Popover
      label="Notes"
      trigger={
        <button type="button" className="button ghost small">
          <Icon name="edit" size={14} />
          Notes{notes.length > 0 ? ` (${notes.length})` : ""}
        </button>
      }
    >
      <div className="notes">
        {notes.length === 0 ? <p className="note">No notes in this period.</p> : null}
        <ul>
          {notes.map((note) => (
            <NoteRow key={note.id} note={note} canEdit={workspace.can.edit} />
          ))}
        </ul>
        {workspace.can.edit ? <AddNote /> : null}
      </div>
    </Popover>
  );
}

function NoteRow({ note, canEdit }: { note: Note; canEdit: boolean }) {
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: () => call({ method: "DELETE", path: `/v0/annotations/${note.id}` }),
    onSuccess: () => client.invalidateQueries({ queryKey: ["annotations"] }),
  });
  return (
    <li>
      <time dateTime={note.date}>{shortDayText(note.date)}</time>
      <span className="grow">{note.note}</span>
      {canEdit ? (
        <button
          type="button"
          className="button ghost square"
          aria-label={`Delete the note ${note.note}`}
          disabled={remove.isPending}
          onClick={() => remove.mutate()}
        >
          <Icon name="trash" size={14} />
        </button>
      ) : null}
    </li>
  );
}

function AddNote() {
  const { project, range } = useView();
  const client = useQueryClient();
  const [date, setDate] = useState(range.to);
  const [text, setText] = useState("");
  const add = useMutation({
    mutationFn: () =>
      call({ method: "POST", path: "/v0/annotations", body: { project_id: project, date, note: text.trim() } }),
    onSuccess: async () => {
      setText("");
      await client.invalidateQueries({ queryKey: ["annotations"] });
    },
  });
  const valid = isDay(date) && text.trim() !== "";
  return (
    <form
      className="note-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (valid) add.mutate();
      }}
    >
      <label>
        Day
        <input type="date" value={date} onChange={({ target }) => setDate(target.value)} />
      </label>
      <label>
        What happened
        <input
          type="text"
          value={text}
          maxLength={300}
          placeholder="Launched on Base"
          onChange={({ target }) => setText(target.value)}
        />
      </label>
      <FormFailure failure={add.error} />
      <button type="submit" className="button primary" disabled={!valid || add.isPending}>
        Add note
      </button>
    </form>
  );
}
