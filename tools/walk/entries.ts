// What a run has entered: files, functions, and how often it came back.

export interface Walk {
  readonly files: readonly string[];
  readonly functions: number;
  /**
   * The number of times that a file was entered from another one when it had been entered before. The same step, from
   * function to function, counts once.
   */
  readonly returns: number;
  /** The number of times that each file was entered from another one, most often first. */
  readonly entered: readonly (readonly [file: string, times: number])[];
}

/** Returns what the calls of an instrumented run add up to. What a loop repeats is read once, and counted once. */
export function walkOf(entries: readonly (readonly [file: string, name: string])[]): Walk {
  const entered = new Map<string, Set<string>>();
  let last: readonly [file: string, name: string] | undefined;
  for (const [file, name] of entries) {
    if (file !== last?.[0]) entered.set(file, (entered.get(file) ?? new Set()).add(`${last?.[1]} ${name}`));
    last = [file, name];
  }
  const times = [...entered].map(([file, steps]) => [file, steps.size] as const);
  return {
    files: [...entered.keys()].toSorted(),
    functions: new Set(entries.map(([, name]) => name)).size,
    returns: times.reduce((sum, [, each]) => sum + each, 0) - entered.size,
    entered: times.toSorted(([, a], [, b]) => b - a),
  };
}
