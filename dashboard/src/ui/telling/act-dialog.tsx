import type { ReactNode } from "react";
import { Dialog } from "../dialog.tsx";
import { FormFailure } from "../form.tsx";

interface ActDialogProps {
  title: string;
  /** What the button says that acts, and while it does. */
  act: string;
  acting?: string;
  isDanger?: boolean;
  /** What the button says that does not. */
  leave: string;
  change: { readonly isPending: boolean; readonly error: unknown; mutate(): void };
  onClose: () => void;
  children: ReactNode;
}

/** Says what will be done, does it, and shows what became of it. */
export function ActDialog({ title, act, acting = act, isDanger, leave, change, onClose, children }: ActDialogProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      <FormFailure failure={change.error} />
      <div className="dialog-actions">
        <button type="button" className="button" onClick={onClose}>
          {leave}
        </button>
        <button
          type="button"
          className={`button ${isDanger ? "danger" : "primary"}`}
          disabled={change.isPending}
          onClick={() => change.mutate()}
        >
          {change.isPending ? acting : act}
        </button>
      </div>
    </Dialog>
  );
}
