// Which differences of a running pod are the release's. Pure.
//
// What others change in a pod after it was injected, or in the same admission, says nothing about the release. Where the release that
// made a pod is known, two injections are compared; where it is not, these are left out:
//
// | who                                     | what it leaves                                                             |
// |-----------------------------------------|----------------------------------------------------------------------------|
// | ServiceAccount                          | the token's mount, in every container                                      |
// | EKS Pod Identity, IRSA                  | AWS_* variables and the mount of a token, in every container               |
// | LimitRanger                             | resources, which its annotation names by container                         |
// | AlwaysPullImages                        | `imagePullPolicy: Always`, in every container                              |
// | a resize in place                       | resources, and an entry of `managedFields` that names the container        |
// | DefaultTolerationSeconds and the like   | more tolerations                                                           |
// | RuntimeClass                            | `nodeSelector` and `overhead`, of a pod that names a runtime class         |
// | Priority                                | `priority` and `preemptionPolicy`                                          |
import { isObject, type JsonObject, metadataKeys, objectOf } from "@outrigger/base";
import type { PodChange } from "@outrigger/injector";
import { containersOf, metadataOf } from "@outrigger/pod";
import { FIELD_MANAGER } from "@outrigger/webhook";

/** The changes that nobody else can have made. */
export function releaseChanges(running: JsonObject, changes: readonly PodChange[]): readonly PodChange[] {
  const facts = { running, limited: limitedResources(running), resized: resizedContainers(running) };
  return changes.filter((change) => !RULES.some((rule) => rule(change, facts)));
}

interface Facts {
  readonly running: JsonObject;
  /** `app limits cpu` */
  readonly limited: ReadonlySet<string>;
  readonly resized: ReadonlySet<string>;
}

const TOKEN_MOUNT =
  /\.volumeMounts\[\/var\/run\/secrets\/(kubernetes\.io|eks\.amazonaws\.com|pods\.eks\.amazonaws\.com)\//;
const AWS_VARIABLES: ReadonlySet<string> = new Set([
  ...["AWS_ROLE_ARN", "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_STS_REGIONAL_ENDPOINTS", "AWS_REGION", "AWS_DEFAULT_REGION"],
  ...["AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"],
]);
const RESOURCES =
  /^(?:initContainers|containers)\[([^\]]+)\]\.resources\b(?:\.(limits|requests)\b(?:\.?\[?([^\]]+)\]?)?)?$/;

const RULES: readonly ((change: PodChange, facts: Facts) => boolean)[] = [
  ({ field, now }) => now === undefined && TOKEN_MOUNT.test(`${field.replace(/\]$/, "")}/`),
  ({ field, now }) => now === undefined && AWS_VARIABLES.has(/\.env\[([^\]]+)\]$/.exec(field)?.[1] ?? ""),
  ({ field, running }, facts) =>
    running === "Always" &&
    field.endsWith(".imagePullPolicy") &&
    containersOf(facts.running["spec"]).every(({ imagePullPolicy }) => imagePullPolicy === "Always"),
  ({ field }, { resized }) => resized.has(RESOURCES.exec(field)?.[1] ?? ""),
  isLimited,
  ({ field, now }) => now === undefined && /^tolerations\b/.test(field),
  ({ field, now }, { running }) =>
    now === undefined &&
    /^(nodeSelector|overhead)\b/.test(field) &&
    objectOf(running["spec"])["runtimeClassName"] !== undefined,
  ({ field, now }) => now === undefined && /^(priority|preemptionPolicy|ephemeralContainers|nodeName)\b/.test(field),
];

function isLimited({ field, running, now }: PodChange, { limited }: Facts): boolean {
  const [, container = "", kind, resource] = RESOURCES.exec(field) ?? [];
  if (now !== undefined || container === "") return false;
  const inKind = resource === undefined ? running : { [resource]: running };
  const names = Object.entries(objectOf(kind === undefined ? running : { [kind]: inKind })).flatMap(([key, amounts]) =>
    Object.keys(objectOf(amounts)).map((name) => `${key} ${name}`),
  );
  return names.length > 0 && names.every((name) => limited.has(`${container} ${name}`));
}

/** `LimitRanger plugin set: cpu, memory request for container app; cpu limit for init container istio-proxy`. */
function limitedResources(pod: JsonObject): ReadonlySet<string> {
  const text = metadataOf(pod).annotations[metadataKeys.limitRanger] ?? "";
  const parts = text.replace(/^LimitRanger plugin set: /, "").split("; ");
  return new Set(
    parts.flatMap((part) => {
      const [, names = "", kind, container] = /^(.+) (request|limit) for (?:init )?container (\S+)$/.exec(part) ?? [];
      return kind === undefined ? [] : names.split(", ").map((name) => `${container} ${kind}s ${name}`);
    }),
  );
}

/** Containers whose resources others have written through the subresource `resize`. */
function resizedContainers(pod: JsonObject): ReadonlySet<string> {
  const entries = metadataOf(pod).managedFields.filter(
    ({ manager, subresource }) => subresource === "resize" && manager !== FIELD_MANAGER,
  );
  return new Set(entries.flatMap((entry) => [...managedContainers(entry, "f:resources")]));
}

/** Containers of which an entry of `managedFields` has a field: `f:image`. */
export function managedContainers(entry: JsonObject, field: string): ReadonlySet<string> {
  return new Set(managedItems(entry).flatMap(([name, fields]) => (fields[field] === undefined ? [] : [name])));
}

/** The fields that a manager owns of each container; `.` is the container itself. */
export function managedItems(entry: JsonObject): readonly (readonly [container: string, fields: JsonObject])[] {
  const spec = managedPodFields(entry);
  const items = ["f:containers", "f:initContainers"].flatMap((list) => Object.entries(objectOf(spec[list])));
  return items.flatMap(([key, fields]) => {
    const [, name] = /^k:\{"name":"([^"]+)"\}$/.exec(key) ?? [];
    return name !== undefined && isObject(fields) ? [[name, fields] as const] : [];
  });
}

/** The fields of the spec that a manager owns. */
export function managedPodFields({ fieldsV1 }: JsonObject): JsonObject {
  return objectOf(objectOf(fieldsV1)["f:spec"]);
}
