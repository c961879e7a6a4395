import { useSearch } from "@tanstack/react-router";
import { type DragEvent, useState } from "react";
import { unwrap } from "../../api/forms.ts";
import { type ImportItem, useImports, useReadImportsAgain } from "../../api/imports.ts";
import { useSession } from "../../api/session.ts";
import { sendFile } from "../../api/upload.ts";
import { type RawSearch, text } from "../../state/search.ts";
import { useSetSearch, useView } from "../../state/view.ts";
import { FormFailure } from "../../ui/form.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Empty, Failure, Skeleton } from "../../ui/states.tsx";
import { ImportList } from "./list.tsx";
import { HowToRead } from "./reading.tsx";
import "./import.css";

/** Files of another product's history: sent, looked at, imported. */
export function Import() {
  const { project } = useView();
  const { workspace, project: shown } = useSession();
  const search = useSearch({ strict: false }) as RawSearch;
  const set = useSetSearch();
  const imports = useImports(project);
  const chosen = imports.data?.find(({ id }) => id === text(search.import));
  const isOpen = chosen !== undefined && ["ready", "failed", "cancelled"].includes(chosen.state);
  return (
    <div className="import">
      <header className="page-head">
        <div>
          <h1>Import</h1>
          <p>
            Bring the history of another product into {shown?.name ?? "a project"}: its events keep their times,
            visitors, campaigns and wallets. Lists of wallets become profiles. What the command{" "}
            <code>sextant import</code> has read is listed, too.
          </p>
        </div>
      </header>
      {workspace.can.edit && project !== undefined ? (
        <Send project={project} known={imports.data ?? []} onSent={(id) => set({ import: id })} />
      ) : null}
      {isOpen ? <HowToRead key={chosen.id} item={chosen} onClose={() => set({ import: undefined })} /> : null}
      {imports.error ? <Failure failure={imports.error} onRetry={() => void imports.refetch()} /> : null}
      {imports.isPending && project !== undefined ? <Skeleton rows={3} /> : null}
      {imports.data?.length === 0 ? (
        <div className="panel">
          <Empty title="Nothing was imported yet" icon="upload">
            {workspace.can.edit
              ? "Choose a file above. What would become of it is shown before anything is stored."
              : "An editor of the workspace can import files; you will see them here."}
          </Empty>
        </div>
      ) : null}
      {imports.data && imports.data.length > 0 ? (
        <ImportList items={imports.data} onOpen={(id) => set({ import: id })} />
      ) : null}
    </div>
  );
}

interface SendProps {
  project: string;
  known: readonly ImportItem[];
  onSent: (id: string) => void;
}

function Send({ project, known, onSent }: SendProps) {
  const readAgain = useReadImportsAgain();
  const [failure, setFailure] = useState<unknown>();
  const [isOver, setOver] = useState(false);
  const send = async (file: File | undefined) => {
    if (file === undefined) return;
    setFailure(undefined);
    try {
      const item = findBegun(known, file) ?? (await begin(project, file));
      await readAgain();
      await sendFile(item, file);
      await readAgain();
      onSent(item.id);
    } catch (cause) {
      setFailure(cause);
    }
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    void send(event.dataTransfer.files[0]);
  };
  return (
    <section
      className={`panel import-send${isOver ? " import-over" : ""}`}
      aria-label="Send a file"
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <Icon name="upload" size={22} />
      <div>
        <h2>Choose a file, or drop it here</h2>
        <p className="note">
          Exports of Umami, PostHog, Google Analytics 4, Matomo, Mixpanel, Amplitude or Segment, a list of wallets, or a
          table of your own: CSV, JSON lines, a JSON array or Parquet, also packed with gzip, zstd, brotli or zip. The
          zip of Plausible has sums of days, which reports add.
        </p>
      </div>
      <label className="button primary import-file">
        Choose a file
        <input
          type="file"
          className="hidden"
          onChange={({ target }) => {
            void send(target.files?.[0]);
            // The same file may be chosen again.
            target.value = "";
          }}
        />
      </label>
      <FormFailure failure={failure} />
    </section>
  );
}

/** The same file, of which a part is here already. */
function findBegun(known: readonly ImportItem[], { name, size }: File): ImportItem | undefined {
  return known.find(
    ({ state, fileName, fileBytes }) => state === "receiving" && fileName === name && fileBytes === size,
  );
}

function begin(project: string, { name, size }: File): Promise<ImportItem> {
  if (size === 0) throw new Error("The file is empty.");
  const body = { project_id: project, fileName: name, fileBytes: size };
  return unwrap<ImportItem>({ method: "POST", path: "/api/imports", body });
}
