import { open } from "node:fs/promises";

/** Makes names that were created, renamed or removed in the directory durable. */
export async function syncDir(dir: string): Promise<void> {
  // Windows has no directory handles, and writes directory entries through.
  if (process.platform === "win32") return;
  const handle = await open(dir);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
