// The pods that branches of templates are judged on: a fault that is on each of them is the template's.
import { entryOf, type JsonObject, type JsonValue, objectOf, objectsOf, textOf } from "@outrigger/base";
import { admittedForm, containersOf, type Pod, type Volume } from "@outrigger/pod";
import type { Filling } from "./fill-unknown.ts";

/** The names that templates and samples have: an overlay may refer to them. */
export interface KnownNames {
  /** Of containers that have an image. */
  readonly containers: readonly string[];
  readonly volumes: readonly string[];
  /** The volumes of samples, by name: an overlay may change one. */
  readonly authored: Readonly<Record<string, JsonObject>>;
}

/** Returns the names of the volumes of overlays and samples, and of the containers that have an image. */
export function namesIn(overlays: readonly JsonObject[], samples: readonly JsonObject[]): KnownNames {
  const pods = [...overlays, ...samples];
  const containers = pods.flatMap(({ spec }) => containersOf(spec).filter(({ image }) => image !== undefined));
  const volumesOf = ({ spec }: JsonObject) => objectsOf(objectOf(spec)["volumes"]);
  const authored = samples.flatMap(volumesOf).map((volume) => [textOf(volume["name"]) ?? "", volume] as const);
  return {
    containers: [...namesOf(containers)].sort(),
    volumes: [...namesOf(pods.flatMap(volumesOf))].sort(),
    authored: Object.fromEntries(authored),
  };
}

function namesOf(items: readonly JsonObject[]): ReadonlySet<string> {
  return new Set(items.flatMap(({ name }) => textOf(name) ?? []));
}

/** Returns a pod as an API server sends it, with the containers and volumes that the overlay only refers to, as far as they are known. */
export function typicalAuthor(overlay: JsonObject, { container, text, isLeast }: Filling, known: KnownNames): Pod {
  const spec = objectOf(overlay["spec"]);
  const own = [container, `${container}-init`];
  const referred = (list: JsonValue | undefined) =>
    [...namesOf(objectsOf(list).filter(({ image }) => image === undefined))]
      .filter((name) => !own.includes(name) && known.containers.includes(name))
      .map((name) => ({ name, image: "author" }));
  const written = namesOf(objectsOf(spec["volumes"]));
  const mounted = namesOf(containersOf(spec).flatMap((each) => objectsOf(each["volumeMounts"])));
  const volumes = [...mounted].filter((name) => !written.has(name) && known.volumes.includes(name));
  const changed = [...written].flatMap((name) => entryOf(known.authored, name) ?? []);
  const pod: Pod = {
    metadata: { name: text },
    spec: {
      // Such a pod has no volume of a token, which a branch may take away.
      ...(isLeast && { automountServiceAccountToken: false }),
      ...(container === WINDOWS && { os: { name: "windows" } }),
      initContainers: [{ name: `${container}-init`, image: "author" }, ...referred(spec["initContainers"])],
      containers: [{ name: container, image: "author" }, ...referred(spec["containers"])],
      volumes: [...(changed as unknown as readonly Volume[]), ...volumes.map((name) => ({ name, emptyDir: {} }))],
    },
  };
  return admittedForm(pod, { namespace: "default" });
}

/** One of the pods is of another operating system, which forbids other fields. */
const WINDOWS = "other";
