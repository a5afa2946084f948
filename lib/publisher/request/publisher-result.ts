// What the publish function answers: the contract between the command line, the registration and the one writer of everything that
// is derived. Plain JSON, as what it is asked (parse-request.ts).
import { defined, type ErrorCode, ownError } from "@outrigger/base";
import type { Effect } from "../effect/effects.ts";

/** What is wrong, as data: OutriggerError without its cause. */
export interface PublisherError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly path?: string;
  readonly line?: number;
  readonly column?: number;
}

/** What the publisher answers: the result, or why nothing was changed. JSON. */
export type PublisherResult =
  | {
      readonly ok: true;
      /** What it comes to, in a sentence: `stable now serves 1f2e… (was 77aa…)`. */
      readonly message: string;
      /** Digest of the release that it is about, where it is about one. */
      readonly release?: string;
      readonly channel?: string;
      /** Of a publication that is a dry run: what the channel serves, as a request's own `serving` names it. */
      readonly serving?: string | null;
      /** The change that wrote the channel's record; left out where a person did. */
      readonly change?: number;
      /** Of the snapshot that is served now. */
      readonly seq: number;
      /** False where everything was so already. */
      readonly changed: boolean;
      readonly warnings: readonly string[];
      /** An edit that waits for a person: what it would do to pods. */
      readonly held?: readonly Effect[];
      /** Records and releases that cannot be read: what was served of them continues being served. */
      readonly problems?: readonly PublisherError[];
    }
  | { readonly ok: false; readonly error: PublisherError };

/**
 * What an error says, without what caused it.
 *
 * @throws what is no OutriggerError, as it is
 */
export function errorOf(error: unknown): PublisherError {
  const { code, message, path, line, column } = ownError(error);
  return { code, message, ...defined({ path, line, column }) };
}
