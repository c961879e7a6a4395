import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { call } from "../../api/client.ts";
import { unwrap } from "../../api/forms.ts";
import { useSession } from "../../api/session.ts";
import { momentText } from "../../format/dates.ts";
import { full } from "../../format/numbers.ts";
import { parkedText, REASONS } from "../../format/reasons.ts";
import { useView } from "../../state/view.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { FormFailure } from "../../ui/form.tsx";
import { Empty, Failure, Skeleton } from "../../ui/states.tsx";
import "../../ui/row-table.css";
import { ScrollRegion } from "../../ui/scroll-region.tsx";

interface ParkedEvent {
  id: string;
  received_at: string;
  reason: string;
  details: string;
  head: string;
  raw_bytes: number;
}

interface ParkedPage {
  data: readonly ParkedEvent[];
  has_more: boolean;
  next_cursor: string | null;
}

/** Invalid events of batches, and trying them again. */
export function Parked() {
  const { workspace } = useSession();
  const [shown, setShown] = useState<ParkedEvent>();
  const list = useParked();
  const replay = useReplay((replayed) => setShown((now) => (now?.id === replayed ? undefined : now)));
  const events = list.data?.pages.flatMap(({ data }) => data) ?? [];
  const canReplay = workspace.can.edit;
  return (
    <section className="panel" aria-label="Parked events">
      <header className="panel-head">
        <h2>Parked events</h2>
        <div className="panel-actions">
          {canReplay && events.length > 0 ? (
            <button
              type="button"
              className="button small"
              disabled={replay.isPending}
              onClick={() => replay.mutate(undefined)}
            >
              {replay.isPending ? "Replaying…" : "Replay all"}
            </button>
          ) : null}
        </div>
      </header>
      <div className="panel-body">
        {replay.data ? (
          <p role="status">
            {full(replay.data.stored, "count")} stored, {full(replay.data.stillInvalid, "count")} still invalid.
          </p>
        ) : null}
        <FormFailure failure={replay.error} />
        {list.error ? <Failure failure={list.error} onRetry={() => void list.refetch()} /> : null}
        {list.isPending ? <Skeleton rows={3} /> : null}
        {list.data && events.length === 0 ? (
          <Empty title="Nothing is parked" icon="check">
            Invalid events of a batch are kept here for 30 days, with their reason.
          </Empty>
        ) : null}
        {events.length > 0 ? <ParkedTable events={events} onShow={setShown} /> : null}
        {list.hasNextPage ? (
          <button
            type="button"
            className="button"
            disabled={list.isFetchingNextPage}
            onClick={() => void list.fetchNextPage()}
          >
            Show more
          </button>
        ) : null}
      </div>
      {shown ? (
        <ParkedDialog
          event={shown}
          failure={replay.variables === shown.id ? replay.error : null}
          onClose={() => setShown(undefined)}
        >
          {canReplay ? (
            <div className="dialog-actions">
              <button
                type="button"
                className="button primary"
                disabled={replay.isPending}
                onClick={() => replay.mutate(shown.id)}
              >
                Replay it
              </button>
            </div>
          ) : null}
        </ParkedDialog>
      ) : null}
    </section>
  );
}

function useParked() {
  const { project } = useView();
  return useInfiniteQuery({
    queryKey: ["parked", project],
    queryFn: ({ signal, pageParam }) =>
      call<ParkedPage>({ path: "/v0/parked", query: { project_id: project, limit: 50, cursor: pageParam }, signal }),
    initialPageParam: "",
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  });
}

/** Of one event by its id, or of all. */
function useReplay(onDone: (id: string | undefined) => void) {
  const { project } = useView();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string | undefined) =>
      unwrap<{ stored: number; stillInvalid: number }>({
        method: "POST",
        path: "/api/parked/replay",
        body: { projectId: project, ...(id === undefined ? {} : { id }) },
      }),
    onSuccess: async (_, id) => {
      onDone(id);
      await Promise.all(["parked", "ingest"].map((key) => client.invalidateQueries({ queryKey: [key] })));
    },
  });
}

interface ParkedTableProps {
  events: readonly ParkedEvent[];
  onShow: (event: ParkedEvent) => void;
}

function ParkedTable({ events, onShow }: ParkedTableProps) {
  return (
    <ScrollRegion label="Parked">
      <table className="table row-table">
        <thead>
          <tr>
            <th scope="col">Received</th>
            <th scope="col">Reason</th>
            <th scope="col">What is wrong</th>
            <th scope="col">
              <span className="hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {events.map((event) => (
            <tr key={event.id}>
              <td data-label="Received" className="nowrap">
                {momentText(Date.parse(event.received_at))}
              </td>
              <td data-label="Reason">
                <code>{event.reason}</code>
              </td>
              <td data-label="What is wrong" className="system-details">
                {parkedText(event.details)}
              </td>
              <td className="row-actions">
                <button type="button" className="button small" onClick={() => onShow(event)}>
                  Details
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

interface ParkedDialogProps {
  event: ParkedEvent;
  failure: unknown;
  onClose: () => void;
  children: ReactNode;
}

function ParkedDialog({ event, failure, onClose, children }: ParkedDialogProps) {
  return (
    <Dialog title="Parked event" onClose={onClose} wide>
      <p>{REASONS[event.reason] ?? event.reason}</p>
      <p>{parkedText(event.details)}</p>
      <pre className="code">{event.head}</pre>
      {event.raw_bytes > event.head.length ? (
        <p className="note">The beginning of {full(event.raw_bytes, "count")} bytes.</p>
      ) : null}
      <FormFailure failure={failure} />
      {children}
    </Dialog>
  );
}
