import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { ACCOUNT_LIMITS } from "../../../../src/contract/account-limits.ts";
import { call, serviceUrl } from "../../api/client.ts";
import { addPasskey, hasPasskeys, isAddress } from "../../api/passkey.ts";
import { useList, useWrite } from "../../api/resources.ts";
import { type SignInChoices, useSession, type Wrapped } from "../../api/session.ts";
import { addWallet, findWallet } from "../../api/wallet.ts";
import { deviceName } from "../../format/device.ts";
import { Confirm, FormFailure, formTexts } from "../../ui/form.tsx";
import { ResourceList } from "../../ui/resource-list.tsx";
import { ConfirmYourself, useIsFresh } from "./confirm-yourself.tsx";
import { Section, When } from "./parts.tsx";

export function AccountSettings() {
  return (
    <>
      <Password />
      <ConfirmYourself />
      <Passkeys />
      <Wallets />
      <Provider />
      <Sessions />
    </>
  );
}

function Password() {
  const { user } = useSession();
  const change = useWrite<PasswordChanged, object>((body) => ({ method: "POST", path: "/api/account/password", body }));
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
          <input
            name="newPassword"
            type="password"
            autoComplete="new-password"
            minLength={ACCOUNT_LIMITS.passwordMinChars}
            required
          />
        </label>
        <button type="submit" className="button" disabled={change.isPending}>
          {user.hasPassword ? "Change it" : "Set it"}
        </button>
      </form>
      {change.isSuccess ? (
        <p role="status">Done. Your other sessions have ended. {leftText(change.data.otherMethods)}</p>
      ) : null}
      <FormFailure failure={change.error} />
    </Section>
  );
}

interface PasswordChanged {
  otherMethods: { passkeys: readonly { name: string }[]; wallets: readonly { address: string }[]; oidc: boolean };
}

/** A new password leaves the other ways to sign in: whoever changed it because of a stranger should look at them. */
function leftText({ passkeys, wallets, oidc }: PasswordChanged["otherMethods"]): string {
  const names = [
    ...passkeys.map(({ name }) => `passkey ${name}`),
    ...wallets.map(({ address }) => `wallet ${address}`),
    ...(oidc ? ["the sign-in provider"] : []),
  ];
  if (names.length === 0) return "";
  return `These can still sign in, remove below what is not yours: ${names.join(", ")}.`;
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
  const add = useAdd(() => addPasskey(deviceName(navigator.userAgent)));
  const isFresh = useIsFresh();
  return (
    <Section
      title="Passkeys"
      about={
        isAddress()
          ? "They need a host name instead of an address of numbers. On the machine itself, open Sextant as localhost."
          : "Sign in with this device's lock or a security key instead of a password."
      }
      action={
        hasPasskeys() ? (
          <button type="button" className="button" disabled={add.isPending || !isFresh} onClick={() => add.mutate()}>
            Add a passkey
          </button>
        ) : null
      }
    >
      <FormFailure failure={add.error} />
      <ResourceList
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

interface Wallet {
  id: string;
  address: string;
  chainId: number;
  createdAt: string;
}

function Wallets() {
  const list = useList<Wallet>("/api/account/wallets");
  const add = useAdd(addWallet);
  const isFresh = useIsFresh();
  return (
    <Section
      title="Wallets"
      about="Sign in by signing a message. No transaction, no cost."
      action={
        findWallet() ? (
          <button type="button" className="button" disabled={add.isPending || !isFresh} onClick={() => add.mutate()}>
            Add this wallet
          </button>
        ) : null
      }
    >
      <FormFailure failure={add.error} />
      <ResourceList
        list={list}
        empty={
          findWallet()
            ? "No wallet yet"
            : "No wallet yet, and none in this browser. Install one as an extension (such as MetaMask or Rabby) and reload this page, or open Sextant in the browser of a wallet app."
        }
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

/** One OpenID Connect provider, if the service has one. */
function Provider() {
  const { methods } = useSession();
  const isFresh = useIsFresh();
  const choices = useQuery({
    queryKey: ["sign-in"],
    queryFn: async ({ signal }) => (await call<Wrapped<SignInChoices>>({ path: "/api/sign-in", signal })).data,
  });
  const provider = choices.data?.methods.oidc?.name;
  if (provider === undefined) return null;
  return (
    <Section
      title={provider}
      about={
        methods.oidc
          ? `Your account is connected: you can sign in with ${provider}.`
          : `Sign in with your account at ${provider}.`
      }
      action={
        methods.oidc ? (
          <Remove path="/api/account/oidc" name={provider} />
        ) : !isFresh ? null : (
          <a className="button" href={serviceUrl("/api/sign-in/oidc/start", { intent: "link" }).href}>
            Add {provider}
          </a>
        )
      }
    >
      {null}
    </Section>
  );
}

const METHODS: Readonly<Record<string, string>> = {
  setup: "first account",
  password: "password",
  passkey: "passkey",
  wallet: "wallet",
  oidc: "provider",
  invite: "invite",
  reset: "reset link",
};

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
      <ResourceList
        list={list}
        empty="None"
        columns={["Browser", "By", "Last seen", "Until", ""]}
        row={(session) => ({
          key: session.id,
          cells: [
            <span key="agent" title={session.userAgent}>
              {deviceName(session.userAgent)} {session.isCurrent ? <strong>this one</strong> : null}
            </span>,
            METHODS[session.method] ?? session.method,
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
