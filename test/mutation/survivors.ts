// Mutants that no near test kills, each with the reason why that is accepted. An entry whose mutant no longer exists, or
// is killed, is reported by `npm run mutation`: remove it.

export interface Survivor {
  readonly file: string;
  /** As `npm run mutation` prints them. */
  readonly before: string;
  readonly after: string;
  readonly reason: string;
}

export const survivors: readonly Survivor[] = [];
