// What a helper is to the evaluator. The helpers themselves are in helpers/.

/** A pure function of its arguments: no state, no clock, nothing edited. Throws OutriggerError `template-render`. */
export interface Helper {
  (args: readonly unknown[], hash: Readonly<Record<string, unknown>>): unknown;
  /**
   * The same as a function of the first argument alone, for calls whose other arguments are known when templates are
   * loaded. Only worth having for what templates call dozens of times.
   */
  readonly ofFirst?: (others: readonly unknown[]) => (first: unknown) => unknown;
}

/** Helpers by the name that templates call them by. */
export type HelperTable = Readonly<Record<string, Helper>>;
