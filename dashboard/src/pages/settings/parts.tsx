/** What the sections of the settings have in common. */
import type { ReactNode } from "react";
import { momentText } from "../../format/dates.ts";

export interface SectionProps {
  title: string;
  about: ReactNode;
  action?: ReactNode;
  children: ReactNode;
}

export function Section({ title, about, action, children }: SectionProps) {
  return (
    <section className="panel settings-section" aria-label={title}>
      <header className="settings-head">
        <div>
          <h2>{title}</h2>
          <p className="note">{about}</p>
        </div>
        {action}
      </header>
      {children}
    </section>
  );
}

export function When({ at, never = "never" }: { at: string | null; never?: string }) {
  if (at === null) return <span className="note">{never}</span>;
  return (
    <time className="nowrap" dateTime={at}>
      {momentText(Date.parse(at))}
    </time>
  );
}
