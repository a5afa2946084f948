// What a look at a rollout, or at a ring, has come to.
import type { PublisherResult } from "../request/publisher-result.ts";
import type { RolloutVerdict } from "./verdict.ts";

/** The step of a rollout or of a ring, if one is due: without a result where it waits. */
export interface Step {
  readonly channel: string;
  readonly verdict: RolloutVerdict;
  readonly result?: PublisherResult;
}
