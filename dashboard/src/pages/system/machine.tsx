import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { SystemState } from "../../../../src/contract/system.ts";
import { unwrap } from "../../api/forms.ts";
import { bytesText, duration, rate } from "../../format/numbers.ts";
import { Failure, Skeleton } from "../../ui/states.tsx";

const EVERY_MS = 10_000;
/** From here on it is time to make room: the events server stops accepting when the disk is full. */
const LITTLE_ROOM = 0.1;

/** Versions, disk and checks of the node that answers. */
export function Machine() {
  const system = useQuery({
    queryKey: ["system"],
    queryFn: ({ signal }) => unwrap<SystemState>({ path: "/api/settings/system", signal }),
    refetchInterval: EVERY_MS,
  });
  return (
    <section className="panel" aria-label="Service">
      <header className="panel-head">
        <h2>Service</h2>
      </header>
      <div className="panel-body">
        {system.error ? <Failure failure={system.error} onRetry={() => void system.refetch()} /> : null}
        {system.isPending ? <Skeleton rows={3} /> : null}
        {system.data ? <Facts state={system.data} /> : null}
      </div>
    </section>
  );
}

function Facts({ state: { engine, controlStore, node, upSeconds, disk, checks } }: { state: SystemState }) {
  const bad = Object.entries(checks).filter(([, state]) => state !== "ok");
  return (
    <dl className="system-facts">
      <Fact name="Analytics engine">
        {engine.name} {engine.version ?? "does not answer"}
      </Fact>
      <Fact name="Control store">
        {controlStore.name} {controlStore.version ?? "does not answer"}
      </Fact>
      <Fact name="Node.js">
        {node}, up {duration(upSeconds)}
      </Fact>
      <Fact name="Data">{disk.dataBytes === null ? "unknown" : bytesText(disk.dataBytes)}</Fact>
      <Fact name="Disk">
        <Room disk={disk} />
      </Fact>
      <Fact name="Checks">
        {bad.length === 0 ? `${Object.keys(checks).join(", ")}: ok` : null}
        {bad.map(([name, state]) => (
          <span key={name} className="system-bad">
            {name}: {state}
          </span>
        ))}
      </Fact>
    </dl>
  );
}

function Room({ disk: { freeBytes, totalBytes } }: Pick<SystemState, "disk">) {
  if (freeBytes === null || totalBytes === null || totalBytes === 0) return "unknown";
  const share = freeBytes / totalBytes;
  return (
    <span className={share < LITTLE_ROOM ? "system-bad" : undefined}>
      {bytesText(freeBytes)} of {bytesText(totalBytes)} free ({rate(share)})
    </span>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
