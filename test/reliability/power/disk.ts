/**
 * What a disk may hold after a loss of power. Content of a file is certain when it was synced after the write, a name when
 * its directory was. Of the writes since then any may be there, missing or torn, and room may be there without its
 * content. Of the changes of names a prefix is there, for each directory its own: file systems keep them in order.
 */
import { basename, dirname } from "node:path";
import type { Step } from "./trace.ts";

const SECTOR_BYTES = 512;

type Random = () => number;

class File {
  #certain: Buffer = Buffer.alloc(0);
  #size = 0;
  /** Each with the number of the step. */
  #since: { readonly nth: number; readonly offset: number; readonly data: Buffer | undefined }[] = [];

  write(nth: number, offset: number | undefined, data: Buffer): void {
    const at = offset ?? this.#size;
    this.#size = Math.max(this.#size, at + data.length);
    this.#since.push({ nth, offset: at, data });
  }

  truncate(nth: number, size: number): void {
    this.#size = size;
    this.#since.push({ nth, offset: size, data: undefined });
  }

  /** All that had ended when the call began is certain from now on. */
  sync(begunAfter: number): void {
    const certain = this.#since.filter(({ nth }) => nth < begunAfter);
    for (const { offset, data } of certain) this.#certain = apply(this.#certain, offset, data);
    this.#since = this.#since.filter(({ nth }) => nth >= begunAfter);
  }

  /** `keeps` is the probability that a write which is not certain is there. A disk takes whole sectors, as they then are. */
  after(random: Random, keeps: number): Buffer {
    let content: Buffer = Buffer.from(this.#certain);
    let cached: Buffer = Buffer.from(this.#certain);
    for (const { offset, data } of this.#since) {
      cached = apply(cached, offset, data);
      const isKept = random() < keeps;
      if (data === undefined) {
        if (isKept) content = apply(content, offset, undefined);
        continue;
      }
      const end = offset + data.length;
      const isTorn = !isKept && random() < 0.25;
      const from = sectorAt(offset);
      const to = isKept
        ? Math.min(sectorAt(end) + SECTOR_BYTES, cached.length)
        : sectorAt(offset + random() * data.length);
      if ((isKept || isTorn) && to > from) content = apply(content, from, cached.subarray(from, to));
      // The size of a file may be there without what was written.
      else if (random() < 0.1 && end > content.length)
        content = Buffer.concat([content, Buffer.alloc(end - content.length)]);
    }
    return content;
  }
}

const sectorAt = (offset: number) => Math.floor(offset / SECTOR_BYTES) * SECTOR_BYTES;

function apply(content: Buffer, offset: number, data: Buffer | undefined): Buffer {
  if (data === undefined) {
    if (offset <= content.length) return content.subarray(0, offset);
    return Buffer.concat([content, Buffer.alloc(offset - content.length)]);
  }
  const end = offset + data.length;
  const whole = end > content.length ? Buffer.concat([content, Buffer.alloc(end - content.length)]) : content;
  data.copy(whole, offset);
  return whole;
}

type Entry = File | Directory;

class Directory {
  readonly names = new Map<string, Entry>();
  #certain = new Map<string, Entry>();
  #since: { readonly nth: number; readonly change: (names: Map<string, Entry>) => void }[] = [];

  change(nth: number, change: (names: Map<string, Entry>) => void): void {
    change(this.names);
    this.#since.push({ nth, change });
  }

  sync(begunAfter: number): void {
    for (const { change } of this.#since.filter(({ nth }) => nth < begunAfter)) change(this.#certain);
    this.#since = this.#since.filter(({ nth }) => nth >= begunAfter);
  }

  after(random: Random, keeps: number): ReadonlyMap<string, Entry> {
    const names = new Map(this.#certain);
    const kept =
      keeps === 1 ? this.#since.length : Math.floor(random() * (this.#since.length + 1) * Math.min(1, keeps * 2));
    for (const { change } of this.#since.slice(0, kept)) change(names);
    return names;
  }
}

export class Disk {
  readonly #root = new Directory();
  readonly #dir: string;
  #ended = 0;

  constructor(dir: string) {
    this.#dir = dir;
  }

  apply(step: Step): void {
    const nth = this.#ended;
    this.#ended += 1;
    if (step.path === this.#dir) {
      if (step.kind === "sync") this.#root.sync(step.begunAfter);
      return;
    }
    const [parent, name] = this.#parentOf(step.path);
    const found = parent.names.get(name);
    if (step.kind === "create" && found === undefined) {
      const file = new File();
      parent.change(nth, (names) => names.set(name, file));
    } else if (step.kind === "create") {
      if (step.truncates && found instanceof File) found.truncate(nth, 0);
    } else if (step.kind === "mkdir") {
      const directory = new Directory();
      parent.change(nth, (names) => names.set(name, directory));
    } else if (step.kind === "unlink") parent.change(nth, (names) => names.delete(name));
    else if (found === undefined) throw new Error(`${step.kind} of ${step.path}, which is not there`);
    else if (step.kind === "sync") found.sync(step.begunAfter);
    else if (step.kind === "rename" || step.kind === "link") {
      const [target, newName] = this.#parentOf(step.to);
      if (target !== parent) throw new Error(`${step.path} moves to another directory`);
      parent.change(nth, (names) => {
        if (step.kind === "rename") names.delete(name);
        names.set(newName, found);
      });
    } else if (!(found instanceof File)) throw new Error(`${step.kind} of the directory ${step.path}`);
    else if (step.kind === "write") found.write(nth, step.offset, step.data);
    else if (step.kind === "truncate") found.truncate(nth, step.size);
  }

  /** The files after a loss of power now, by their paths in the directory; a directory has no content. */
  after(random: Random): Map<string, Buffer | undefined> {
    // All, as after a kill; none; or any.
    const keeps = [1, 0, 0.25, 0.75][Math.floor(random() * 4)] ?? 0;
    const found = new Map<string, Buffer | undefined>();
    const walk = (directory: Directory, under: string) => {
      for (const [name, entry] of directory.after(random, keeps)) {
        const isFile = entry instanceof File;
        found.set(under + name, isFile ? entry.after(random, keeps) : undefined);
        if (!isFile) walk(entry, `${under}${name}/`);
      }
    };
    walk(this.#root, "");
    return found;
  }

  #parentOf(path: string): [Directory, string] {
    let directory = this.#root;
    for (const name of dirname(path).slice(this.#dir.length).split("/").filter(Boolean)) {
      const next = directory.names.get(name);
      if (!(next instanceof Directory)) throw new Error(`${path} has no directory`);
      directory = next;
    }
    return [directory, basename(path)];
  }
}
