// What a request comes to: which record changes, and what the answer says. Each action decides this and writes nothing.
import type { Release, SourceTree } from "@outrigger/injector";
import type { Effect } from "../effect/effects.ts";
import type { LoggedChange } from "../records/change-log.ts";
import type { ReleaseOrigin } from "../release/release-parameters.ts";

/** A release that may not be in the store yet. */
export interface NewRelease {
  readonly digest: string;
  readonly release: Release;
  readonly origin: ReleaseOrigin;
  /** What people may shorten or take out, where it does not fit. */
  readonly tree?: SourceTree;
}

/** What a request comes to, given the state. */
export interface Decision {
  /** The record that becomes another; absent where only what was left half done is finished. */
  readonly change?: LoggedChange | undefined;
  /** To be kept. Without a change, it is the release of before, made of another tree: its origin says so. */
  readonly newRelease?: NewRelease | undefined;
  readonly message: string;
  readonly channel?: string;
  readonly release?: string;
  readonly warnings?: readonly string[];
  /** An edit that waits for a person: what of it. */
  readonly held?: readonly Effect[];
}
