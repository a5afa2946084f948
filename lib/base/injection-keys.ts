// The keys by which pods ask for injection, and those that record one: Istio's, or those of a config with a label of its own. All that
// reads or writes such a key of a pod takes it from here.
import { metadataKeys } from "./metadata-keys.ts";

/** A label of pods, and annotations, that are other ones with a label of the config's own. */
export interface InjectionKeys {
  /** The label that asks for injection or opts out of it. */
  readonly inject: string;
  /** The annotation that names the templates to inject. */
  readonly templates: string;
  /** The annotation that records what was injected. */
  readonly status: string;
  /** The annotation that records what the author set in injected containers. */
  readonly overrides: string;
}

/**
 * Returns Istio's keys, or with a label of its own that label and records which Istio's injector does not take for its own.
 *
 * @param injectionLabel of the config
 * @example
 * ```ts
 * injectionKeys().inject // => "sidecar.istio.io/inject"
 * injectionKeys("logs.example.com/inject").status // => "outrigger/status"
 * ```
 */
export function injectionKeys(injectionLabel?: string): InjectionKeys {
  if (injectionLabel === undefined) return metadataKeys;
  return {
    inject: injectionLabel,
    templates: metadataKeys.ownTemplates,
    status: metadataKeys.ownStatus,
    overrides: metadataKeys.ownOverrides,
  };
}

/**
 * Returns the keys of the record that a pod has, where the config of its release is not known: Outrigger's own, or those that Istio's
 * injector writes too.
 *
 * @param annotations of the pod
 */
export function recordKeys(
  annotations: Readonly<Record<string, unknown>> = {},
): Pick<InjectionKeys, "status" | "overrides"> {
  return injectionKeys(annotations[metadataKeys.ownStatus] === undefined ? undefined : "");
}
