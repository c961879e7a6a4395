import { useState } from "react";
import { failureText } from "../../api/failure.ts";
import { useList, useWrite } from "../../api/resources.ts";
import { useSession, type Workspace } from "../../api/session.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { Confirm, FormDialog, FormFailure, Once } from "../../ui/form.tsx";
import { Icon } from "../../ui/icon.tsx";
import { ResourceList } from "../../ui/resource-list.tsx";
import { useDialog } from "../../ui/use-dialog.ts";
import { useTurns } from "../../ui/use-turns.ts";
import { Section, When } from "./parts.tsx";

type Role = Workspace["role"];

interface Member {
  userId: string;
  name: string;
  role: Role;
  joinedAt: string;
  lastSeenAt: string | null;
}

interface Invite {
  id: string;
  role: Role;
  note: string;
  createdAt: string;
  expiresAt: string;
}

const ROLES: readonly { value: Role; label: string; may: string }[] = [
  { value: "viewer", label: "Viewer", may: "sees reports and forms" },
  { value: "editor", label: "Editor", may: "also changes forms and runs SQL" },
  { value: "admin", label: "Admin", may: "also manages keys, projects and members" },
  { value: "owner", label: "Owner", may: "has everything; there is one" },
];

const INVITES = "/api/settings/invites";

export function Members() {
  const { workspace } = useSession();
  const canManage = workspace.can.manageMembers;
  return (
    <>
      <MemberList canManage={canManage} />
      {canManage ? <Invites /> : null}
      <dl className="note settings-roles">
        {ROLES.map(({ value, label, may }) => (
          <div key={value}>
            <dt>{label}</dt>
            <dd>{may}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

function MemberList({ canManage }: { canManage: boolean }) {
  const { user } = useSession();
  const list = useList<Member>("/api/settings/members");
  return (
    <Section title="Members" about="People with an account who see this workspace.">
      <ResourceList
        list={list}
        empty="Nobody"
        columns={["Name", "Role", "Joined", "Last seen", ""]}
        row={(member) => ({
          key: member.userId,
          cells: [
            <span key="name">
              <strong>{member.name}</strong> {member.userId === user.id ? <small>you</small> : null}
            </span>,
            canManage && member.role !== "owner" && member.userId !== user.id ? (
              <RoleSelect key="role" member={member} />
            ) : (
              member.role
            ),
            <When key="joined" at={member.joinedAt} />,
            <When key="seen" at={member.lastSeenAt} />,
            member.role !== "owner" && (canManage || member.userId === user.id) ? (
              <RemoveMember key="remove" member={member} isSelf={member.userId === user.id} />
            ) : null,
          ],
        })}
      />
    </Section>
  );
}

function RoleSelect({ member }: { member: Member }) {
  const { workspace } = useSession();
  const change = useWrite<Member, string>((role) => ({
    method: "PATCH",
    path: `/api/settings/members/${member.userId}`,
    body: { role },
  }));
  const choices = ROLES.filter(({ value }) => workspace.role === "owner" || value === "editor" || value === "viewer");
  const [handing, setHanding] = useState(false);
  const known = choices.some(({ value }) => value === member.role);
  if (!known) return member.role;
  return (
    <label>
      <span className="hidden">Role of {member.name}</span>
      <select
        className="input"
        value={member.role}
        disabled={change.isPending}
        onChange={({ target: { value } }) => (value === "owner" ? setHanding(true) : change.mutate(value))}
      >
        {choices.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      {change.error ? <small role="alert">{failureText(change.error)}</small> : null}
      {handing ? (
        <Dialog title={`Make ${member.name} the owner?`} onClose={() => setHanding(false)}>
          <p>A workspace has one owner. You become an admin, and only {member.name} can hand it back.</p>
          <FormFailure failure={change.error} />
          <div className="dialog-actions">
            <button type="button" className="button" onClick={() => setHanding(false)}>
              Stay the owner
            </button>
            <button
              type="button"
              className="button danger"
              disabled={change.isPending}
              onClick={() => change.mutate("owner", { onSuccess: () => setHanding(false) })}
            >
              Hand it over
            </button>
          </div>
        </Dialog>
      ) : null}
    </label>
  );
}

function RemoveMember({ member, isSelf }: { member: Member; isSelf: boolean }) {
  const remove = useWrite<unknown>(() => ({ method: "DELETE", path: `/api/settings/members/${member.userId}` }));
  return (
    <Confirm
      label={isSelf ? "Leave" : "Remove"}
      title={isSelf ? "Leave this workspace?" : `Remove ${member.name}?`}
      about={
        isSelf ? "You see nothing of it from then on." : "Their account stays, but sees nothing of this workspace."
      }
      confirm={isSelf ? "Leave it" : "Remove them"}
      pending={remove.isPending}
      failure={remove.error}
      onConfirm={() => remove.mutate()}
    />
  );
}

function Invites() {
  const list = useList<Invite>(INVITES);
  const { asked, ask, close } = useDialog<"new">();
  const { shown: url, add, close: closeUrl } = useTurns<string>();
  return (
    <Section
      title="Invites"
      about="A link that makes one account, once, within seven days. Sextant sends no email: give it to the person yourself."
      action={
        <button type="button" className="button" onClick={() => ask("new")}>
          <Icon name="plus" /> Invite
        </button>
      }
    >
      <ResourceList
        list={list}
        empty="No open invites"
        columns={["For", "Role", "Made", "Until", ""]}
        row={(invite) => ({
          key: invite.id,
          cells: [
            invite.note,
            invite.role,
            <When key="made" at={invite.createdAt} />,
            <When key="until" at={invite.expiresAt} />,
            <RevokeInvite key="revoke" invite={invite} />,
          ],
        })}
      />
      {asked ? <NewInvite onClose={close} onMade={add} /> : null}
      {url ? (
        <Once
          key={url}
          title="Invite link"
          about="Whoever opens it first makes the account. It is shown only this once."
          text={url}
          onClose={closeUrl}
        />
      ) : null}
    </Section>
  );
}

interface NewInviteProps {
  onClose: () => void;
  /** Also after it was left: nobody sees the link again. */
  onMade: (url: string) => void;
}

function NewInvite({ onClose, onMade }: NewInviteProps) {
  const { workspace } = useSession();
  const make = useWrite<Invite & { url: string }, object>(
    (body) => ({ method: "POST", path: INVITES, body }),
    ({ url }) => {
      onClose();
      onMade(url);
    },
  );
  const roles = ROLES.filter(({ value }) => value !== "owner" && (value !== "admin" || workspace.role === "owner"));
  return (
    <FormDialog
      title="Invite somebody"
      submit="Make the link"
      pending={make.isPending}
      failure={make.error}
      onClose={onClose}
      onSubmit={({ role = "viewer", note = "" }) => make.mutate({ role, ...(note === "" ? {} : { note }) })}
    >
      <label>
        For whom
        <input name="note" maxLength={200} placeholder="So that you know later" />
      </label>
      <label>
        Role
        <select name="role">
          {roles.map(({ value, label, may }) => (
            <option key={value} value={value}>
              {label}: {may}
            </option>
          ))}
        </select>
      </label>
    </FormDialog>
  );
}

function RevokeInvite({ invite }: { invite: Invite }) {
  const revoke = useWrite<unknown>(() => ({ method: "DELETE", path: `${INVITES}/${invite.id}` }));
  return (
    <button type="button" className="button small danger" disabled={revoke.isPending} onClick={() => revoke.mutate()}>
      Revoke
    </button>
  );
}
