/** Passkeys by @simplewebauthn. It is loaded for the first passkey: it takes 25 MB, and most nodes never see one. */
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
  WebAuthnCredential,
} from "@simplewebauthn/server";
import type { Passkey } from "./passkeys.ts";

/** A passkey is the only factor, so the device must know its owner: by PIN, finger or face. */
const VERIFICATION = "required";

const load = () => import("@simplewebauthn/server");

export async function makeRegistration(
  origin: string,
  user: { id: string; name: string },
  known: readonly Passkey[],
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { generateRegistrationOptions } = await load();
  return generateRegistrationOptions({
    rpName: "Sextant",
    rpID: new URL(origin).hostname,
    userName: user.name,
    userID: new Uint8Array(Buffer.from(user.id)),
    attestationType: "none",
    excludeCredentials: known.map(toCredential),
    authenticatorSelection: { residentKey: "required", userVerification: VERIFICATION },
  });
}

/** Undefined if the answer is not one to this challenge. */
export async function checkRegistration(
  origin: string,
  challenge: string,
  response: unknown,
): Promise<Pick<Passkey, "credentialId" | "publicKey" | "counter" | "transports"> | undefined> {
  const { verifyRegistrationResponse } = await load();
  try {
    const { registrationInfo } = await verifyRegistrationResponse({
      response: response as RegistrationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: new URL(origin).hostname,
      requireUserVerification: true,
    });
    if (registrationInfo === undefined) return undefined;
    const { id, publicKey, counter, transports = [] } = registrationInfo.credential;
    return { credentialId: id, publicKey, counter, transports: transports.map(String).filter(isPlain) };
  } catch {
    return undefined;
  }
}

export async function makeAuthentication(origin: string): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await load();
  return generateAuthenticationOptions({ rpID: new URL(origin).hostname, userVerification: VERIFICATION });
}

/** The passkey's new counter; undefined if the answer is not one to this challenge, or comes from a copied passkey. */
export async function checkAuthentication(
  origin: string,
  challenge: string,
  response: unknown,
  passkey: Passkey,
): Promise<number | undefined> {
  const { verifyAuthenticationResponse } = await load();
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: response as AuthenticationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: new URL(origin).hostname,
      requireUserVerification: true,
      credential: { ...toCredential(passkey), publicKey: passkey.publicKey, counter: passkey.counter },
    });
    return verified ? authenticationInfo.newCounter : undefined;
  } catch {
    return undefined;
  }
}

function toCredential({ credentialId, transports }: Passkey) {
  return { id: credentialId, transports: transports as NonNullable<WebAuthnCredential["transports"]> };
}

function isPlain(text: string): boolean {
  return /^[a-z-]{1,20}$/.test(text);
}
