/**
 * Signs in with a passkey. The browser itself turns the options and its answer into JSON and back, so no library is
 * needed; where it cannot, passkeys are not offered.
 */
import { call } from "./client.ts";
import type { Account, Wrapped } from "./session.ts";

interface Challenge<T> {
  challengeToken: string;
  options: T;
}

export function hasPasskeys(): boolean {
  const canAsk = typeof PublicKeyCredential === "function" && "parseRequestOptionsFromJSON" in PublicKeyCredential;
  return canAsk && !isAddress();
}

/** A passkey belongs to a host name. Browsers refuse to make one for an address such as 127.0.0.1. */
export function isAddress(): boolean {
  return /^[\d.]+$|^\[/.test(location.hostname);
}

export async function signInWithPasskey(): Promise<Account> {
  const begun = await call<Wrapped<Challenge<PublicKeyCredentialRequestOptionsJSON>>>({
    method: "POST",
    path: "/api/sign-in/passkey/begin",
    body: {},
  });
  const { challengeToken, options } = begun.data;
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  const response = await ask(() => navigator.credentials.get({ publicKey }));
  const body = { challengeToken, response };
  return (await call<Wrapped<Account>>({ method: "POST", path: "/api/sign-in/passkey/finish", body })).data;
}

export async function addPasskey(name: string): Promise<void> {
  const begun = await call<Wrapped<Challenge<PublicKeyCredentialCreationOptionsJSON>>>({
    method: "POST",
    path: "/api/account/passkeys/begin",
    body: {},
  });
  const { challengeToken, options } = begun.data;
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  const response = await ask(() => navigator.credentials.create({ publicKey }));
  await call({ method: "POST", path: "/api/account/passkeys/finish", body: { challengeToken, name, response } });
}

async function ask(run: () => Promise<Credential | null>): Promise<unknown> {
  const credential = await run().catch((cause: unknown) => {
    const cancelled = cause instanceof DOMException && cause.name === "NotAllowedError";
    throw cancelled ? new Error("No passkey was used.") : cause;
  });
  if (!(credential instanceof PublicKeyCredential)) throw new Error("No passkey was used.");
  return credential.toJSON();
}
