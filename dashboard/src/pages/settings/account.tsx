import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useSession } from "../../api/session.ts";
import { FormFailure, formTexts } from "../sign-in/card.tsx";
import { addPasskey, hasPasskeys } from "../sign-in/passkey.ts";
import { addWallet, findWallet } from "../sign-in/wallet.ts";
import { Confirm, List, Section, useList, useWrite, When } from "./parts.tsx";

export function AccountSettings() {
  return (
    <>
      <Password />
      <Passkeys />
      <Wallets />
      <Sessions />
    </>
  );
}

function Password() {
  const { user } = useSession();
  const change = useWrite<unknown, object>((body) => ({ method: "POST", path: "/api/account/password", body }));
  return (
    <Section title="Password" about="Changing it ends all other sessions of yours.">
      <form
        className="settings-line"
        onSubmit={(event) => {
          const { currentPassword, newPassword } = formTexts(event);
          const form = event.currentTarget;
          change.mutate(
            { newPassword, ...(currentPassword === undefined ? {} : { currentPassword }) },
            { onSuccess: () => form.reset() },
          );
        }}
      >
        <input type="text" name="username" autoComplete="username" defaultValue={user.name} hidden readOnly />
        {user.hasPassword ? (
          <label>
            Current password
            <input name="currentPassword" type="password" autoComplete="current-password" required />
          </label>
        ) : null}
        <label>
          New password
          <input name="newPassword" type="password" autoComplete="new-password" minLength={12} required />
        </label>
        <button type="submit" className="button" disabled={change.isPending}>
          {user.hasPassword ? "Change it" : "Set it"}
        </button>
      </form>
      {change.isSuccess ? <p role="status">Done. Your other sessions have ended.</p> : null}
      <FormFailure failure={change.error} />
    </Section>
  );
}

/** Adding needs the browser's or the wallet's own dialog, so it is more than one request. */
function useAdd(add: () => Promise<void>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: add,
    onSuccess: () => client.invalidateQueries({ queryKey: ["settings"] }),
  });
}

interface Passkey {
  id: string;
  name: string;
  createdAt: string;
  lastUsedAt: string | null;
}

function Passkeys() {
  const list = useList<Passkey>("/api/account/passkeys");
  const add = useAdd(() => addPasskey(deviceName()));
  return (
    <Section
      title="Passkeys"
      about="Sign in with this device's lock or a security key instead of a password."
      action={
        hasPasskeys() ? (
          <button type="button" className="button" disabled={add.isPending} onClick={() => add.mutate()}>
            Add a passkey
          </button>
        ) : null
      }
    >
      <FormFailure failure={add.error} />
      <List
        list={list}
        empty="No passkey yet"
        columns={["Name", "Added", "Last used", ""]}
        row={(passkey) => ({
          key: passkey.id,
          cells: [
            passkey.name,
            <When key="added" at={passkey.createdAt} />,
            <When key="used" at={passkey.lastUsedAt} />,
            <Remove key="remove" path={`/api/account/passkeys/${passkey.id}`} name={passkey.name} />,
          ],
        })}
      />
    </Section>
  );
}

/** Such as "Chrome on Linux": people with several passkeys tell them apart by it. */
function deviceName(): string {
  const { userAgent } = navigator;
  const browser = ["Firefox", "Edg", "Chrome", "Safari"].find((name) => userAgent.includes(name)) ?? "Browser";
  const system = ["Windows", "Android", "iPhone", "Mac", "Linux"].find((name) => userAgent.includes(name));
  return `${browser === "Edg" ? "Edge" : browser}${system === undefined ? "" : ` on ${system}`}`;
}

interface Wallet {
  id: string;
  address: string;
  chainId: number;
  createdAt: string;
}

function Wallets() {
  const list = useList<Wallet>("/api/account/wallets");
  const add = useAdd(addWallet);
  return (
    <Section
      title="Wallets"
      about="Sign in by signing a message. No transaction, no cost."
      action={
        findWallet() ? (
          <button type="button" className="button" disabled={add.isPending} onClick={() => add.mutate()}>
            Add this wallet
          </button>
        ) : null
      }
    >
      <FormFailure failure={add.error} />
      <List
        list={list}
        empty="No wallet yet"
        columns={["Address", "Added", ""]}
        row={(wallet) => ({
          key: wallet.id,
          cells: [
            <code key="address">{wallet.address}</code>,
            <When key="added" at={wallet.createdAt} />,
            <Remove key="remove" path={`/api/account/wallets/${wallet.id}`} name={wallet.address} />,
          ],
        })}
      />
    </Section>
  );
}

function Remove({ path, name }: { path: string; name: string }) {
  const remove = useWrite<unknown>(() => ({ method: "DELETE", path }));
  return (
    <Confirm
      label="Remove"
      title={`Remove ${name}?`}
      about="It can no longer sign in."
      confirm="Remove it"
      pending={remove.isPending}
      failure={remove.error}
      onConfirm={() => remove.mutate()}
    />
  );
}

interface SignedIn {
  id: string;
  method: string;
  userAgent: string;
  createdAt: string;
  lastSeenAt: string;
  expiresAt: string;
  isCurrent: boolean;
}

function Sessions() {
  const list = useList<SignedIn>("/api/account/sessions");
  const endOthers = useWrite<unknown>(() => ({ method: "DELETE", path: "/api/account/sessions" }));
  return (
    <Section
      title="Sessions"
      about="Where you are signed in."
      action={
        <button type="button" className="button" disabled={endOthers.isPending} onClick={() => endOthers.mutate()}>
          End all others
        </button>
      }
    >
      <FormFailure failure={endOthers.error} />
      <List
        list={list}
        empty="None"
        columns={["Browser", "By", "Last seen", "Until", ""]}
        row={(session) => ({
          key: session.id,
          cells: [
            <span key="agent" className="settings-agent">
              {session.userAgent} {session.isCurrent ? <strong>this one</strong> : null}
            </span>,
            session.method,
            <When key="seen" at={session.lastSeenAt} />,
            <When key="until" at={session.expiresAt} />,
            session.isCurrent ? null : <EndSession key="end" id={session.id} />,
          ],
        })}
      />
    </Section>
  );
}

function EndSession({ id }: { id: string }) {
  const end = useWrite<unknown>(() => ({ method: "DELETE", path: `/api/account/sessions/${id}` }));
  return (
    <button type="button" className="button small danger" disabled={end.isPending} onClick={() => end.mutate()}>
      End
    </button>
  );
}
