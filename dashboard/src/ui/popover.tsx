import { cloneElement, type ReactElement, type ReactNode, useEffect } from "react";
import { type Align, type Control, useFloating } from "./floating.ts";

/** A button, to which the panel adds what it needs. */
export type TriggerElement = ReactElement<Record<string, unknown>>;

export interface PopoverProps extends Control {
  trigger: TriggerElement;
  label: string;
  children: ReactNode;
  align?: Align;
  wide?: boolean;
}

const FOCUSABLE = "button:not(:disabled), [href], input, select, textarea, [tabindex]";

/** A panel with controls at its button. */
export function Popover({ trigger, label, children, align = "end", open: given, onOpenChange, wide }: PopoverProps) {
  const { triggerRef, panelRef, open, setOpen } = useFloating(align, { open: given, onOpenChange });
  useEffect(() => {
    if (!open) return;
    const chosen = panelRef.current?.querySelector<HTMLElement>('[aria-pressed="true"]');
    (chosen ?? panelRef.current?.querySelector<HTMLElement>(FOCUSABLE))?.focus();
  }, [open, panelRef]);
  return (
    <>
      {cloneElement(trigger, {
        ref: triggerRef,
        "aria-haspopup": "dialog",
        "aria-expanded": open,
        onClick: () => setOpen(!open),
      })}
      {open ? (
        <div
          ref={panelRef}
          popover="manual"
          role="dialog"
          aria-label={label}
          className={wide ? "popover popover-wide" : "popover"}
        >
          {children}
        </div>
      ) : null}
    </>
  );
}
