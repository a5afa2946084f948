// What failed, in the reader's language; then the tool's own words, marked as English.

import { type Failure, failureWords } from "../model/failure.ts";
import { say } from "../text/say.ts";

export interface FailureTextProps {
  /** Says what could not be done. */
  readonly word: "failed" | "move.unknown" | "rollout.unknown" | "running.unknown";
  readonly failure: Failure;
}

export function FailureText({ word, failure }: FailureTextProps) {
  const { message, original } = failureWords(failure);
  return (
    <>
      {say(word, { message })} {original !== undefined && <span lang="en">{original}</span>}
    </>
  );
}
