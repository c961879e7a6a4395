import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../api/client.ts";
import type { Page } from "../../api/forms.ts";
import { useSession } from "../../api/session.ts";
import { Failure, Skeleton } from "../../ui/states.tsx";
import { Section, When } from "./parts.tsx";

interface Entry {
  id: string;
  at: string;
  actor: { userId: string | null; name: string };
  action: string;
  target: string | null;
  details: unknown;
}

export function AuditLog() {
  const { workspace } = useSession();
  const [page, setPage] = useState(1);
  const log = useQuery({
    queryKey: ["audit", workspace.id, page],
    queryFn: ({ signal }) => call<Page<Entry>>({ path: "/api/settings/audit-log", query: { page, size: 50 }, signal }),
    placeholderData: keepPreviousData,
  });
  return (
    <Section title="Audit log" about="Who changed what in this workspace.">
      {log.error ? <Failure failure={log.error} onRetry={() => void log.refetch()} /> : null}
      {log.isPending ? <Skeleton rows={6} /> : null}
      {log.data ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
        <section className="table-scroll" aria-label="Entries" tabIndex={0}>
          <table className="table settings-table">
            <thead>
              <tr>
                <th scope="col">When</th>
                <th scope="col">Who</th>
                <th scope="col">What</th>
                <th scope="col">On</th>
              </tr>
            </thead>
            <tbody>
              {log.data.data.map((entry) => (
                <tr key={entry.id}>
                  <td>
                    <When at={entry.at} />
                  </td>
                  <td>{entry.actor.name}</td>
                  <td>{entry.action}</td>
                  <td>{entry.target === null ? "" : <code>{entry.target}</code>}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      ) : null}
      {log.data && log.data.total > log.data.size ? (
        <nav className="pager" aria-label="Pages">
          <button type="button" className="button" disabled={page === 1} onClick={() => setPage(page - 1)}>
            Newer
          </button>
          <button type="button" className="button" disabled={!log.data.has_more} onClick={() => setPage(page + 1)}>
            Older
          </button>
        </nav>
      ) : null}
    </Section>
  );
}
