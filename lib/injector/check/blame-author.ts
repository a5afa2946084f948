// Finds out whether an injection failed because of what the pod's author wrote. Runs only after a failure: an annotation
// that no template uses may hold anything.

import {
  defined,
  faultOf,
  isDirective,
  isObject,
  isOwnError,
  type JsonObject,
  type JsonValue,
  metadataKeys,
  OutriggerError,
  parseJson,
} from "@outrigger/base";
import type { Pod } from "@outrigger/pod";
import { annotationError } from "../decide/validate-annotations.ts";
import { decodePod } from "../decode-pod.ts";
import { readUserVolumeMounts, readUserVolumes } from "../render/user-volumes.ts";
import { readOverrides } from "../undo/read-overrides.ts";
import { assertExact } from "./assert-accepted.ts";

/** Annotations that hold JSON, and what reads them. */
const readers: Readonly<Record<string, (text: string) => unknown>> = {
  [metadataKeys.userVolume]: readUserVolumes,
  [metadataKeys.userVolumeMount]: readUserVolumeMounts,
  [metadataKeys.datadogEnvironment]: readEnvironment,
};

/**
 * Checks the author's part in a failed injection. Types come last: the pod of an API server has the right ones.
 *
 * @param error of the injection
 * @param render renders the templates for a pod, or throws
 * @throws OutriggerError `annotation-invalid` or `pod-invalid` if the author is at fault
 */
export function blameAuthor(pod: Pod, error: unknown, render: (pod: Pod) => unknown): void {
  // Its message names what is the author's already.
  if (isOwnError(error) && faultOf(error.code) === "author") return;
  const annotations: Readonly<Record<string, string>> = pod.metadata?.annotations ?? {};
  for (const [key, read] of Object.entries(readers)) {
    const text = Object.hasOwn(annotations, key) ? annotations[key] : undefined;
    if (text !== undefined) read(text);
  }
  readOverrides(pod);
  // An API server drops such fields when it decodes the pod.
  if (hasDirective(pod.spec as JsonValue | undefined)) {
    const message = "The pod contains a directive of strategic merge patches, remove it";
    throw new OutriggerError("pod-invalid", message, { path: "spec" });
  }
  decodePod(pod as JsonObject, "encoded");
  assertNamed(pod);
  if (isOwnError(error, "template-render")) assertExact(pod, "the pod");
  if (isOwnError(error) && error.cause instanceof RangeError && isRendered(smallest(pod), render)) {
    throw tooLarge(pod, error.message, render);
  }
}

/**
 * Checks that every container has a name. An API server sends a name, even if it is empty; templates that go through
 * the containers name them.
 */
function assertNamed({ spec = { containers: [] } }: Pod): void {
  for (const list of ["initContainers", "containers"] as const) {
    const nameless = spec[list]?.findIndex(({ name }) => typeof name !== "string") ?? -1;
    if (nameless === -1) continue;
    throw new OutriggerError("pod-invalid", "The container has no name", { path: `spec.${list}[${nameless}]` });
  }
}

/**
 * Returns the error for a pod whose templates exceed a limit. It names the longest annotation if the templates are
 * within the limit without any of them.
 */
function tooLarge(pod: Pod, message: string, render: (pod: Pod) => unknown): OutriggerError {
  const { templates: chosen } = metadataKeys;
  const { [chosen]: templates, ...others } = pod.metadata?.annotations ?? {};
  const [longest] = Object.keys(others).sort((a, b) => (others[b]?.length ?? 0) - (others[a]?.length ?? 0));
  const bare = { ...pod, metadata: { ...pod.metadata, annotations: defined({ [chosen]: templates }) } };
  if (longest === undefined || !isRendered(bare, render)) {
    return new OutriggerError("pod-invalid", `${message} for this pod: make the pod smaller`, { path: "spec" });
  }
  const path = `metadata.annotations[${JSON.stringify(longest)}]`;
  const blamed = (name: string) => `${message} for this pod: make ${name} shorter`;
  const logged = { message: blamed("an annotation"), path: "metadata.annotations[*]" };
  return new OutriggerError("annotation-invalid", blamed(`annotation ${longest}`), { path, logged });
}

function isRendered(pod: Pod, render: (pod: Pod) => unknown): boolean {
  try {
    render(pod);
    return true;
  } catch {
    return false;
  }
}

/** The pod with one container: templates that still exceed a limit exceed it for every pod. */
function smallest({ metadata, spec }: Pod): Pod {
  const { containers: [container] = [] } = spec ?? {};
  const templates = metadata?.annotations?.[metadataKeys.templates];
  return {
    metadata: { name: "app", annotations: defined({ [metadataKeys.templates]: templates }) },
    spec: { containers: [{ name: container?.name ?? "app", image: "app" }] },
  };
}

function readEnvironment(text: string): void {
  const environment = parseJson(text);
  const isValid = isObject(environment) && Object.values(environment).every((value) => typeof value !== "object");
  if (isValid) return;
  const key = metadataKeys.datadogEnvironment;
  throw annotationError(key, `Cannot read annotation ${key}: it must be a JSON object of name to text`);
}

function hasDirective(value: JsonValue | undefined): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([key, child]) => isDirective(key) || hasDirective(child as JsonValue));
}
