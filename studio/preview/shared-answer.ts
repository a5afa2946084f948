// An answer in memory that a worker and the page share. A message waits until the page has drawn the frame of a key; from here, the
// page takes the answer while it prepares that frame.

import type { Answer } from "./question.ts";

/** Two 32-bit words, the number of the question and the bytes of its answer; then the answer as JSON. */
const HEAD = 8;

/** Bytes. Larger answers come as messages. */
const LARGEST = 512 * 1024;

/** Undefined where the page may not share memory: the server must isolate it. */
export function sharedMemory(): SharedArrayBuffer | undefined {
  return globalThis.crossOriginIsolated ? new SharedArrayBuffer(HEAD + LARGEST) : undefined;
}

/** Whether it fits. */
export function shareAnswer(memory: SharedArrayBuffer, number: number, answer: Answer): boolean {
  const bytes = new TextEncoder().encode(JSON.stringify(answer));
  if (bytes.length > memory.byteLength - HEAD) return false;
  new Uint8Array(memory, HEAD).set(bytes);
  const head = new Int32Array(memory, 0, 2);
  head[1] = bytes.length;
  Atomics.store(head, 0, number);
  return true;
}

/** Undefined while the worker has not answered that question. */
export function takeAnswer(memory: SharedArrayBuffer, number: number): Answer | undefined {
  const head = new Int32Array(memory, 0, 2);
  if (Atomics.load(head, 0) !== number) return undefined;
  // A decoder reads no memory that another thread may write.
  const bytes = new Uint8Array(memory, HEAD, head[1]).slice();
  return JSON.parse(new TextDecoder().decode(bytes)) as Answer;
}
