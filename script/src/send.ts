/** Sends events in batches, and again when a batch fails: the server counts a message id once. */
import type { Fields } from "./visit.ts";

const BATCH = 20;
const WAIT_MS = 1_000;
/** A browser sends at most 64 KiB after a page is gone. */
const KEEPALIVE_BYTES = 60_000;
/** What is not taken after 8 tries, 4 minutes, is given up, and so is the oldest of a thousand. */
const TRIES = 8;
const MOST = 1_000;

export function createSender(url: string, key: string): (event: Fields) => void {
  let queue: Fields[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;
  let isSending = false;

  function later(ms: number): void {
    clearTimeout(timer);
    timer = setTimeout(send, ms);
  }

  /** A page that is being left does not wait for its turn. */
  async function send(isLeaving?: unknown): Promise<void> {
    if (queue.length === 0 || (isSending && isLeaving !== true)) return;
    isSending = true;
    const batch = queue.slice(0, isLeaving === true ? MOST : BATCH);
    queue = queue.slice(batch.length);
    const status = await post(batch);
    isSending = false;
    // Refused for good: the same body would be refused again.
    const isOver = status >= 200 && status < 500 && status !== 408 && status !== 429;
    failures = isOver ? 0 : failures + 1;
    if (!isOver && failures < TRIES) queue = [...batch, ...queue].slice(-MOST);
    if (queue.length > 0) later(isOver ? 0 : WAIT_MS * 2 ** failures);
  }

  async function post(batch: readonly Fields[]): Promise<number> {
    const sent_at = new Date().toISOString();
    const body = JSON.stringify(
      batch.map((event) => ({ ...event, sent_at })),
      (_, value: unknown) => (typeof value === "bigint" ? String(value) : value),
    );
    try {
      const { status } = await fetch(url, {
        method: "POST",
        headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
        body,
        keepalive: body.length < KEEPALIVE_BYTES,
        credentials: "omit",
      });
      if (status === 401) console.warn("Sextant: the write key is unknown; see data-key of the script");
      return status;
    } catch {
      return 0;
    }
  }

  addEventListener("pagehide", () => void send(true));
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "hidden") void send(true);
  });

  return (event) => {
    queue.push(event);
    if (queue.length > MOST) queue.shift();
    if (failures === 0) later(queue.length >= BATCH ? 0 : WAIT_MS);
  };
}
