// What a request comes to on the state that it meets. Nothing of it is made yet.
import type { Release, SourceTree } from "@outrigger/injector";
import type { PublisherDependencies } from "../dependencies.ts";
import type { LoggedChange } from "../records/log-entry.ts";
import type { State } from "../records/read-state.ts";
import type { ReleaseOrigin } from "../release/release-object.ts";
import type { PublisherRequest } from "../request/parse-request.ts";
import type { Done } from "../request/publisher-result.ts";

/**
 * Decides about a request. It throws what the request is refused for, and writes nothing; it is asked again, on the new state, where
 * another publisher came first.
 */
export type Decide<Request extends PublisherRequest> = (
  request: Request,
  state: State,
  dependencies: PublisherDependencies,
) => Decision | Promise<Decision>;

/** The decision about a request, given the state. */
export interface Decision
  extends Pick<Done, "message">,
    Partial<Pick<Done, "channel" | "release" | "serving" | "warnings" | "effects" | "held">> {
  /** The record that becomes another; absent where only what was left half done is finished. */
  readonly change?: LoggedChange | undefined;
  /** The release to keep. Without a change, it is the one from before, made of another tree, as its origin says. */
  readonly newRelease?: NewRelease | undefined;
}

/** A release that may not be in the store yet. */
export interface NewRelease {
  readonly digest: string;
  readonly release: Release;
  readonly origin: ReleaseOrigin;
  /** The tree that people may shorten or take parts out of, if it does not fit. */
  readonly tree?: SourceTree;
}
