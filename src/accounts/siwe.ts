/**
 * Sign-In with Ethereum (EIP-4361) by @signinwithethereum/siwe, with @noble/curves to recover the signer. Not by
 * viem/siwe: viem and what it needs take 74 MB, these 4 MB. Loaded for the first wallet: it takes 11 MB.
 */
import type { SiweConfig } from "@signinwithethereum/siwe";

/** What a wallet has signed: an ordinary account's address, or that of a contract on its chain. */
export interface Signer {
  address: string;
  chainId: number | null;
}

/** Asks a contract wallet whether a signature is its own. */
export type AskContract = (contract: {
  address: string;
  chainId: number;
  hash: string;
  signature: string;
}) => Promise<boolean>;

export async function makeWalletMessage(
  origin: string,
  { address, chainId }: { address: string; chainId: number },
  times: { issuedAtMs: number; expiresAtMs: number },
  purpose = { uri: origin, statement: "Sign in to Sextant." },
): Promise<string> {
  const { SiweMessage, generateNonce } = await import("@signinwithethereum/siwe");
  const { toChecksum } = await import("./ethereum.ts");
  return new SiweMessage({
    domain: new URL(origin).host,
    address: toChecksum(address),
    statement: purpose.statement,
    uri: purpose.uri,
    version: "1",
    chainId,
    nonce: generateNonce(),
    issuedAt: new Date(times.issuedAtMs).toISOString(),
    expirationTime: new Date(times.expiresAtMs).toISOString(),
  }).prepareMessage();
}

/** Undefined if the signature is not that of the message's address, or if the message is for another page or chain. */
export async function findSigner(
  message: string,
  signature: string,
  expected: { origin: string; uri?: string; chainId: number; nowMs: number },
  askContract: AskContract | undefined,
): Promise<Signer | undefined> {
  const { SiweMessage } = await import("@signinwithethereum/siwe");
  const { hashMessage, recoverAddress, toChecksum } = await import("./ethereum.ts");
  let isContract = false;
  const config: SiweConfig = {
    verifyMessage: recoverAddress,
    hashMessage,
    getAddress: toChecksum,
    ...(askContract && {
      async checkContractWalletSignature(address, text, sent, chainId) {
        isContract = await askContract({ address, chainId, hash: hashMessage(text), signature: sent });
        return isContract;
      },
    }),
  };
  try {
    const parsed = new SiweMessage(message);
    const wanted = {
      signature,
      domain: new URL(expected.origin).host,
      uri: expected.uri ?? expected.origin,
      chainId: expected.chainId,
      nonce: parsed.nonce,
      time: new Date(expected.nowMs).toISOString(),
    };
    const { success } = await parsed.verify(wanted, { config, suppressExceptions: true });
    if (!success) return undefined;
    return { address: parsed.address.toLowerCase(), chainId: isContract ? parsed.chainId : null };
  } catch {
    return undefined;
  }
}
