// Every field of the Pod schema, as an injection may write it: set where its author has none, another value, gone. What the table
// does not name waits for a person and is refused.
import { type JsonObject, type JsonValue, jsonEqual, OutriggerError, objectOf } from "@outrigger/base";
import { compileRelease, injectPod, loadRelease, type Release } from "@outrigger/injector";
import { POD_TYPE, type Pod, strategicMerge, type TypeSchema } from "@outrigger/pod";
import { examineTemplates, helpers } from "@outrigger/template";
import { describe, expect, it } from "vitest";
import { branchPowers } from "../branch-powers.ts";
import { injectionPowers } from "../injection-powers.ts";
import { refused } from "../judge-injection.ts";
import { effectOf } from "../levels.ts";
import { parseGuardrails } from "../parse-guardrails.ts";

const BASELINE = parseGuardrails("baseline");

/** A leaf of the schema: its path, and two values for it. */
interface Leaf {
  readonly path: readonly string[];
  readonly make: (value: JsonValue | null) => JsonObject;
  readonly values: readonly [JsonValue, JsonValue];
}

const VALUES: Readonly<Record<string, readonly [JsonValue, JsonValue]>> = {
  boolean: [true, false],
  int32: [7, 8],
  int64: [7, 8],
  intOrString: [7, 8],
  quantity: ["1", "2"],
  opaque: [{ a: 1 }, { a: 2 }],
  time: ["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"],
};

/** Returns each field below a type, in an item of its own for each list. */
function leavesOf(type: TypeSchema, path: readonly string[], make: Leaf["make"]): readonly Leaf[] {
  if (path.length > 12) return [];
  return [...type.fields].flatMap(([name, { type: of, mergeKey }]): readonly Leaf[] => {
    const here = [...path, name];
    const inner: Leaf["make"] = (value) => make({ [name]: value } as JsonObject);
    if (of.kind === "object") return leavesOf(of, here, inner);
    if (of.kind === "map")
      return [{ path: [...here, "*"], make: (value) => inner({ own: value } as JsonObject), values: ["a", "b"] }];
    if (of.kind !== "list") return [{ path: here, make: inner, values: VALUES[of.kind] ?? ["a", "b"] }];
    const { element } = of;
    const withoutKey = ({ path: found }: Leaf) =>
      mergeKey === undefined || found.at(-1) !== mergeKey || name === "imagePullSecrets";
    if (element?.kind !== "object") return [{ path: here, make: inner, values: [["a"], ["b"]] }];
    if (["containers", "initContainers", "ephemeralContainers"].includes(name)) return [];
    const key = mergeKey === "containerPort" ? 1 : "own";
    return leavesOf(element, here, (value) =>
      inner([{ ...(mergeKey && { [mergeKey]: key }), ...(value as object) }]),
    ).filter(withoutKey);
  });
}

const POD = leavesOf(POD_TYPE, [], (value) => value as JsonObject).filter(({ path }) => !path.includes("status"));
const containerType = POD_TYPE.fields.get("spec")?.type.fields.get("containers")?.type.element as TypeSchema;
const inContainer = (name: string, list = "containers") =>
  leavesOf(containerType, ["spec", "containers"], (value) => ({
    spec: { [list]: [{ name, ...(name === "own" && { image: "own" }), ...(value as JsonObject) }] },
  })).filter(({ path }) => path.length > 3 || path[2] !== "name");

const AUTHOR_OF: Readonly<Record<string, JsonObject>> = {
  containers: { metadata: {}, spec: { containers: [{ name: "web", image: "web" }] } },
  initContainers: {
    metadata: {},
    spec: { initContainers: [{ name: "web", image: "web" }], containers: [{ name: "app", image: "app" }] },
  },
};
const AUTHOR = AUTHOR_OF["containers"] as JsonObject;

/** Whether an injection waits for a person and is refused by `baseline`; also where it makes no difference. */
function isHeld(author: JsonObject, injected: JsonObject): boolean {
  if (JSON.stringify(author) === JSON.stringify(injected)) return true;
  const powers = injectionPowers(author, injected);
  return powers.some((power) => effectOf(power) !== undefined && refused(BASELINE, power).length > 0);
}

const isFreeToAdd = (leaf: Leaf) => !leaf.values.some((value) => isHeld(AUTHOR, merged(AUTHOR, leaf, value)));

const merged = (author: JsonObject, leaf: Leaf, value: JsonValue | null) =>
  strategicMerge(author, leaf.make(value)) as JsonObject;
const names = (leaves: readonly Leaf[]) => [...new Set(leaves.map(({ path }) => path.join(".")))].sort();

describe("of the fields of a pod", () => {
  it("are there hundreds", () => expect(POD.length).toBeGreaterThan(300));

  it("an injection may add those of the table alone", () => {
    const free = POD.filter(isFreeToAdd);
    expect(names(free).filter((name) => !name.startsWith("spec.volumes."))).toEqual([
      "metadata.annotations.*",
      "metadata.labels.*",
      "spec.dnsConfig.options.name",
      "spec.dnsConfig.options.value",
      "spec.imagePullSecrets.name",
      "spec.securityContext.appArmorProfile.localhostProfile",
      "spec.securityContext.seLinuxOptions.level",
      "spec.securityContext.seccompProfile.localhostProfile",
      "spec.securityContext.windowsOptions.runAsUserName",
      "spec.terminationGracePeriodSeconds",
    ]);
    const types = new Set(names(free).flatMap((name) => /^spec\.volumes\.(\w+)\./.exec(name)?.[1] ?? []));
    expect([...types].sort()).toEqual(["configMap", "csi", "downwardAPI", "emptyDir", "image", "projected", "secret"]);
  });

  it.each([
    ["changes", 1],
    ["takes away", null],
  ] as const)("none is free where an injection %s what the author wrote", (_what, next) => {
    const free = POD.filter(({ path }) => path[1] !== "imagePullSecrets").filter((leaf) => {
      const own = merged(AUTHOR, leaf, leaf.values[0]);
      return !isHeld(own, merged(own, leaf, next === null ? null : leaf.values[next]));
    });
    expect(names(free)).toEqual([]);
  });
});

describe("of the fields of a container", () => {
  it.each([
    ["adds", undefined, 0],
    ["changes", 0, 1],
    ["takes away", 0, null],
  ] as const)("none of the author's is free where an injection %s it", (_what, first, next) => {
    const free = inContainer("web").filter((leaf) => {
      const own = first === undefined ? AUTHOR : merged(AUTHOR, leaf, leaf.values[first]);
      return !isHeld(own, merged(own, leaf, next === null ? null : leaf.values[next]));
    });
    expect(names(free)).toEqual([]);
  });

  it("the own one has those of the table", () => {
    const free = inContainer("own").filter(isFreeToAdd);
    const closed = names(inContainer("own")).filter((name) => !names(free).includes(name));
    expect(closed).toEqual([
      "spec.containers.lifecycle.postStart.httpGet.host",
      "spec.containers.lifecycle.postStart.tcpSocket.host",
      "spec.containers.lifecycle.preStop.httpGet.host",
      "spec.containers.lifecycle.preStop.tcpSocket.host",
      "spec.containers.livenessProbe.httpGet.host",
      "spec.containers.livenessProbe.tcpSocket.host",
      "spec.containers.ports.hostPort",
      "spec.containers.readinessProbe.httpGet.host",
      "spec.containers.readinessProbe.tcpSocket.host",
      "spec.containers.resources.claims.name",
      "spec.containers.resources.claims.request",
      "spec.containers.resources.limits.*",
      "spec.containers.resources.requests.*",
      "spec.containers.securityContext.appArmorProfile.type",
      "spec.containers.securityContext.capabilities.add",
      "spec.containers.securityContext.privileged",
      "spec.containers.securityContext.procMount",
      "spec.containers.securityContext.seLinuxOptions.role",
      "spec.containers.securityContext.seLinuxOptions.type",
      "spec.containers.securityContext.seLinuxOptions.user",
      "spec.containers.securityContext.seccompProfile.type",
      "spec.containers.securityContext.windowsOptions.gmsaCredentialSpec",
      "spec.containers.securityContext.windowsOptions.gmsaCredentialSpecName",
      "spec.containers.securityContext.windowsOptions.hostProcess",
      "spec.containers.startupProbe.httpGet.host",
      "spec.containers.startupProbe.tcpSocket.host",
      "spec.containers.volumeDevices.name",
      "spec.containers.volumeMounts.mountPropagation",
    ]);
  });
});

/** A field in a template, and a pod that it is tried on. */
interface Try {
  readonly place: string;
  readonly overlay: JsonObject;
  readonly author: JsonObject;
  /** Whether the template alone says what it does, and not a value of the pod's. */
  readonly isClear: boolean;
}

/**
 * All fields by which an injection gets what the table does not allow. Each is added, changed and taken away, in each
 * list.
 */
const TRIES: readonly Try[] = [
  ...POD.map((leaf) => [leaf, AUTHOR, AUTHOR] as const),
  ...["containers", "initContainers"].flatMap((list) => [
    ...inContainer("own", list).map((leaf) => [leaf, AUTHOR, undefined] as const),
    ...inContainer("web", list).map((leaf) => [leaf, AUTHOR_OF[list] as JsonObject, AUTHOR_OF[list]] as const),
  ]),
  ...inContainer("own", "ephemeralContainers").map((leaf) => [leaf, AUTHOR, undefined] as const),
].flatMap(([leaf, author, having]) => {
  const place = leaf.path.join(".");
  const [first, second] = leaf.values;
  const held = leaf.values.filter((value) => {
    const next = merged(author, leaf, value);
    return !jsonEqual(author, next) && isHeld(author, next);
  });
  // A container with an image may be the injection's own, until a pod has one of its name.
  const isNew = place === "spec.containers.image";
  const added = held.map((value) => ({ place, overlay: leaf.make(value), author, isClear: !isNew }));
  if (having === undefined || place === "spec.imagePullSecrets.name") return added;
  const own = merged(having, leaf, first);
  const changed = { place, overlay: leaf.make(second), author: own, isClear: held.includes(second) && !isNew };
  return [...added, changed, { place, overlay: leaf.make(null), author: own, isClear: true }];
});

const TEMPLATES = Object.fromEntries(
  TRIES.map(({ overlay }, index) => {
    // Handlebars takes two braces for a tag.
    const text = JSON.stringify(overlay).replace(/([{}])(?=\1)/g, "$1 ");
    return [`t${index}`, `{{#if (eq (lookup metadata.annotations "evil") "yes")}}\n${text}\n{{/if}}\n`];
  }),
);

describe(`${TRIES.length} fields that templates write and the table does not allow`, () => {
  const templates = { nothing: "{}\n", ...TEMPLATES };
  const { compiled } = examineTemplates({ templates, partials: {} }, helpers);
  const release: Release = { ...compileRelease([{ config: "defaultTemplates: []\n" }]), templates: compiled };
  const injector = loadRelease(release);

  /** Nothing where injecting fails, or the pod has the network of its node. */
  function injected(author: JsonObject, template: string) {
    const { annotations, ...metadata } = objectOf(author["metadata"]);
    const asking = { ...objectOf(annotations), evil: "yes", "inject.istio.io/templates": template };
    const pod = { ...author, metadata: { ...metadata, annotations: asking } } as Pod;
    try {
      const result = injectPod(injector, { pod, namespace: "shop", parameters: {} });
      return result.injected && { was: result.author as JsonObject, is: result.pod as JsonObject };
    } catch (error) {
      if (error instanceof OutriggerError) return undefined;
      throw error;
    }
  }

  it("reach no pod, and no channel where a sample takes their branch", () => {
    let tried = 0;
    const through = TRIES.filter(({ author }, index) => {
      const pods = injected(author, `t${index}`);
      if (!pods) return false;
      tried += 1;
      if (isHeld(pods.was, pods.is)) return false;
      const own = injected(author, "nothing");
      return !own || !jsonEqual(withoutNotes(pods.is), withoutNotes(own.is));
    });
    expect(through).toEqual([]);
    // The rest is no pod that an API server accepts.
    expect(tried).toBeGreaterThan(TRIES.length / 4);
  });

  it("reach no channel behind a branch", () => {
    const tree = Object.fromEntries(Object.entries(TEMPLATES).map(([name, text]) => [`templates/${name}`, text]));
    const held = branchPowers(release, tree, { isAdmitted: (power) => effectOf(power) === undefined });
    const found = new Set(held.map(({ path }) => path));
    expect(TRIES.filter(({ isClear }, index) => isClear && !found.has(`templates/t${index}`))).toEqual([]);
  });
});

/** A pod but for what an injection notes of itself. Empty labels are none: only a pod that nothing is added to gets none. */
function withoutNotes(pod: JsonObject): JsonObject {
  const { annotations, labels, ...rest } = objectOf(pod["metadata"]);
  const metadata = { ...rest, ...(Object.keys(objectOf(labels)).length > 0 && { labels: objectOf(labels) }) };
  const others = Object.entries(objectOf(annotations)).filter(([key]) => !NOTES.includes(key));
  return { ...pod, metadata: { ...metadata, annotations: Object.fromEntries(others) } };
}

const NOTES = ["sidecar.istio.io/status", "proxy.istio.io/overrides", "inject.istio.io/templates"];
