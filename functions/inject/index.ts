// The entry of the inject function: the release bundled with it, behind the handler.
import { digest as bundledDigest, release as bundledRelease } from "outrigger:bundled-release";
import type { AdmitDependencies } from "../../lib/admission/admit.ts";
import { injectPod } from "../../lib/inject/inject-pod.ts";
import type { InjectRequest } from "../../lib/inject/injector.ts";
import type { AdmissionLogOptions } from "../../lib/observe/log.ts";
import { loadRelease } from "../../lib/release/load-release.ts";
import type { Release } from "../../lib/release/release.ts";
import { releaseDigest } from "../../lib/store/release-digest.ts";
import { type Handler, handlerOf } from "./handler.ts";

export interface HandlerOptions extends Pick<AdmitDependencies, "callers"> {
  readonly release: Release;
  /** The release's digest, where it is known already. */
  readonly digest?: string;
  /** Takes the log, a line a request. Left out, standard output. */
  readonly write?: (line: string) => void;
  /** Left out, log lines carry no metrics. */
  readonly metrics?: AdmissionLogOptions["metrics"];
}

/** A handler that serves one release. The release is loaded here, before any request. */
export function createHandler({ release, digest, write = writeOut, metrics, ...callers }: HandlerOptions): Handler {
  const injector = loadRelease(release);
  const inject = (request: InjectRequest) => injectPod(injector, request);
  const name = digest ?? releaseDigest(release);
  return handlerOf({ inject, release: name, now: () => performance.now(), ...callers }, write, metrics);
}

function writeOut(line: string): void {
  process.stdout.write(line);
}

/** Serves the release that was bundled with the function. */
export const handler = createHandler({ release: bundledRelease, digest: bundledDigest });
