// A release that is checked or compared: loaded once, and each pod injected with it once, however many judge what comes out.
import { memoizeObject, type OutriggerError, ownError } from "@outrigger/base";
import { injectPod } from "../../inject-pod.ts";
import type { Injector, InjectRequest, InjectResult } from "../../injection.ts";
import { loadRelease, type Release } from "../load-release.ts";

/** What comes of a pod: a result, or the error with which its injection fails. */
export type Outcome =
  | { readonly result: InjectResult; readonly error?: never }
  | { readonly result?: never; readonly error: OutriggerError };

const loaded = /* @__PURE__ */ memoizeObject((release: Release) => {
  const injector = loadRelease(release);
  return { injector, outcomeOf: memoizeObject((request: InjectRequest) => inject(injector, request)) };
});

/**
 * Returns the injector of a release: the same for each call.
 *
 * @throws OutriggerError `release-unsupported` for a release in a form that this version does not know
 */
export function injectorOf(release: Release): Injector {
  return loaded(release).injector;
}

/**
 * Returns what comes of a pod: the same for each call with this request.
 *
 * @throws OutriggerError `release-unsupported` for a release in a form that this version does not know
 */
export function outcomeOf(release: Release, request: InjectRequest): Outcome {
  return loaded(release).outcomeOf(request);
}

function inject(injector: Injector, request: InjectRequest): Outcome {
  try {
    return { result: injectPod(injector, request) };
  } catch (error) {
    return { error: ownError(error) };
  }
}
