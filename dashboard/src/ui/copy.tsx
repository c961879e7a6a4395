import { type ReactNode, useState } from "react";
import { Icon } from "./icon.tsx";

const SHOWN_MS = 1500;

export function CopyButton({ text, children, label }: { text: string; children?: ReactNode; label?: string }) {
  const [state, setState] = useState<"idle" | "copied" | "failed">("idle");
  const copy = async () => {
    const copied = await copyText(text);
    setState(copied ? "copied" : "failed");
    setTimeout(() => setState("idle"), SHOWN_MS);
  };
  return (
    <button
      type="button"
      className={children ? "button" : "button ghost square"}
      aria-label={label}
      onClick={() => void copy()}
    >
      <Icon name={state === "copied" ? "check" : "copy"} />
      {children ? (
        <span aria-live="polite">
          {state === "copied" ? "Copied" : state === "failed" ? "Select and copy it by hand" : children}
        </span>
      ) : null}
    </button>
  );
}

/** The clipboard exists only on HTTPS and localhost; elsewhere the old way still works. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    (document.querySelector("dialog[open]") ?? document.body).append(area);
    area.select();
    const copied = document.execCommand("copy");
    area.remove();
    return copied;
  }
}
