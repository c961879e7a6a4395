import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { unwrap } from "../../api/forms.ts";
import { useList } from "../../api/resources.ts";
import { useSession } from "../../api/session.ts";
import { findStartKey, keepStartKey } from "../../state/stored.ts";
import { useSetSearch, useView } from "../../state/view.ts";
import { FormFailure, formTexts } from "../../ui/form.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Snippets } from "../../ui/snippets.tsx";
import { Checklist } from "./checklist.tsx";
import { Waiting } from "./waiting.tsx";

/** The code that sends an app's events here, and what arrives of them. */
export function Connect() {
  const { workspace } = useSession();
  const { project = "" } = useView();
  const set = useSetSearch();
  const shown = workspace.projects.find(({ id }) => id === project);
  return (
    <div className="start">
      <div className="form-title">
        <button
          type="button"
          className="button ghost square"
          aria-label="Back"
          onClick={() => set({ step: undefined })}
        >
          <Icon name="back" />
        </button>
        <h1>Connect {shown?.name ?? "your app"}</h1>
      </div>
      <WithKey key={project} project={project} />
      <Checklist />
    </div>
  );
}

/** As the lists of keys show them. */
const SHOWN_CHARS = 10;

function WithKey({ project }: { project: string }) {
  const [writeKey, setWriteKey] = useState(() => findStartKey(project));
  const use = (key: string) => {
    keepStartKey(project, key);
    setWriteKey(key);
  };
  if (writeKey === "") return <ChooseKey project={project} onKey={use} />;
  return (
    <>
      <section className="panel start-panel" aria-label="Code">
        <Snippets writeKey={writeKey} />
        {/* The key of an earlier visit may be revoked, or be another project's. */}
        <p className="note">
          With the key <code>{writeKey.slice(0, SHOWN_CHARS)}…</code>{" "}
          <button type="button" className="button ghost" onClick={() => use("")}>
            Use another key
          </button>
        </p>
      </section>
      <Waiting project={project} writeKey={writeKey} />
    </>
  );
}

interface WriteKey {
  id: string;
  name: string;
  prefix: string;
  projectId: string;
  revokedAt: string | null;
}

/** A key of the project is shown only once, so that an earlier one must be pasted. */
function ChooseKey({ project, onKey }: { project: string; onKey: (key: string) => void }) {
  const { workspace, urls } = useSession();
  const client = useQueryClient();
  const canMake = workspace.can.manageKeys;
  const list = useList<WriteKey>("/api/settings/write-keys", canMake);
  const keys = list.data?.filter(({ projectId, revokedAt }) => projectId === project && revokedAt === null) ?? [];
  const make = useMutation({
    mutationFn: () =>
      unwrap<{ key: string }>({
        method: "POST",
        path: "/api/settings/write-keys",
        body: { name: freeName(keys.map(({ name }) => name)), projectId: project },
      }),
    onSuccess: async ({ key }) => {
      onKey(key);
      await client.invalidateQueries({ queryKey: ["settings"] });
    },
  });
  const paste = (event: FormEvent<HTMLFormElement>) => onKey(formTexts(event).key?.trim() ?? "");
  return (
    <section className="panel start-panel">
      <p>
        Your app sends events to <code>{urls.events}</code> with a write key of the project. The key may stand in the
        site's code: it can only send events.
      </p>
      <div>
        <button
          type="button"
          className="button primary large"
          disabled={make.isPending || !canMake || project === ""}
          onClick={() => make.mutate()}
        >
          <Icon name="key" /> Make a write key
        </button>
      </div>
      {canMake ? null : <p className="note">Only owners and admins can make keys.</p>}
      <FormFailure failure={make.error} />
      {keys.length > 0 || !canMake ? (
        <form className="start-paste" onSubmit={paste}>
          <label>
            Or paste one that you have
            {/* Keys of the hosted service may be imported as they are: any 16 characters can be one. */}
            <input
              name="key"
              type="text"
              placeholder="sxw_…"
              pattern="\s*(?!sxt_|sxr_)\S{16,512}\s*"
              title="A write key begins with sxw_, unless it was imported. An API key (sxt_) cannot send events."
              autoComplete="off"
              required
            />
          </label>
          <button type="submit" className="button">
            Use it
          </button>
          {keys.length > 0 ? (
            <p className="note">The project has {keys.map(({ name, prefix }) => `${name} (${prefix}…)`).join(", ")}.</p>
          ) : null}
        </form>
      ) : null}
    </section>
  );
}

function freeName(taken: readonly string[]): string {
  if (!taken.includes("My app")) return "My app";
  let number = 2;
  while (taken.includes(`My app ${number}`)) number += 1;
  return `My app ${number}`;
}
