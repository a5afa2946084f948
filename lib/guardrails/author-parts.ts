// What of a pod is its author's own doing, and what only looks like it. Pure.
import { isObject, type JsonObject, type JsonValue, jsonEqual, objectOf, objectsOf, textOf } from "@outrigger/base";
import { readStatus } from "@outrigger/injector";
import type { Pod } from "@outrigger/pod";
import type { Power } from "./powers.ts";

/** What an author asks for in annotations of Istio's that could be written into the pod as well. */
export interface AuthorChoices {
  /** The proxy's image. */
  readonly image: string | undefined;
  readonly volumes: ReadonlySet<string>;
}

/** Where such annotations are bounded as templates are. */
export const NO_CHOICES: AuthorChoices = { image: undefined, volumes: new Set() };

/** The choices of a pod's author. */
export function chosenByAuthor({ metadata }: JsonObject): AuthorChoices {
  const annotations = objectOf(objectOf(metadata)["annotations"]);
  return {
    image: textOf(annotations["sidecar.istio.io/proxyImage"]),
    volumes: new Set(
      ["userVolume", "userVolumeMount"].flatMap((key) => userVolumes(annotations[`sidecar.istio.io/${key}`])),
    ),
  };
}

function userVolumes(value: JsonValue | undefined): readonly string[] {
  if (typeof value !== "string") return [];
  try {
    const volumes: JsonValue = JSON.parse(value);
    return Array.isArray(volumes)
      ? objectsOf(volumes).map(({ name }) => textOf(name) ?? "")
      : Object.keys(objectOf(volumes));
  } catch {
    return [];
  }
}

/** What an earlier injection has added is not its author's: the next one takes it away, or puts its own in place. */
export function injectedEarlier(pod: JsonObject): ReadonlySet<string> {
  const status = readStatus(pod as Pod);
  if (status === undefined) return NO_NAMES;
  return new Set([...status.initContainers, ...status.containers, ...status.volumes]);
}

const NO_NAMES: ReadonlySet<string> = new Set();

/** Paths of the node that a container sees, of volumes that its pod's author has. */
export function hostMounts({ volumeMounts }: JsonObject, { volumes }: JsonObject): readonly Power[] {
  if (!Array.isArray(volumes) || !volumes.some(hasHostPath)) return NO_POWERS;
  const paths = new Map(
    objectsOf(volumes).map(({ name, hostPath }) => [textOf(name) ?? "", objectOf(hostPath)["path"]] as const),
  );
  return objectsOf(volumeMounts).flatMap(({ name }, index) => {
    const value = paths.get(textOf(name) ?? "");
    return value === undefined ? [] : [{ kind: "hostPath", value: textOf(value) ?? "", at: ["volumeMounts", index] }];
  });
}

const NO_POWERS: readonly Power[] = [];

function hasHostPath(volume: JsonValue): boolean {
  return isObject(volume) && volume["hostPath"] !== undefined;
}

/** Whether a container that is its author's would run something else, with all that its author lets it do. */
export function isProgramReplaced(name: string, own: JsonObject, container: JsonObject): boolean {
  if (ISTIO_CONTAINERS.includes(name) || own["image"] === undefined || own["image"] === "auto") return false;
  const isSame = (field: string) =>
    own[field] === container[field] || jsonEqual(own[field] ?? [], container[field] ?? []);
  if (!PROGRAM.every(isSame)) return true;
  return HOOKS.some(
    (field) => own[field] !== container[field] && !jsonEqual(execOf(own[field]), execOf(container[field])),
  );
}

/** An author who writes one of these changes what is injected, and leaves the rest to the injection. */
const ISTIO_CONTAINERS: readonly string[] = ["istio-proxy", "istio-init", "istio-validation", "enable-core-dump"];

const PROGRAM = ["image", "command", "args"] as const;
const HOOKS = ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] as const;

/** The commands of a probe, or of hooks. */
function execOf(value: JsonValue | undefined): JsonValue {
  const { exec, postStart, preStop } = objectOf(value);
  return [exec ?? null, objectOf(postStart)["exec"] ?? null, objectOf(preStop)["exec"] ?? null];
}
