// What a template must not take away from the pod as a whole.

/** Field → what a `null` in its place would delete of the author's pod. */
export const AUTHORS_FIELDS: Readonly<Record<string, "container" | "volume">> = {
  spec: "container",
  "spec.containers": "container",
  "spec.initContainers": "container",
  "spec.ephemeralContainers": "container",
  "spec.volumes": "volume",
};

/** Fields under which a template must not write nothing: a `null` there would delete what the pod's author wrote. */
export const AUTHORS_LISTS: readonly string[] = Object.keys(AUTHORS_FIELDS).filter((field) => field !== "spec");
