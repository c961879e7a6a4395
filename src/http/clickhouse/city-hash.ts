/**
 * CityHash128 in version 1.0.2, the checksum of ClickHouse's compressed blocks. Later versions give other results. By
 * hand, because the packages that have this version need a compiler; with BigInt it takes 4 ms for 64 KiB.
 */
type Pair = readonly [bigint, bigint];

const K0 = 0xc3a5c85c97cb3127n;
const K1 = 0xb492b66fbe98f273n;
const K2 = 0x9ae16a3b2f90404fn;
const K3 = 0xc949d7c7509e6557n;
const MUL = 0x9ddfea08eb382d69n;

const wrap = (value: bigint) => BigInt.asUintN(64, value);
const rotate = (value: bigint, by: bigint) => wrap((value >> by) | (value << (64n - by)));
const mix = (value: bigint) => value ^ (value >> 47n);
const word = (bytes: Buffer, at: number) => bytes.readBigUInt64LE(at);

function hashPair(low: bigint, high: bigint): bigint {
  const a = mix(wrap((low ^ high) * MUL));
  const b = mix(wrap((high ^ a) * MUL));
  return wrap(b * MUL);
}

/** The two halves, the lower one first. */
export function cityHash128(bytes: Buffer): Pair {
  if (bytes.length >= 16) return hashSeeded(bytes.subarray(16), [word(bytes, 0) ^ K3, word(bytes, 8)]);
  if (bytes.length >= 8) {
    const low = word(bytes, 0) ^ wrap(BigInt(bytes.length) * K0);
    return hashSeeded(bytes.subarray(0, 0), [low, word(bytes, bytes.length - 8) ^ K1]);
  }
  return hashSeeded(bytes, [K0, K1]);
}

function hashSeeded(bytes: Buffer, seed: Pair): Pair {
  return bytes.length < 128 ? hashShort(bytes, seed) : hashLong(bytes, seed);
}

function hashShort(bytes: Buffer, seed: Pair): Pair {
  const { length } = bytes;
  let [a, b] = seed;
  let c: bigint;
  let d: bigint;
  if (length <= 16) {
    a = wrap(mix(wrap(a * K1)) * K1);
    c = wrap(b * K1 + hashUpTo16(bytes));
    d = mix(wrap(a + (length >= 8 ? word(bytes, 0) : c)));
  } else {
    c = hashPair(wrap(word(bytes, length - 8) + K1), a);
    d = hashPair(wrap(b + BigInt(length)), wrap(c + word(bytes, length - 16)));
    a = wrap(a + d);
    for (let at = 0; at < length - 16; at += 16) {
      a = wrap((a ^ wrap(mix(wrap(word(bytes, at) * K1)) * K1)) * K1);
      b ^= a;
      c = wrap((c ^ wrap(mix(wrap(word(bytes, at + 8) * K1)) * K1)) * K1);
      d ^= c;
    }
  }
  a = hashPair(a, c);
  b = hashPair(d, b);
  return [a ^ b, hashPair(b, a)];
}

function hashUpTo16(bytes: Buffer): bigint {
  const { length } = bytes;
  const size = BigInt(length);
  if (length > 8) {
    const last = word(bytes, length - 8);
    return hashPair(word(bytes, 0), rotate(wrap(last + size), size)) ^ last;
  }
  if (length >= 4)
    return hashPair(size + (BigInt(bytes.readUInt32LE(0)) << 3n), BigInt(bytes.readUInt32LE(length - 4)));
  if (length === 0) return K2;
  const y = BigInt((bytes[0] ?? 0) + (bytes[length >> 1] ?? 0) * 256);
  const z = BigInt(length + (bytes[length - 1] ?? 0) * 4);
  return wrap(mix(wrap(y * K2) ^ wrap(z * K3)) * K2);
}

function hashLong(bytes: Buffer, [first, second]: Pair): Pair {
  const { length } = bytes;
  let [x, y, z] = [first, second, wrap(BigInt(length) * K1)];
  let v0 = wrap(rotate(y ^ K1, 49n) * K1 + word(bytes, 0));
  let v1 = wrap(rotate(v0, 42n) * K1 + word(bytes, 8));
  let w0 = wrap(rotate(wrap(y + z), 35n) * K1 + x);
  let w1 = wrap(rotate(wrap(x + word(bytes, 88)), 53n) * K1);
  let at = 0;
  for (; length - at >= 128 || at % 128 !== 0; at += 64) {
    x = wrap(rotate(wrap(x + y + v0 + word(bytes, at + 16)), 37n) * K1) ^ w1;
    y = wrap(rotate(wrap(y + v1 + word(bytes, at + 48)), 42n) * K1) ^ v0;
    z = rotate(z ^ w0, 33n);
    const sum = wrap(x + w0);
    [v0, v1] = hash32(bytes, at, wrap(v1 * K1), sum);
    [w0, w1] = hash32(bytes, at + 32, wrap(z + w1), y);
    [x, z] = [z, x];
  }
  y = wrap(y + rotate(w0, 37n) * K0 + z);
  x = wrap(x + rotate(wrap(v0 + z), 49n) * K0);
  // The rest in steps of 32 bytes from the end, which may reach into what is already hashed.
  for (let done = 0; done < length - at; ) {
    done += 32;
    y = wrap(rotate(wrap(y - x), 42n) * K0 + v1);
    w0 = wrap(w0 + word(bytes, length - done + 16));
    x = wrap(rotate(x, 49n) * K0 + w0);
    w0 = wrap(w0 + v0);
    [v0, v1] = hash32(bytes, length - done, v0, v1);
  }
  x = hashPair(x, v0);
  y = hashPair(y, w0);
  return [wrap(hashPair(wrap(x + v1), w1) + y), hashPair(wrap(x + w1), wrap(y + v1))];
}

/** Mixes 32 bytes into two words. */
function hash32(bytes: Buffer, at: number, seedA: bigint, seedB: bigint): Pair {
  const [w, x, y, z] = [word(bytes, at), word(bytes, at + 8), word(bytes, at + 16), word(bytes, at + 24)];
  let a = wrap(seedA + w);
  const b = rotate(wrap(seedB + a + z), 21n);
  const c = a;
  a = wrap(a + x + y);
  return [wrap(a + z), wrap(b + rotate(a, 44n) + c)];
}
