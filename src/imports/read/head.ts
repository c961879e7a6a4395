/** The first bytes of a file, which say more than its name. */
import { open } from "node:fs/promises";
import { begins } from "./unpack.ts";

const HEAD_BYTES = 16;
const ZIP = [0x50, 0x4b, 0x03, 0x04];

export async function readHead(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

export function isZip(head: Buffer): boolean {
  return begins(head, ZIP);
}
