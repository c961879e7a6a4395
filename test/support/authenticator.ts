/** A passkey in software: ES256 and no attestation, as a browser would send it. */
import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";

interface Asked {
  challenge: string;
}

export interface SoftPasskey {
  id: string;
  /** What `navigator.credentials.create` gives, as JSON. */
  register(origin: string, options: Asked): object;
  /** What `navigator.credentials.get` gives, as JSON. */
  authenticate(origin: string, options: Asked, changes?: { counter?: number; verified?: boolean }): object;
}

const PRESENT = 0x01;
const VERIFIED = 0x04;
const HAS_CREDENTIAL = 0x40;

export function makePasskey(userHandle = ""): SoftPasskey {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { x = "", y = "" } = publicKey.export({ format: "jwk" });
  const credentialId = randomBytes(32);
  const id = credentialId.toString("base64url");
  let counter = 0;

  const clientData = (type: string, origin: string, { challenge }: Asked) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  const head = (origin: string, flags: number, uses: number) => {
    const rpIdHash = createHash("sha256").update(new URL(origin).hostname).digest();
    const tail = Buffer.alloc(5);
    tail.writeUInt8(flags, 0);
    tail.writeUInt32BE(uses, 1);
    return Buffer.concat([rpIdHash, tail]);
  };
  const answer = (response: object) => ({
    id,
    rawId: id,
    type: "public-key",
    clientExtensionResults: {},
    response,
  });

  return {
    id,
    register(origin, options) {
      // COSE: kind EC2, ES256, P-256, and the two coordinates of 32 bytes.
      const key = Buffer.concat([
        Buffer.from("a5010203262001215820", "hex"),
        Buffer.from(x, "base64url"),
        Buffer.from("225820", "hex"),
        Buffer.from(y, "base64url"),
      ]);
      const idLength = Buffer.from([0, credentialId.length]);
      const authData = Buffer.concat([
        head(origin, PRESENT | VERIFIED | HAS_CREDENTIAL, counter),
        Buffer.alloc(16),
        idLength,
        credentialId,
        key,
      ]);
      // CBOR: { fmt: "none", attStmt: {}, authData }.
      const attestationObject = Buffer.concat([
        Buffer.from("a363666d74646e6f6e656761747453746d74a068617574684461746158", "hex"),
        Buffer.from([authData.length]),
        authData,
      ]);
      return answer({
        clientDataJSON: clientData("webauthn.create", origin, options).toString("base64url"),
        attestationObject: attestationObject.toString("base64url"),
        transports: ["internal"],
      });
    },
    authenticate(origin, options, changes = {}) {
      counter = changes.counter ?? counter + 1;
      const authData = head(origin, PRESENT | (changes.verified === false ? 0 : VERIFIED), counter);
      const data = clientData("webauthn.get", origin, options);
      const signed = Buffer.concat([authData, createHash("sha256").update(data).digest()]);
      return answer({
        clientDataJSON: data.toString("base64url"),
        authenticatorData: authData.toString("base64url"),
        signature: sign("sha256", signed, privateKey).toString("base64url"),
        userHandle,
      });
    },
  };
}
