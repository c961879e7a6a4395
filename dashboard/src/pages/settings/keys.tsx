import type { Scope } from "../../../../src/contract/scopes.ts";
import { useList, useWrite } from "../../api/resources.ts";
import { useSession } from "../../api/session.ts";
import { Confirm, FormDialog, Once } from "../../ui/form.tsx";
import { Icon } from "../../ui/icon.tsx";
import { ResourceList } from "../../ui/resource-list.tsx";
import { ConnectSnippets } from "../../ui/snippets.tsx";
import { useDialog } from "../../ui/use-dialog.ts";
import { useTurns } from "../../ui/use-turns.ts";
import { Section, When } from "./parts.tsx";
import { AREAS, scopesText } from "./scopes.ts";

interface Key {
  id: string;
  name: string;
  prefix: string;
  projectId: string | null;
  scopes?: readonly Scope[];
  /** Of BI tokens. */
  lastUsedAt?: string | null;
  createdAt: string;
  expiresAt: string | null;
  revokedAt: string | null;
}

export function Keys() {
  return (
    <>
      <WriteKeys />
      <ApiKeys />
      <BiTokens />
    </>
  );
}

function useProjectNames(): (id: string | null) => string {
  const { workspace } = useSession();
  return (id) => (id === null ? "all projects" : (workspace.projects.find((one) => one.id === id)?.name ?? id));
}

function ProjectSelect({ optional }: { optional?: boolean }) {
  const { workspace } = useSession();
  return (
    <label>
      Project
      <select name="projectId" required={!optional}>
        {optional ? <option value="">All projects</option> : null}
        {workspace.projects.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

type MadeKey = Key & { key: string };

interface NewKeyProps {
  path: string;
  what: string;
  /** It is told what it may do, and can be for all projects. */
  scopes: boolean;
  onClose: () => void;
  /** Also after it was left: nobody sees the text again. */
  onMade: (key: MadeKey) => void;
}

function NewKey({ path, what, scopes, onClose, onMade }: NewKeyProps) {
  const make = useWrite<MadeKey, object>(
    (body) => ({ method: "POST", path, body }),
    (made) => {
      onClose();
      onMade(made);
    },
  );
  return (
    <FormDialog
      title={`New ${what}`}
      submit="Make it"
      pending={make.isPending}
      failure={make.error}
      onClose={onClose}
      onSubmit={({ name = "", projectId = "", expires = "" }, event) =>
        make.mutate({
          name,
          ...(projectId === "" ? {} : { projectId }),
          ...(expires === "" ? {} : { expiresAt: `${expires}T00:00:00Z` }),
          ...(scopes ? { scopes: new FormData(event.currentTarget).getAll("scopes").filter(Boolean) } : {}),
        })
      }
    >
      <label>
        Name
        <input name="name" maxLength={200} placeholder="What it is for" required />
      </label>
      <ProjectSelect optional={scopes} />
      {scopes ? (
        <fieldset className="settings-scopes">
          <legend className="settings-legend">It may</legend>
          {AREAS.map(({ name, label, read, write }) => (
            <label key={name}>
              {label}
              <select name="scopes" defaultValue={name === "query" ? read : ""}>
                <option value="">nothing</option>
                <option value={read}>read</option>
                {write ? <option value={write}>read and change</option> : null}
              </select>
            </label>
          ))}
        </fieldset>
      ) : null}
      <label>
        Expires
        <input name="expires" type="date" />
        <small>Empty: never.</small>
      </label>
    </FormDialog>
  );
}

interface KeyListProps {
  path: string;
  what: string;
  empty: string;
  title: string;
  about: string;
  scopes?: boolean;
  /** The service records when it was used last. */
  uses?: boolean;
  /** Shown with the text of a new one. */
  onMade: (key: MadeKey) => void;
}

/** Keys that a person makes, sees once and revokes. */
function KeyList({ path, what, empty, title, about, scopes, uses, onMade }: KeyListProps) {
  const list = useList<Key>(path);
  const nameOf = useProjectNames();
  const { asked, ask, close } = useDialog<"new">();
  return (
    <Section
      title={title}
      about={about}
      action={
        <button type="button" className="button" onClick={() => ask("new")}>
          <Icon name="plus" /> New {what}
        </button>
      }
    >
      <ResourceList
        list={list}
        empty={empty}
        columns={[
          "Name",
          "Begins with",
          "Project",
          ...(scopes ? ["May"] : []),
          "Made",
          ...(uses ? ["Last used"] : []),
          "Expires",
          "",
        ]}
        row={(key) => ({
          key: key.id,
          cells: [
            key.name,
            <code key="prefix">{key.prefix}…</code>,
            nameOf(key.projectId),
            ...(scopes ? [scopesText(key.scopes ?? [])] : []),
            <When key="made" at={key.createdAt} />,
            ...(uses ? [<When key="used" at={key.lastUsedAt ?? null} />] : []),
            <When key="expires" at={key.expiresAt} />,
            key.revokedAt === null ? (
              <Revoke key="revoke" path={path} entry={key} what={what} />
            ) : (
              <span key="revoked" className="note">
                revoked
              </span>
            ),
          ],
        })}
      />
      {asked ? <NewKey path={path} what={what} scopes={scopes === true} onClose={close} onMade={onMade} /> : null}
    </Section>
  );
}

function Revoke({ path, entry, what }: { path: string; entry: Key; what: string }) {
  const revoke = useWrite<unknown>(() => ({ method: "DELETE", path: `${path}/${entry.id}` }));
  return (
    <Confirm
      label="Revoke"
      title={`Revoke ${entry.name}?`}
      about={`Whatever uses this ${what} is refused within a second. It cannot be undone.`}
      confirm="Revoke it"
      pending={revoke.isPending}
      failure={revoke.error}
      onConfirm={() => revoke.mutate()}
    />
  );
}

function WriteKeys() {
  const { shown: made, add, close } = useTurns<MadeKey>();
  return (
    <>
      <KeyList
        path="/api/settings/write-keys"
        what="write key"
        title="Write keys"
        about="Stand in your site's code and can only send events of one project."
        empty="There is no write key yet"
        onMade={add}
      />
      {made ? <ConnectSnippets key={made.id} writeKey={made.key} onClose={close} /> : null}
    </>
  );
}

function ApiKeys() {
  const { shown: made, add, close } = useTurns<MadeKey>();
  return (
    <>
      <KeyList
        path="/api/settings/keys"
        what="API key"
        title="API keys"
        about="For scripts and servers that read reports or manage forms. Keep them secret."
        empty="There is no API key yet"
        scopes
        onMade={add}
      />
      {made ? (
        <Once
          key={made.id}
          title="New API key"
          about="Copy it now: it is shown only this once, and only its hash is kept."
          text={made.key}
          onClose={close}
        />
      ) : null}
    </>
  );
}

function BiTokens() {
  const { urls } = useSession();
  const { shown: made, add, close } = useTurns<MadeKey>();
  return (
    <>
      <KeyList
        path="/api/settings/bi-tokens"
        what="BI token"
        title="BI tokens"
        about="Passwords with which Grafana, Metabase and other ClickHouse clients read one project."
        empty="There is no BI token yet"
        uses
        onMade={add}
      />
      {made ? (
        <Once
          key={made.id}
          title="New BI token"
          about={`Address ${urls.api}/clickhouse, user default, password: this token. It is shown only this once.`}
          text={made.key}
          onClose={close}
        />
      ) : null}
    </>
  );
}
