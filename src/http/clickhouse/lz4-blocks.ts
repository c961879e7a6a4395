/**
 * ClickHouse's own framing of compressed answers, which its JDBC driver asks for by default: `compress=1`. Each block is
 * a checksum, the method, two sizes and the data.
 */
import { cityHash128 } from "./city-hash.ts";

const LZ4 = 0x82;
const CHECKSUM_BYTES = 16;
const HEAD_BYTES = 9;

/**
 * A block of LZ4 that consists of literals alone: nothing is saved, and every reader of LZ4 understands it. Node has no
 * LZ4, and clients that want less traffic ask for gzip.
 */
export function toLz4Block(data: Buffer): Buffer {
  const literals = Buffer.concat([literalHead(data.length), data]);
  const block = Buffer.allocUnsafe(CHECKSUM_BYTES + HEAD_BYTES + literals.length);
  block.writeUInt8(LZ4, CHECKSUM_BYTES);
  block.writeUInt32LE(HEAD_BYTES + literals.length, CHECKSUM_BYTES + 1);
  block.writeUInt32LE(data.length, CHECKSUM_BYTES + 5);
  literals.copy(block, CHECKSUM_BYTES + HEAD_BYTES);
  const [low, high] = cityHash128(block.subarray(CHECKSUM_BYTES));
  block.writeBigUInt64LE(low, 0);
  block.writeBigUInt64LE(high, 8);
  return block;
}

/** The token with the number of literals, which continues in bytes of up to 255. */
function literalHead(length: number): Buffer {
  if (length < 15) return Buffer.of(length << 4);
  const rest = length - 15;
  return Buffer.concat([Buffer.of(0xf0), Buffer.alloc(Math.floor(rest / 255), 255), Buffer.of(rest % 255)]);
}
