import { type ReactNode, useLayoutEffect, useRef } from "react";
import { flushSync } from "react-dom";
import { Icon } from "./icon.tsx";

export interface DialogProps {
  title: string;
  children: ReactNode;
  onClose: () => void;
  /** For a dialog whose content draws its own head. */
  bare?: boolean;
  wide?: boolean;
  /** As wide as a table with many columns, or as large as the window. */
  size?: "table" | "full";
}

/** The browser's own modal dialog: it keeps the focus inside, closes on Escape and needs no script of its own. */
export function Dialog({ title, children, onClose, bare, wide, size }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const onCloseRef = useRef(onClose);
  onCloseRef.current = onClose;
  useLayoutEffect(() => {
    const dialog = ref.current;
    if (dialog === null) return;
    dialog.showModal();
    // By itself a dialog focuses its first button, which closes it.
    dialog.querySelector<HTMLElement>("[data-autofocus]")?.focus();
    // The event `close` comes in a task of its own: on a busy page after the next key, whose dialog it then closed.
    const closing = new MutationObserver(() => {
      if (!dialog.open) flushSync(() => onCloseRef.current());
    });
    closing.observe(dialog, { attributeFilter: ["open"] });
    return () => {
      closing.disconnect();
      // Only its own close gives the focus back.
      dialog.close();
    };
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: a click on the backdrop repeats what Escape does.
    <dialog
      ref={ref}
      className={`dialog${bare ? " dialog-bare" : ""}${wide ? " dialog-wide" : ""}${size ? ` dialog-${size}` : ""}`}
      aria-label={title}
      onClick={(event) => {
        if (event.target === event.currentTarget && event.detail < 2) event.currentTarget.close();
      }}
    >
      <div className="dialog-body">
        {bare ? null : (
          <div className="dialog-head">
            <h2>{title}</h2>
            <button
              type="button"
              className="button ghost square"
              aria-label="Close"
              // The second click of a double click may fall on the dialog that comes next: a key that is shown once.
              onClick={({ detail }) => {
                if (detail < 2) ref.current?.close();
              }}
            >
              <Icon name="close" />
            </button>
          </div>
        )}
        {children}
      </div>
    </dialog>
  );
}
