// What a check of `outrigger check` is declared with. Its id is the key of its entry, and its section the table that has the entry.
import type { Facts } from "./collect-facts.ts";
import type { Verdict } from "./finding.ts";

export interface Check {
  /** Whether it is made before a cluster is registered too, by `outrigger check --section prerequisites`. */
  readonly isEarly: boolean;
  /** Markdown for docs/check.md: what the check looks at, what each of its levels means, and what to do then. */
  readonly doc: string;
  /** Judges the facts; undefined where what it judges was not asked for. */
  readonly judge: (facts: Facts) => Verdict | undefined;
}

/** The checks of one section, by id. The id is also the anchor in docs/check.md. */
export type Checks = Readonly<Record<string, Check>>;
