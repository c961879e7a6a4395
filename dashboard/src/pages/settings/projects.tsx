import { useList, useWrite } from "../../api/resources.ts";
import { type AccountProject, useSession } from "../../api/session.ts";
import { listZones } from "../../format/zone.ts";
import { Confirm, FormDialog, FormFailure, formTexts } from "../../ui/form.tsx";
import { Icon } from "../../ui/icon.tsx";
import { ResourceList } from "../../ui/resource-list.tsx";
import { useDialog } from "../../ui/use-dialog.ts";
import { NewProject } from "./new-project.tsx";
import { Section, When } from "./parts.tsx";

const PATH = "/api/settings/projects";

export function Projects() {
  const { workspace } = useSession();
  const list = useList<AccountProject>(PATH);
  const { asked, ask, close } = useDialog<"new" | AccountProject>();
  const canChange = workspace.can.manageProjects;
  return (
    <>
      {workspace.role === "owner" ? <WorkspaceName key={workspace.id} name={workspace.name} /> : null}
      <Section
        title="Projects"
        about="Each site or app is a project with its own events and write keys."
        action={
          canChange ? (
            <button type="button" className="button" onClick={() => ask("new")}>
              <Icon name="plus" /> New project
            </button>
          ) : null
        }
      >
        <ResourceList
          list={list}
          empty="There is no project yet"
          columns={["Name", "Id", "Bots", "Events are kept", "Money", "Time zone", "Made", ...(canChange ? [""] : [])]}
          row={(project) => ({
            key: project.id,
            cells: [
              <strong key="name">{project.name}</strong>,
              <code key="id">{project.id}</code>,
              project.excludeBots ? "left out" : "counted",
              project.retentionDays === null ? "for ever" : `${project.retentionDays} days`,
              project.moneyUnit,
              project.timezone,
              <When key="made" at={project.createdAt} />,
              <span key="actions">
                <button type="button" className="button small" onClick={() => ask(project)}>
                  Change
                </button>{" "}
                <DeleteProject project={project} />
              </span>,
            ],
          })}
        />
      </Section>
      {asked === "new" ? <NewProject onClose={close} /> : null}
      {asked !== undefined && asked !== "new" ? <ChangeProject project={asked} onClose={close} /> : null}
    </>
  );
}

function WorkspaceName({ name }: { name: string }) {
  const rename = useWrite<unknown, string>((wanted) => ({
    method: "PATCH",
    path: "/api/settings/workspace",
    body: { name: wanted },
  }));
  return (
    <Section title="Workspace" about="Members, projects and keys belong to it.">
      <form className="settings-line" onSubmit={(event) => rename.mutate(formTexts(event).name ?? "")}>
        <label>
          Name
          <input name="name" defaultValue={name} maxLength={200} required />
        </label>
        <button type="submit" className="button" disabled={rename.isPending}>
          Rename
        </button>
        {rename.isSuccess ? <span role="status">Renamed.</span> : null}
      </form>
      <FormFailure failure={rename.error} />
    </Section>
  );
}

function ChangeProject({ project, onClose }: { project: AccountProject; onClose: () => void }) {
  const change = useWrite<AccountProject, object>(
    (body) => ({ method: "PATCH", path: `${PATH}/${project.id}`, body }),
    onClose,
  );
  return (
    <FormDialog
      title={`Change ${project.name}`}
      submit="Save"
      pending={change.isPending}
      failure={change.error}
      onClose={onClose}
      onSubmit={({ name = "", retention = "", unit, zone, bots }) =>
        change.mutate({
          name,
          excludeBots: bots === "on",
          retentionDays: retention === "" ? null : Number(retention),
          moneyUnit: unit,
          timezone: zone,
        })
      }
    >
      <label>
        Name
        <input name="name" defaultValue={project.name} maxLength={200} required />
      </label>
      <label>
        Days that events are kept
        <input
          name="retention"
          type="number"
          min={1}
          max={36500}
          defaultValue={project.retentionDays ?? ""}
          placeholder="for ever"
        />
        <small>Empty: for ever. Older events are removed for good within the hour.</small>
      </label>
      <label>
        Unit of revenue and volume
        <input
          name="unit"
          defaultValue={project.moneyUnit}
          pattern="[A-Za-z][A-Za-z0-9]{1,11}"
          title="A currency such as USD, or a token such as ETH"
          required
        />
        <small>A currency such as USD or EUR, or a token such as ETH. Amounts are never converted.</small>
      </label>
      <label>
        Time zone
        <input name="zone" list="zones" defaultValue={project.timezone} maxLength={64} autoComplete="off" required />
        <small>Days and hours of its reports. Type a part of a name, such as Berlin.</small>
      </label>
      <datalist id="zones">
        {listZones().map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <label className="inline">
        <input type="checkbox" name="bots" defaultChecked={project.excludeBots} />
        Leave bots out of reports
      </label>
    </FormDialog>
  );
}

function DeleteProject({ project }: { project: AccountProject }) {
  const remove = useWrite<unknown>(() => ({ method: "DELETE", path: `${PATH}/${project.id}` }));
  return (
    <Confirm
      label="Delete"
      title={`Delete ${project.name}?`}
      about="All of its events and keys go, for good."
      confirm="Delete it"
      pending={remove.isPending}
      failure={remove.error}
      onConfirm={() => remove.mutate()}
    />
  );
}
