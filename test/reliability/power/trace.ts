/**
 * Reads what `strace -f -y -ttt -xx` has written of a service: every change of a file or a directory, in the order in
 * which they ended. A line that another thread interrupted is put together again.
 */
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";

/** The calls that change files; x64 has some under older names. */
export const TRACED = [
  "open,openat,creat,write,writev,pwrite64,pwritev,ftruncate,fallocate,fsync,fdatasync",
  "rename,renameat,renameat2,unlink,unlinkat,rmdir,mkdir,mkdirat,link,linkat",
].join(",");

export type Change =
  | { readonly kind: "create"; readonly path: string; readonly truncates: boolean }
  /** Without `offset` at the end of the file. */
  | { readonly kind: "write"; readonly path: string; readonly offset: number | undefined; readonly data: Buffer }
  | { readonly kind: "truncate"; readonly path: string; readonly size: number }
  | { readonly kind: "sync"; readonly path: string }
  | { readonly kind: "mkdir" | "unlink"; readonly path: string }
  | { readonly kind: "rename" | "link"; readonly path: string; readonly to: string };

export type Step = Change & {
  /** When the call began, in ms since 1970. */
  readonly atMs: number;
  /** The number of steps that had ended by then. */
  readonly begunAfter: number;
};

/** The steps under `dir`. */
export async function readTrace(file: string, dir: string): Promise<Step[]> {
  const steps: Step[] = [];
  const open = new Map<string, { readonly text: string; readonly atMs: number; readonly begunAfter: number }>();
  const lines = createInterface({ input: createReadStream(file, "latin1"), crlfDelay: Number.POSITIVE_INFINITY });
  for await (const line of lines) {
    const [, pid = "", seconds = "", text = ""] = /^(\d+) +([\d.]+) (.*)$/.exec(line) ?? [];
    const begun = { atMs: Number(seconds) * 1_000, begunAfter: steps.length };
    if (text.endsWith("<unfinished ...>")) {
      open.set(pid, { ...begun, text: text.slice(0, -"<unfinished ...>".length) });
      continue;
    }
    const [resumed] = /^<\.\.\. \w+ resumed>/.exec(text) ?? [];
    const first = resumed === undefined ? { ...begun, text: "" } : open.get(pid);
    if (first === undefined) continue;
    open.delete(pid);
    const change = readCall(first.text + text.slice(resumed?.length ?? 0));
    if (change !== undefined && isUnder(change, dir))
      steps.push({ ...change, atMs: first.atMs, begunAfter: first.begunAfter });
  }
  return steps;
}

const isUnder = (change: Change, dir: string) => change.path === dir || change.path.startsWith(`${dir}/`);

/** A call with its result, as a change. Calls that failed or only read change nothing. */
function readCall(text: string): Change | undefined {
  const [, name = "", rest = ""] = /^(\w+)\((.*)$/s.exec(text) ?? [];
  const [, written = "", result = ""] = /^(.*)\) += (-?\d+)/s.exec(rest) ?? [];
  if (result === "" || Number(result) < 0) return undefined;
  const texts = [...written.matchAll(/"((?:\\x[0-9a-f]{2})*)"(\.\.\.)?/g)].map(([, hex = "", cut]) => {
    if (cut !== undefined) throw new Error("strace has cut a text: -s is too small");
    return Buffer.from(hex.replaceAll("\\x", ""), "hex");
  });
  const [path = "", to = ""] = texts.map((bytes) => bytes.toString());
  const onFile = openFile(written);
  if (/^(open|openat|creat)$/.test(name)) {
    const truncates = name === "creat" || written.includes("O_TRUNC");
    return truncates || written.includes("O_CREAT") ? { kind: "create", path, truncates } : undefined;
  }
  if (/^mkdir/.test(name)) return { kind: "mkdir", path };
  if (/^(unlink|rmdir)/.test(name)) return { kind: "unlink", path };
  if (/^rename/.test(name)) return { kind: "rename", path, to };
  if (/^link/.test(name)) return { kind: "link", path, to };
  if (onFile === undefined) return undefined;
  if (/sync$/.test(name)) return { kind: "sync", path: onFile };
  if (name === "ftruncate") return { kind: "truncate", path: onFile, size: lastNumber(written) };
  if (/write/.test(name)) {
    const data = Buffer.concat(texts).subarray(0, Number(result));
    return { kind: "write", path: onFile, offset: name.startsWith("p") ? lastNumber(written) : undefined, data };
  }
  // Room that is only reserved has no content to lose.
  return undefined;
}

/** The path of the first argument, a descriptor; undefined for what is no file, or no longer has a name. */
function openFile(written: string): string | undefined {
  const [, hex = "", deleted] = /^\d+<((?:\\x[0-9a-f]{2})*)>(\(deleted\))?/.exec(written) ?? [];
  const path = Buffer.from(hex.replaceAll("\\x", ""), "hex").toString();
  return deleted === undefined && path.startsWith("/") ? path : undefined;
}

function lastNumber(written: string): number {
  return Number(/(\d+)\s*$/.exec(written)?.[1]);
}
