import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../api/client.ts";
import type { Page } from "../../api/forms.ts";
import { useList } from "../../api/resources.ts";
import { useSession } from "../../api/session.ts";
import { Address } from "../../ui/address.tsx";
import { Failure, Skeleton } from "../../ui/states.tsx";
import { actionText, detailsText } from "./audit-text.ts";
import { Section, When } from "./parts.tsx";
import "../../ui/row-table.css";
import { ScrollRegion } from "../../ui/scroll-region.tsx";

interface Entry {
  id: string;
  at: string;
  actor: { userId: string | null; name: string };
  action: string;
  target: string;
  details: Readonly<Record<string, unknown>>;
}

export function AuditLog() {
  const { workspace } = useSession();
  const [page, setPage] = useState(1);
  const members = useList<{ userId: string; name: string }>("/api/settings/members");
  const names = new Map([
    [workspace.id, workspace.name],
    ...workspace.projects.map(({ id, name }) => [id, name] as const),
    ...(members.data ?? []).map(({ userId, name }) => [userId, name] as const),
  ]);
  const nameOf = ({ details, target }: Entry) => (typeof details.name === "string" ? details.name : names.get(target));
  const named = (details: Entry["details"]) =>
    Object.fromEntries(Object.entries(details).map(([key, value]) => [key, names.get(String(value)) ?? value]));
  const log = useQuery({
    queryKey: ["audit", workspace.id, page],
    queryFn: ({ signal }) => call<Page<Entry>>({ path: "/api/settings/audit-log", query: { page, size: 50 }, signal }),
    placeholderData: (before, query) => (query?.queryKey[1] === workspace.id ? before : undefined),
  });
  return (
    <Section title="Audit log" about="Who changed what in this workspace.">
      {log.error ? <Failure failure={log.error} onRetry={() => void log.refetch()} /> : null}
      {log.isPending ? <Skeleton rows={6} /> : null}
      {log.data ? (
        <ScrollRegion label="Entries" className={log.isPlaceholderData ? "table-scroll stale" : "table-scroll"}>
          <table className="table row-table">
            <thead>
              <tr>
                <th scope="col">When</th>
                <th scope="col">Who</th>
                <th scope="col">What</th>
                <th scope="col">On</th>
                <th scope="col">Details</th>
              </tr>
            </thead>
            <tbody>
              {log.data.data.map((entry) => (
                <tr key={entry.id}>
                  <td data-label="When">
                    <When at={entry.at} />
                  </td>
                  <td data-label="Who">{entry.actor.name}</td>
                  <td data-label="What">{actionText(entry.action)}</td>
                  <td data-label="On" title={entry.target}>
                    {nameOf(entry) ?? <Target entry={entry} />}
                  </td>
                  <td data-label="Details">{detailsText(named(entry.details))}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollRegion>
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

/** What was written about a wallet leads to it; other addresses are those that people sign in with. */
function Target({ entry: { action, target } }: { entry: Entry }) {
  if (target.startsWith("ses_")) return null;
  return <code>{action.includes("Profile") ? <Address address={target} whole /> : target}</code>;
}
