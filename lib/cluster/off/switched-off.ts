// What the emergency switch is asked, and what it answers: types alone.
import type { OutriggerError } from "@outrigger/base";

export interface SwitchOffOptions {
  /** Remove the objects instead. */
  readonly remove: boolean;
  /** The time, as ISO 8601. */
  readonly at: string;
  /** Revisions and tags to try by name where the cluster does not allow listing. The default revision always is. */
  readonly revisions?: readonly string[];
  readonly tags?: readonly string[];
}

export interface SwitchedOff {
  /** What no longer waits or rejects, in sentences. */
  readonly done: readonly string[];
  /** What may still do so. */
  readonly left: readonly NotSwitchedOff[];
}

export interface NotSwitchedOff {
  readonly what: string;
  readonly problem: string;
  /** Left out where it is kept on purpose. */
  readonly cause?: OutriggerError;
  /** The command that finishes it. */
  readonly kubectl: string;
}
