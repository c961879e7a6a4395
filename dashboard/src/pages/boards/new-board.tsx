import { useState } from "react";
import { type Board, useBoardWrite, useTemplates } from "../../api/boards.ts";
import { useView } from "../../state/view.ts";
import { FormDialog } from "../../ui/form.tsx";
import { Icon } from "../../ui/icon.tsx";
import { useWhileShown } from "../../ui/use-while-shown.ts";
import { TEMPLATE_ICONS } from "./templates.tsx";

const EMPTY = "";

/** An empty board, or one with the charts of a template. */
export function NewBoard({ onClose, onMade }: { onClose: () => void; onMade: (board: string) => void }) {
  const { project } = useView();
  const templates = useTemplates();
  const [template, setTemplate] = useState(EMPTY);
  const make = useBoardWrite<Board, string>(
    (title) => ({
      method: "POST",
      path: "/v0/boards",
      body: {
        project_id: project,
        ...(title === "" ? {} : { title }),
        ...(template === EMPTY ? {} : { template }),
      },
    }),
    useWhileShown(({ id }) => onMade(id)),
  );
  const choices = [
    { id: EMPTY, title: "Empty", description: "Add charts from any page, or make them here." },
    ...(templates.data?.data ?? []),
  ];
  const chosen = choices.find(({ id }) => id === template);
  return (
    <FormDialog
      title="New board"
      submit="Make the board"
      pending={make.isPending}
      failure={make.error}
      onClose={onClose}
      onSubmit={({ title = "" }) => make.mutate(title.trim())}
    >
      <fieldset className="template-choices">
        <legend>Begin with</legend>
        {choices.map(({ id, title, description }) => (
          <label key={id} className="template-choice">
            <input
              type="radio"
              name="template"
              value={id}
              checked={id === template}
              onChange={() => setTemplate(id)}
              data-autofocus={id === EMPTY ? "" : undefined}
            />
            <Icon name={TEMPLATE_ICONS[id] ?? "plus"} />
            <span>
              <strong>{title}</strong>
              <span className="note">{description}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <label>
        Name
        <input
          name="title"
          type="text"
          maxLength={200}
          required={template === EMPTY}
          placeholder={template === EMPTY ? "What it is about" : chosen?.title}
        />
      </label>
    </FormDialog>
  );
}
