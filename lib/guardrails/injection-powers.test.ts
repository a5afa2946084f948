import type { JsonObject, JsonValue } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import { injectionPowers } from "./injection-powers.ts";

const app = { name: "app", image: "registry.example/app:1" };

describe("injectionPowers()", () => {
  it.each([
    ["preStop", "/app-lifecycle/app/prestopz", 0],
    ["postStart", "/app-lifecycle/app/poststartz", 0],
    ["preStop", "/app-lifecycle/other/prestopz", 1],
    ["other", "/app-lifecycle/app/prestopz", 1],
  ])("takes a hook of the author's, %s, only as asked of the agent for its container: %s", (hook, path, count) => {
    const withHook = (handler: object) =>
      ({ metadata: {}, spec: { containers: [{ ...app, lifecycle: { [hook]: handler } }] } }) as unknown as JsonObject;
    const [own, agent] = [
      withHook({ httpGet: { path: "/x", port: 80 } }),
      withHook({ httpGet: { path, port: 15020 } }),
    ];
    expect(injectionPowers(own, agent)).toHaveLength(count);
  });

  it("judges what an injected container has in place of something of another type", () => {
    const podOf = (securityContext: object | null) => ({
      spec: { containers: [{ name: "istio-proxy", image: "auto", securityContext }] },
    });
    const powers = injectionPowers(podOf(null) as JsonObject, podOf({ privileged: true }) as JsonObject);
    expect(powers.map(({ kind }) => kind)).toContain("privileged");
  });

  it("closes a list of the pod's to what is no object", () => {
    const podOf = (...volumes: JsonValue[]): JsonObject => ({ spec: { containers: [], volumes } });
    const powers = injectionPowers(podOf({ name: "own", emptyDir: {} }), podOf({ name: "own", emptyDir: {} }, "x"));
    expect(powers.map(({ value }) => value)).toContain("spec.volumes[1]");
  });

  it("a field that is closed widens what a container or a volume may do, keeps a pod from running, or changes what is the author's", () => {
    const metadata = { name: "web" };
    const containers = [{ name: "web", image: "w" }];
    const closedIn = (added: JsonObject, more: JsonObject = {}) =>
      injectionPowers({ metadata, spec: { containers } }, { metadata, ...more, spec: { containers, ...added } })
        .filter(({ kind }) => kind === "field")
        .map(({ value, effect }) => `${value}: ${effect}`);
    expect(closedIn({ dnsPolicy: "Default" })).toEqual(["spec.dnsPolicy: pod-may-not-run"]);
    const side = { name: "side", image: "i", volumeDevices: [{ name: "v", devicePath: "/d" }] };
    expect(closedIn({ containers: [...containers, side] })).toEqual([
      "spec.containers[side].volumeDevices: privileges-widened",
    ]);
    expect(closedIn({ volumes: [{ name: "v", emptyDir: { newField: 1 } }] })).toEqual([
      "spec.volumes[v].emptyDir.newField: privileges-widened",
    ]);
    expect(closedIn({}, { status: { phase: "Failed" } })).toEqual(["status: author-changed"]);
  });
});
