import { existsSync, readdirSync, readFileSync } from "node:fs";

/** Memory and processor time of a process and its descendants, from /proc on Linux. */
export interface Usage {
  readonly rssMb: number;
  /** The process itself, without its descendants. */
  readonly ownRssMb: number;
  /** Processor time of the processes that are alive. */
  readonly cpuSeconds: number;
  /** Of the descendants alone: the engine. */
  readonly engineSeconds: number;
}

/** Peaks. */
export interface Memory {
  readonly serviceMb: number;
  /** The descendants of the service: its engine. */
  readonly engineMb: number;
}

const TICKS_PER_SECOND = 100;
const SAMPLE_EVERY_MS = 50;

export function readUsage(pid: number): Usage {
  if (!existsSync("/proc/self/stat"))
    throw new Error("memory and processor time are read from /proc: run this on Linux");
  let total = 0;
  let own = 0;
  let ticks = 0;
  let ownTicks = 0;
  for (const each of familyOf(pid)) {
    const stat = readProc(`${each}/stat`);
    // The name in brackets may contain spaces; numbers follow it.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const used = Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
    ticks += used;
    if (each === pid) ownTicks = used;
    // In kB. statm counts pages: 4 KiB on one machine, 16 or 64 on another.
    const resident = Number(/^VmRSS:\s+(\d+)/m.exec(readProc(`${each}/status`))?.[1] ?? 0);
    total += resident;
    if (each === pid) own = resident;
  }
  const toMb = (kilobytes: number) => (kilobytes * 1024) / 1e6;
  return {
    rssMb: toMb(total),
    ownRssMb: toMb(own),
    cpuSeconds: ticks / TICKS_PER_SECOND,
    engineSeconds: (ticks - ownTicks) / TICKS_PER_SECOND,
  };
}

/**
 * What a process and its descendants hold together, in MB: their sum counts pages of a file once that several have
 * mapped, as the system does. Node's own program is 57 MB of the service and the same 57 of its engine.
 */
export function readTogetherMb(pid: number): number {
  const files = new Map<string, number>();
  let kilobytes = 0;
  for (const each of familyOf(pid)) {
    const own = new Map<string, number>();
    for (const mapping of readProc(`${each}/smaps`).split(/^(?=[0-9a-f]+-[0-9a-f]+ )/m)) {
      const number = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(mapping)?.[1] ?? 0);
      const [, , , device, inode] = mapping.split(/\s+/, 5);
      const anonymous = number("Anonymous");
      kilobytes += anonymous;
      const file = `${device} ${inode}`;
      own.set(file, (own.get(file) ?? 0) + number("Rss") - anonymous);
    }
    for (const [file, size] of own) files.set(file, Math.max(files.get(file) ?? 0, size));
  }
  for (const size of files.values()) kilobytes += size;
  return (kilobytes * 1024) / 1e6;
}

export function watchMemory(pid: number): { stop(): Memory } {
  let serviceMb = 0;
  let engineMb = 0;
  const timer = setInterval(() => {
    const { rssMb, ownRssMb } = readUsage(pid);
    serviceMb = Math.max(serviceMb, ownRssMb);
    engineMb = Math.max(engineMb, rssMb - ownRssMb);
  }, SAMPLE_EVERY_MS);
  return {
    stop() {
      clearInterval(timer);
      return { serviceMb, engineMb };
    },
  };
}

function familyOf(pid: number): number[] {
  const children = readThreads(pid).flatMap((thread) => readProc(`${pid}/task/${thread}/children`).trim().split(" "));
  return [pid, ...children.filter((text) => text !== "").flatMap((text) => familyOf(Number(text)))];
}

function readThreads(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    // It ended meanwhile.
    return [];
  }
}

function readProc(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, "utf8");
  } catch {
    // It ended meanwhile and uses nothing.
    return "";
  }
}
