import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../api/client.ts";
import type { Ingest } from "../../api/ingest.ts";
import { duration, full } from "../../format/numbers.ts";
import { useView } from "../../state/view.ts";
import { Counted } from "../../ui/counted.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ReasonsTable } from "../../ui/reasons-table.tsx";

const EVERY_MS = 15_000;

/** What happened to every event of the last hour. */
export function IngestLine() {
  const { project } = useView();
  const [open, setOpen] = useState<"reasons" | "counted">();
  const { data } = useQuery({
    queryKey: ["ingest", project],
    queryFn: ({ signal }) => call<Ingest>({ path: "/v0/ingest", query: { project_id: project }, signal }),
    refetchInterval: EVERY_MS,
    retry: false,
  });
  if (data === undefined) return null;
  const troubled = data.parked + data.refused > 0;
  const parts = [
    ["stored", data.stored],
    ["duplicate", data.duplicate],
    ["parked", data.parked],
    ["refused", data.refused],
  ] as const;
  return (
    <p className="ingest-line">
      <span className={troubled ? "dot warn" : "dot good"} aria-hidden="true" />
      <span>
        Last hour: <strong>{full(data.received, "count")}</strong> events received ={" "}
        {parts.map(([name, count], index) => (
          <span key={name}>
            {index > 0 ? " + " : ""}
            <strong>{full(count, "count")}</strong> {name}
          </span>
        ))}
        {data.lag_seconds === null ? null : <>, lag {duration(data.lag_seconds)}</>}
      </span>
      <button type="button" className="link-button" onClick={() => setOpen(troubled ? "reasons" : "counted")}>
        {troubled ? "Why?" : "What is this?"}
      </button>
      {open === "counted" ? (
        <Counted title="What happened to every event" name="ingest" onClose={() => setOpen(undefined)} />
      ) : null}
      {open === "reasons" ? (
        <Dialog title="Parked and refused events of the last hour" onClose={() => setOpen(undefined)} wide>
          <ReasonsTable reasons={data.reasons} />
        </Dialog>
      ) : null}
    </p>
  );
}
