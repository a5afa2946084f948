// The contract between the command line, the registration and the one writer of everything that is derived: parts of what it is asked
// (parse-request.ts has the whole), and what it answers. Plain JSON.
import { defined, type ErrorCode, ownError } from "@outrigger/base";
import type { Effect, JudgedEffect } from "../effect/effects.ts";

/** The person or program that asks, and the reason. Both are kept with the result. */
export interface Cause {
  /** `arn:aws:iam::…:user/…`, or the name that a laptop or a pipeline gives itself. */
  readonly by: string;
  /** Free text; empty where nothing was said. */
  readonly why: string;
}

export interface DatedCause extends Cause {
  /** ISO 8601, UTC. */
  readonly at: string;
}

/** OutriggerError as data, without its cause. */
export interface PublisherError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly path?: string;
  readonly line?: number;
  readonly column?: number;
}

/** The answer of the publisher: the result, or why nothing was changed. It is JSON. */
export type PublisherResult = Done | Refused;

/** The result of what was done, or is so already. */
export interface Done {
  readonly ok: true;
  /** A sentence that says the outcome: `stable now serves 1f2e… (was 77aa…)`. */
  readonly message: string;
  /** Digest of the release that it is about, where it is about one. */
  readonly release?: string;
  readonly channel?: string;
  /**
   * The release that the channel serves, for a dry run of a publication, as a request's own `serving` names it. It is
   * null for a new channel.
   */
  readonly serving?: string | null;
  /** The change that wrote the channel's record; left out where a person did. */
  readonly change?: number;
  /** The sequence number of the snapshot that is served now. */
  readonly seq: number;
  /** False where everything was so already. */
  readonly changed: boolean;
  readonly warnings: readonly string[];
  /** What would change for pods, the gravest first: of a dry run alone. */
  readonly effects?: readonly JudgedEffect[];
  /** An edit that waits for a person: what it would do to pods. */
  readonly held?: readonly Effect[];
  /** Records and releases that cannot be read: what was served of them continues being served. */
  readonly problems?: readonly PublisherError[];
}

/** The answer to a request that changed nothing because of an error. */
export interface Refused {
  readonly ok: false;
  readonly error: PublisherError;
}

/** Makes the answer for a request where nothing was to do. */
export function nothingDone(message: string): Done {
  return { ok: true, message, seq: 0, changed: false, warnings: [] };
}

/**
 * An error as an answer.
 *
 * @throws what is no OutriggerError, as it is
 */
export function refusalOf(error: unknown): Refused {
  return { ok: false, error: errorOf(error) };
}

/** @throws what is no OutriggerError, as it is */
export function errorOf(error: unknown): PublisherError {
  const { code, message, path, line, column } = ownError(error);
  return { code, message, ...defined({ path, line, column }) };
}
