// SHA-256 in plain JavaScript: templates render in a browser too, synchronously.

import { once } from "@outrigger/base";

// Few templates take a digest, and every cold start would make these.
const constants = once(() => primes(64).map((prime) => fraction(Math.cbrt(prime))));
const initial = once(() => primes(8).map((prime) => fraction(Math.sqrt(prime))));

/**
 * Returns the digest of the UTF-8 text, in hexadecimal.
 *
 * @example
 * ```ts
 * sha256Hex("abc").slice(0, 16) // => "ba7816bf8f01cfea"
 * ```
 */
export function sha256Hex(text: string): string {
  const bytes = new TextEncoder().encode(text);
  const blocks = new Uint8Array(((bytes.length + 72) >> 6) * 64);
  blocks.set(bytes);
  blocks[bytes.length] = 0x80;
  const view = new DataView(blocks.buffer);
  view.setUint32(blocks.length - 8, Math.floor(bytes.length / 0x20000000));
  view.setUint32(blocks.length - 4, (bytes.length << 3) >>> 0);
  let state: readonly number[] = initial();
  for (let offset = 0; offset < blocks.length; offset += 64) state = compress(state, view, offset);
  return state.map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}

function compress(state: readonly number[], view: DataView, offset: number): readonly number[] {
  const words = new Int32Array(64);
  const added = constants();
  for (let index = 0; index < 64; index++) {
    if (index < 16) words[index] = view.getInt32(offset + 4 * index);
    else {
      const [a, b] = [words[index - 15] as number, words[index - 2] as number];
      const low = rotate(a, 7) ^ rotate(a, 18) ^ (a >>> 3);
      const high = rotate(b, 17) ^ rotate(b, 19) ^ (b >>> 10);
      words[index] = (words[index - 16] as number) + low + (words[index - 7] as number) + high;
    }
  }
  let [a, b, c, d, e, f, g, h] = state as [number, number, number, number, number, number, number, number];
  for (let index = 0; index < 64; index++) {
    const sum = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const first = (h + sum + ((e & f) ^ (~e & g)) + (added[index] as number) + (words[index] as number)) | 0;
    const second = ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
  }
  return [a, b, c, d, e, f, g, h].map((word, index) => (word + (state[index] as number)) | 0);
}

function rotate(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

function primes(count: number): readonly number[] {
  const found: number[] = [];
  for (let candidate = 2; found.length < count; candidate++) {
    if (found.every((prime) => candidate % prime !== 0)) found.push(candidate);
  }
  return found;
}

/** Returns the first 32 bits of the fractional part. */
function fraction(value: number): number {
  return Math.floor((value - Math.floor(value)) * 0x100000000) | 0;
}
