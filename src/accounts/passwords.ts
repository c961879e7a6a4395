import { argon2, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { ACCOUNT_LIMITS } from "../contract/account-limits.ts";
import { ApiError } from "../contract/errors.ts";
import { createSemaphore, QueueFull, WaitTimeout } from "../lib/semaphore.ts";

/** Passwords are stored as argon2id in a PHC string, which names its own cost: a later version may raise it. */
export interface Passwords {
  hash(password: string): Promise<string>;
  /** Without a stored hash the answer is false, after the same work. */
  matches(stored: string | null, password: string): Promise<boolean>;
}

/** 85 ms on one core. The memory is freed after each hash. */
const COST = { memory: 32 * 1024, passes: 2, parallelism: 1 } as const;
const SALT_BYTES = 16;
const TAG_BYTES = 32;
const run = promisify(argon2);

interface Cost {
  memory: number;
  passes: number;
  parallelism: number;
}

/**
 * One hash at a time: libuv has four threads, and the event log needs them for its fsyncs. A queue of 16 is served in
 * 1.4 s.
 */
export function createPasswords(usual: Cost = COST): Passwords {
  /** For names that no user has. Nothing matches it. */
  const nobody = toPhc(usual, randomBytes(SALT_BYTES), randomBytes(TAG_BYTES));
  const slots = createSemaphore({ perKey: 1, waitingPerKey: 16, waitMs: 10_000 });

  async function derive(password: string, salt: Buffer, cost: Cost): Promise<Buffer> {
    const release = await slots.acquire("hash").catch((cause: unknown) => {
      if (cause instanceof QueueFull || cause instanceof WaitTimeout)
        throw new ApiError("SERVICE_UNAVAILABLE", "Too many people sign in at once; try again", {
          headers: { "Retry-After": "2" },
        });
      throw cause;
    });
    try {
      const message = Buffer.from(password.normalize("NFKC"), "utf8");
      return await run("argon2id", { message, nonce: salt, tagLength: TAG_BYTES, ...cost });
    } finally {
      release();
    }
  }

  return {
    async hash(password) {
      const salt = randomBytes(SALT_BYTES);
      return toPhc(usual, salt, await derive(password, salt, usual));
    },
    async matches(stored, password) {
      // A longer text is no password of ours, and hashing it would take longer.
      const sent = password.length > ACCOUNT_LIMITS.passwordMaxChars * 2 ? "" : password;
      const { cost, salt, tag } = fromPhc(stored ?? nobody);
      const isSame = timingSafeEqual(await derive(sent, salt, cost), tag);
      return isSame && stored !== null;
    },
  };
}

function toPhc(cost: Cost, salt: Buffer, tag: Buffer): string {
  const numbers = `m=${cost.memory},t=${cost.passes},p=${cost.parallelism}`;
  return `$argon2id$v=19$${numbers}$${unpadded(salt)}$${unpadded(tag)}`;
}

function unpadded(bytes: Buffer): string {
  return bytes.toString("base64").replaceAll("=", "");
}

function fromPhc(text: string): { cost: Cost; salt: Buffer; tag: Buffer } {
  const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(text);
  if (match === null) throw new Error("a stored password hash has an unknown format");
  const [, memory, passes, parallelism, salt = "", tag = ""] = match;
  return {
    cost: { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) },
    salt: Buffer.from(salt, "base64"),
    tag: Buffer.from(tag, "base64"),
  };
}

/** Why a password cannot be used; undefined if it can. */
export function findPasswordProblem(password: string, userName: string): string | undefined {
  const { passwordMinChars: min, passwordMaxChars: max } = ACCOUNT_LIMITS;
  const chars = Array.from(password).length;
  if (chars < min) return `must have at least ${min} characters`;
  if (chars > max) return `must have at most ${max} characters`;
  if (password.normalize("NFKC").toLowerCase() === userName.normalize("NFKC").toLowerCase())
    return "must not be the name";
  if (new Set(password).size === 1) return "must not repeat one character";
  return undefined;
}
