// The one loop for reads that lag behind writes: it reads until what is read is as it should be, or the time is over.

/** How long and how often to read. */
export interface Patience {
  /** Waits for milliseconds. */
  readonly sleep: (milliseconds: number) => Promise<unknown>;
  /** Milliseconds between two reads. */
  readonly pause: number;
  /** Reads at most. */
  readonly tries: number;
}

/**
 * What is read last: the first that is good, or whatever the last try gave.
 */
export async function readUntil<Read>(
  read: () => Promise<Read>,
  isGood: (value: Read) => boolean,
  { sleep, pause, tries }: Patience,
): Promise<Read> {
  for (let left = tries - 1; ; left--) {
    const value = await read();
    if (left <= 0 || isGood(value)) return value;
    await sleep(pause);
  }
}
