// Lists as kubectl shows them: the columns of pods, Deployments and namespaces, in the words of an API server.
import { type JsonObject, type JsonValue, objectOf, objectsOf } from "@outrigger/base";

type Columns = Readonly<Record<string, (object: JsonObject, now: number) => JsonValue>>;

const AGE: Columns = {
  Age: ({ metadata }, now) => age(now - Date.parse(String(objectOf(metadata)["creationTimestamp"]))),
};
const NAME: Columns = { Name: ({ metadata }) => objectOf(metadata)["name"] ?? "" };

/** Kind → its columns. Every other kind has a name and an age, which kubectl shows by itself. */
const COLUMNS: Readonly<Record<string, Columns>> = {
  Namespace: { ...NAME, Status: ({ status }) => objectOf(status)["phase"] ?? "Active", ...AGE },
  Pod: {
    ...NAME,
    Ready: (pod) => `${statusesOf(pod).filter(({ ready }) => ready === true).length}/${runningNames(pod).length}`,
    Status: statusOf,
    Restarts: (pod) => String(statusesOf(pod).reduce((sum, { restartCount }) => sum + Number(restartCount ?? 0), 0)),
    ...AGE,
  },
  Deployment: {
    ...NAME,
    Ready: ({ spec, status }) =>
      `${String(objectOf(status)["readyReplicas"] ?? 0)}/${String(objectOf(spec)["replicas"] ?? 1)}`,
    "Up-to-date": ({ status }) => String(objectOf(status)["updatedReplicas"] ?? 0),
    Available: ({ status }) => String(objectOf(status)["availableReplicas"] ?? 0),
    ...AGE,
  },
};

/** The table of an object or a list, where it has columns of its own; undefined for any other answer. */
export function tableOf(body: JsonObject, now: number): JsonObject | undefined {
  const items = Array.isArray(body["items"]) ? objectsOf(body["items"]) : [body];
  const kind = String(items[0]?.["kind"]);
  const columns = Object.hasOwn(COLUMNS, kind) ? COLUMNS[kind] : undefined;
  if (columns === undefined) return undefined;
  return {
    kind: "Table",
    apiVersion: "meta.k8s.io/v1",
    metadata: items[0] === body ? {} : objectOf(body["metadata"]),
    columnDefinitions: Object.keys(columns).map((name) => ({
      ...{ name, type: "string", format: name === "Name" ? "name" : "", description: "", priority: 0 },
    })),
    rows: items.map((item) => ({
      cells: Object.values(columns).map((cellOf) => cellOf(item, now)),
      object: { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata: objectOf(item["metadata"]) },
    })),
  };
}

/** The containers that run as long as the pod does: native sidecars among them. */
function runningNames({ spec }: JsonObject): readonly JsonValue[] {
  const { containers, initContainers } = objectOf(spec);
  const sidecars = objectsOf(initContainers).filter(({ restartPolicy }) => restartPolicy === "Always");
  return [...objectsOf(containers), ...sidecars].map(({ name }) => name ?? "");
}

function statusesOf(pod: JsonObject): readonly JsonObject[] {
  const { containerStatuses, initContainerStatuses } = objectOf(pod["status"]);
  const running = runningNames(pod);
  return [...objectsOf(containerStatuses), ...objectsOf(initContainerStatuses)].filter(({ name }) =>
    running.includes(name ?? ""),
  );
}

function statusOf(pod: JsonObject): JsonValue {
  if (objectOf(pod["metadata"])["deletionTimestamp"] !== undefined) return "Terminating";
  const reasons = statusesOf(pod).map(({ state }) => objectOf(objectOf(state)["waiting"])["reason"]);
  return reasons.find((reason) => reason !== undefined) ?? objectOf(pod["status"])["phase"] ?? "Pending";
}

/** As kubectl writes it: two units where the first is small. */
function age(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  const [minutes, hours, days] = [60, 3600, 86_400].map((unit) => Math.floor(seconds / unit)) as [
    number,
    number,
    number,
  ];
  const two = (first: number, unit: string, rest: number, small: string) =>
    `${first}${unit}${rest === 0 ? "" : `${rest}${small}`}`;
  if (seconds < 120) return `${seconds}s`;
  if (minutes < 10) return two(minutes, "m", seconds % 60, "s");
  if (hours < 3) return `${minutes}m`;
  if (hours < 8) return two(hours, "h", minutes % 60, "m");
  if (days < 2) return `${hours}h`;
  return days < 8 ? two(days, "d", hours % 24, "h") : `${days}d`;
}
