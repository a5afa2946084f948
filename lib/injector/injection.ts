// One pod in the pipeline: what its stages share, and what they know of it once its templates are rendered.

import type { JsonObject } from "@outrigger/base";
import type { ProxyConfig } from "@outrigger/mesh";
import type { Pod } from "@outrigger/pod";
import type { InjectRequest } from "./inject-request.ts";
import type { Injector } from "./injector.ts";
import type { EarlierInjection } from "./undo/earlier-injection.ts";

/** One pod in the pipeline: the state that its stages share. */
export interface Injection {
  readonly injector: Injector;
  readonly request: InjectRequest;
  /** The pod as its author wrote it, which the overlays are merged into: without an earlier injection. */
  readonly pod: Pod;
  /** What an earlier injection added to the pod, by its own record. */
  readonly earlier: EarlierInjection;
  readonly proxyConfig: ProxyConfig;
  /** Environment variables of the proxy that come from the caller, the values or the pod's labels. */
  readonly environment: Readonly<Record<string, string>>;
  readonly revision: string;
  readonly nativeSidecars: boolean;
}

/** A pod whose templates are rendered: what the steps of the injection work with. */
export interface RenderedInjection extends Injection {
  /** One for each template, in order. */
  readonly overlays: readonly Overlay[];
  /** All overlays merged with each other: what is injected, without anything of the pod. */
  readonly overlay: Pod;
}

/** The overlay of one template. */
export interface Overlay {
  /** What is merged into the pod. */
  readonly part: JsonObject;
  /** The overlays of the templates so far, this one included, merged with each other. */
  readonly combined: Pod;
  /** The template, if it names the proxy among the containers although the proxy is a native sidecar. */
  readonly misplaced: string | undefined;
}

/** Steps never edit a pod in place: where there is nothing to do, they return the pod that they were given. */
export interface InjectionStep {
  readonly apply: (pod: Pod, injection: RenderedInjection) => Pod;
  /** Reverts `apply` in a pod that was injected earlier. A step without it is reverted by undoing another one. */
  readonly undo?: (pod: Pod, earlier: EarlierInjection) => Pod;
}
