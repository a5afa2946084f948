// What a helper is to the evaluator. The helpers themselves are in helpers/.

/** A pure function of its arguments: no state, no clock, nothing edited. Throws OutriggerError `template-render`. */
export type Helper = (args: readonly unknown[], hash: Readonly<Record<string, unknown>>) => unknown;

export type HelperTable = Readonly<Record<string, Helper>>;
