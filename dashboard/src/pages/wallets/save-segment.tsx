import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { SEGMENT_TITLE_CHARS } from "../../../../src/contract/segment-names.ts";
import { type Segment, useSegmentWrite } from "../../api/segments.ts";
import type { Condition } from "../../format/condition.ts";
import { useView } from "../../state/view.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { FormDialog } from "../../ui/form.tsx";

/** Keeps the conditions as a segment of the project, for reports. */
export function SaveSegment({ filters, words }: { filters: readonly Condition[]; words: readonly string[] }) {
  const { project } = useView();
  const [isOpen, setOpen] = useState(false);
  const [made, setMade] = useState<Segment>();
  const save = useSegmentWrite<Segment, string>((title) => ({
    method: "POST",
    path: "/v0/segments",
    body: { title, filters, project_id: project },
  }));
  const close = () => {
    setOpen(false);
    setMade(undefined);
    // An answer that comes after it is not for the dialog that is opened next.
    save.reset();
  };
  return (
    <>
      <button type="button" className="button" onClick={() => setOpen(true)}>
        Save as segment
      </button>
      {isOpen && made === undefined ? (
        <FormDialog
          title="Save the conditions as a segment"
          submit="Save the segment"
          pending={save.isPending}
          failure={save.error}
          onClose={close}
          onSubmit={({ title = "" }) => save.mutate(title.trim(), { onSuccess: setMade })}
        >
          <p>Reports count the sessions of the period that meet: {words.join(" and ")}.</p>
          <label>
            Title
            <input
              name="title"
              type="text"
              maxLength={SEGMENT_TITLE_CHARS}
              placeholder="Who is in it"
              required
              data-autofocus
            />
          </label>
        </FormDialog>
      ) : null}
      {made === undefined ? null : (
        <Dialog title={`“${made.title}” is saved`} onClose={close}>
          <p>
            <Link to="/app" search={{ segment: made.id } as never}>
              Show it in the overview
            </Link>
          </p>
        </Dialog>
      )}
    </>
  );
}
