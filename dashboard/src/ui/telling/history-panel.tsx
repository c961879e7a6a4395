import type { ReactNode } from "react";
import { Icon } from "../icon.tsx";
import "./telling.css";

interface HistoryPanelProps {
  label: string;
  title: string;
  about: string;
  /** What the button says that closes it. */
  close: string;
  onClose: () => void;
  children: ReactNode;
}

/** What one of a list has sent. */
export function HistoryPanel({ label, title, about, close, onClose, children }: HistoryPanelProps) {
  return (
    <section className="panel telling-history" aria-label={label}>
      <header className="panel-head">
        <div>
          <h2>{title}</h2>
          <p className="note">{about}</p>
        </div>
        <button type="button" className="button ghost square" aria-label={close} onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      <div className="panel-body">{children}</div>
    </section>
  );
}
