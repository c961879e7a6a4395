/**
 * Wallet fields with `proof: "signature"`. The server writes the message (EIP-4361), which names the form, a nonce and
 * an expiry, and seals it into a token. The answer brings the token back with the signature. Nothing is stored for
 * whoever only asks; a token is used up with the submission that it proves.
 */
import type { Static } from "typebox";
import { type Challenge, useChallenge } from "../../accounts/challenges.ts";
import { findSigner, makeWalletMessage } from "../../accounts/siwe.ts";
import type { WalletBeginBody } from "../../contract/account.ts";
import { validationError } from "../../contract/validation-error.ts";
import type { ControlStore, Tx } from "../../control/store.ts";
import type { Problem } from "../../forms/answers.ts";
import { type Checked, checkAnswers } from "../../forms/check-answers.ts";
import { answerFields, type Form } from "../../forms/form.ts";
import { findPublicForm } from "../../forms/forms.ts";
import { formNotFound } from "../../forms/manage.ts";
import { type Arrival, type Submitted, submitAnswers } from "../../forms/submit.ts";
import type { Answer } from "../route.ts";
import type { HostedDeps, HostedRequest } from "./deps.ts";

/** People sign first and answer the other questions afterwards. */
const LIFE_MS = 60 * 60_000;
const STATEMENT =
  "Prove that this wallet is yours, to answer a form. It costs nothing and gives no access to your funds.";
const EVM = /^0x[0-9a-f]{40}$/i;
const LONGEST_CHARS = 8_192;

interface Asked {
  formId: string;
  message: string;
  origin: string;
  uri: string;
  chainId: number;
  address: string;
}

/** The message for the wallet to sign, and the token that brings it back. */
export async function beginProof({ formId, body, origin }: HostedRequest, deps: HostedDeps): Promise<Answer> {
  const form = await findPublicForm(deps.store.read, formId);
  if (form === undefined || !asksForProof(form)) throw formNotFound();
  const { address, chainId } = readWallet(body);
  const nowMs = deps.clock.nowMs();
  const uri = formUri(origin, deps.publicApiUrl(), form.id);
  const times = { issuedAtMs: nowMs, expiresAtMs: nowMs + LIFE_MS };
  const message = await makeWalletMessage(origin, { address, chainId }, times, { uri, statement: STATEMENT });
  const asked: Asked = { formId: form.id, message, origin, uri, chainId, address: address.toLowerCase() };
  const challengeToken = deps.challenges.make("form wallet", asked, nowMs, LIFE_MS);
  return { status: 200, body: { isSuccess: true, data: { challengeToken, message } } };
}

function asksForProof(form: Form): boolean {
  return form.fields.some(({ proof }) => proof === "signature");
}

function readWallet(body: unknown): Static<typeof WalletBeginBody> {
  const { address, chainId } = (body ?? {}) as Record<string, unknown>;
  const failures = new Map<string, string>();
  if (typeof address !== "string" || !EVM.test(address)) failures.set("body.address", "must be an EVM address");
  if (typeof chainId !== "number" || !Number.isSafeInteger(chainId) || chainId < 1)
    failures.set("body.chainId", "must be a whole number from 1");
  if (failures.size > 0) throw validationError(failures);
  return { address, chainId } as Static<typeof WalletBeginBody>;
}

/** Under the path of a proxy, too. */
function formUri(origin: string, publicApiUrl: string, formId: string): string {
  return `${origin}${new URL(publicApiUrl).pathname.replace(/\/+$/, "")}/f/${formId}`;
}

export interface Proofs {
  /** The answers, with the proven addresses in the place of what was sent for them. */
  answers: ReadonlyMap<string, unknown>;
  problems: ReadonlyMap<string, Problem>;
  challenges: readonly Challenge<unknown>[];
}

const UNSIGNED: Problem = {
  api: "must be an object with the challengeToken and signature of a wallet, see POST /f/{formId}/wallet",
  page: "Please connect your wallet and sign: a typed address is no proof.",
};
const NOT_PROVEN: Problem = {
  api: "is not the wallet's signature for this form, or came too late: begin again",
  page: "The signature is not valid, or too old. Please sign once more.",
};
const USED: Problem = {
  api: "was used for another submission already: begin again",
  page: "This signature was used already. Please sign once more.",
};

/** Verifies every signature. Contract wallets are asked on their chain, so it runs before the transaction. */
export async function readProofs(
  form: Form,
  sent: ReadonlyMap<string, unknown>,
  deps: HostedDeps,
  nowMs: number,
): Promise<Proofs> {
  const answers = new Map(sent);
  const problems = new Map<string, Problem>();
  const challenges: Challenge<unknown>[] = [];
  for (const { key, proof } of answerFields(form.fields)) {
    const value = sent.get(key);
    if (proof !== "signature" || value === undefined || value === null || value === "") continue;
    const parts = readParts(value);
    const asked = parts && deps.challenges.read<Asked>("form wallet", parts.challengeToken, nowMs);
    const address = asked && (await findProven(form.id, asked.data, parts.signature, deps, nowMs));
    if (asked === undefined || address === undefined) problems.set(key, parts === undefined ? UNSIGNED : NOT_PROVEN);
    else challenges.push(asked);
    // The address of a refused one is checked, but not stored: any problem refuses the submission.
    answers.set(key, address ?? "");
  }
  return { answers, problems, challenges };
}

async function findProven(
  formId: string,
  asked: Asked,
  signature: string,
  { askContract, contractAsks: { limiter, policy } }: HostedDeps,
  nowMs: number,
): Promise<string | undefined> {
  if (asked.formId !== formId) return undefined;
  const { message, origin, uri, chainId } = asked;
  const ask: typeof askContract =
    askContract && (async (contract) => (await limiter.take(formId, policy)).allowed && askContract(contract));
  return (await findSigner(message, signature, { origin, uri, chainId, nowMs }, ask))?.address;
}

/** An object, or its JSON, as the page's hidden input sends it. */
function readParts(value: unknown): { challengeToken: string; signature: string } | undefined {
  let parts = value;
  if (typeof value === "string") {
    if (value.length > LONGEST_CHARS || !value.startsWith("{")) return undefined;
    try {
      parts = JSON.parse(value) as unknown;
    } catch {
      return undefined;
    }
  }
  const { challengeToken, signature } = (parts ?? {}) as Record<string, unknown>;
  if (typeof challengeToken !== "string" || typeof signature !== "string") return undefined;
  return challengeToken.length + signature.length > LONGEST_CHARS ? undefined : { challengeToken, signature };
}

/** The checked answers, with the problems of signatures before those of the addresses that they did not prove. */
export function checkProven(form: Form, { answers, problems }: Proofs): Checked {
  const checked = checkAnswers(answerFields(form.fields), answers);
  if (problems.size === 0) return checked;
  return { ok: false, problems: new Map([...(checked.ok ? [] : checked.problems), ...problems]) };
}

/** False if one was used before: the submission that it was to prove must be rolled back. */
export async function useProofs(tx: Tx, { challenges }: Proofs): Promise<boolean> {
  for (const challenge of challenges) if (!(await useChallenge(tx, challenge))) return false;
  return true;
}

class ProofUsed extends Error {}

/** Stores a submission and uses its proofs up. Undefined if one was used before. */
export async function submitProven(
  store: ControlStore,
  form: Form,
  arrival: Arrival,
  proofs: Proofs,
): Promise<Submitted | undefined> {
  try {
    return await store.write(async (tx) => {
      const done = await submitAnswers(tx, form, arrival);
      // The same page sent twice is one submission, whose proof the first post has used.
      if (done.kind === "stored" && !(await useProofs(tx, proofs))) throw new ProofUsed();
      return done;
    });
  } catch (cause) {
    if (cause instanceof ProofUsed) return undefined;
    throw cause;
  }
}

export function usedProblems(form: Form, { answers }: Proofs): Map<string, Problem> {
  const proven = answerFields(form.fields).filter(({ key, proof }) => proof === "signature" && answers.get(key));
  return new Map(proven.map(({ key }) => [key, USED]));
}
