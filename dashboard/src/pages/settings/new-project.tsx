import { useWrite } from "../../api/resources.ts";
import type { AccountProject } from "../../api/session.ts";
import { FormDialog } from "../../ui/form.tsx";

interface NewProjectProps {
  onClose: () => void;
  onMade?: (project: AccountProject) => void;
}

export function NewProject({ onClose, onMade }: NewProjectProps) {
  const make = useWrite<AccountProject, string>((name) => ({
    method: "POST",
    path: "/api/settings/projects",
    body: { name },
  }));
  // Of the call: not if the dialog was left, and after the account was read again. An account without the project
  // shows the first one instead, and makes write keys for that.
  const done = (project: AccountProject) => {
    onClose();
    onMade?.(project);
  };
  return (
    <FormDialog
      title="New project"
      submit="Make it"
      pending={make.isPending}
      failure={make.error}
      onClose={onClose}
      onSubmit={({ name = "" }) => make.mutate(name, { onSuccess: done })}
    >
      <label>
        Name
        <input name="name" maxLength={200} required />
      </label>
    </FormDialog>
  );
}
