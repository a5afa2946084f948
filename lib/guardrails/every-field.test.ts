// Every field of the Pod schema, as an injection may write it: set where its author has none, another value, gone. What the table
// does not name waits for a person and is refused.
import type { JsonObject, JsonValue } from "@outrigger/base";
import { POD_TYPE, strategicMerge, type TypeSchema } from "@outrigger/pod";
import { describe, expect, it } from "vitest";
import { injectionPowers } from "./injection-powers.ts";
import { refused } from "./judge-injection.ts";
import { effectOf } from "./levels.ts";
import { parseGuardrails } from "./parse-guardrails.ts";

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

/** Each field below a type, in an item of its own for each list. */
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
const inContainer = (name: string) =>
  leavesOf(containerType, ["spec", "containers"], (value) => ({
    spec: { containers: [{ name, ...(value as JsonObject) }] },
  })).filter(({ path }) => path.length > 3 || path[2] !== "name");

const AUTHOR: JsonObject = { metadata: {}, spec: { containers: [{ name: "web", image: "web" }] } };

/** Whether an injection waits for a person and is refused by `baseline`; also where it makes no difference. */
function isHeld(author: JsonObject, injected: JsonObject): boolean {
  if (JSON.stringify(author) === JSON.stringify(injected)) return true;
  const powers = injectionPowers(author, injected);
  return powers.some((power) => effectOf(power) !== undefined && refused(BASELINE, power).length > 0);
}

const merged = (author: JsonObject, leaf: Leaf, value: JsonValue | null) =>
  strategicMerge(author, leaf.make(value)) as JsonObject;
const names = (leaves: readonly Leaf[]) => [...new Set(leaves.map(({ path }) => path.join(".")))].sort();

describe("of the fields of a pod", () => {
  it("are there hundreds", () => expect(POD.length).toBeGreaterThan(300));

  it("an injection may add those of the table alone", () => {
    const free = POD.filter((leaf) => !leaf.values.some((value) => isHeld(AUTHOR, merged(AUTHOR, leaf, value))));
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
    const free = inContainer("own").filter(
      (leaf) => !leaf.values.some((value) => isHeld(AUTHOR, merged(AUTHOR, leaf, value))),
    );
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
