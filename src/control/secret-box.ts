import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

/**
 * Signing needs the secret itself, so it is stored encrypted (AES-256-GCM) under a key derived from the installation's
 * secret: a copy of the database alone signs nothing. The owner's id is authenticated, so a text moved to another row
 * cannot be decrypted.
 */
export interface SecretBox {
  seal(ownerId: string, secret: string): string;
  open(ownerId: string, sealed: string): string;
}

const VERSION = "v1";
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Each purpose has its own key. */
export function createSecretBox(
  installationSecret: Buffer,
  purpose: "webhook secrets" | "kept answers" | "sign-in challenges" | "board links" | "opened links",
): SecretBox {
  const key = Buffer.from(hkdfSync("sha256", installationSecret, "", `sextant ${purpose}`, 32));
  return {
    seal(ownerId, secret) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv("aes-256-gcm", key, iv).setAAD(Buffer.from(ownerId));
      const text = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()]);
      return `${VERSION}.${Buffer.concat([iv, cipher.getAuthTag(), text]).toString("base64url")}`;
    },
    open(ownerId, sealed) {
      const [version, packed = ""] = sealed.split(".");
      if (version !== VERSION) throw new Error(`the secret of ${ownerId} is encrypted in an unknown format`);
      const bytes = Buffer.from(packed, "base64url");
      const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
        .setAAD(Buffer.from(ownerId))
        .setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
      return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString("utf8");
    },
  };
}
