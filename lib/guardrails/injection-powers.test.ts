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

  it.each(["exec", "grpc", "httpGet", "tcpSocket"])(
    "takes the agent in place of a probe of the author's by %s",
    (handler) => {
      const withProbe = (livenessProbe: object) =>
        ({ metadata: {}, spec: { containers: [{ ...app, livenessProbe }] } }) as unknown as JsonObject;
      const agent = withProbe({ httpGet: { path: "/app-health/app/livez", port: 15020 } });
      expect(injectionPowers(withProbe({ [handler]: { port: 80 } }), agent)).toEqual([]);
    },
  );

  it("closes a list of an author's container that has lost an item, and one whose items are in another order", () => {
    const [one, two] = [
      { name: "A", value: "1" },
      { name: "B", value: "2" },
    ];
    const podOf = (...env: JsonValue[]): JsonObject => ({ metadata: {}, spec: { containers: [{ ...app, env }] } });
    const valuesOf = (...env: JsonValue[]) => injectionPowers(podOf(one, two), podOf(...env)).map(({ value }) => value);
    expect(valuesOf(one, { name: "OTEL_SERVICE_NAME", value: "3" }, two)).toEqual([]);
    expect(valuesOf(one)).toEqual(["spec.containers[app].env"]);
    expect(valuesOf(two, one)).toContain("spec.containers[app].env");
  });

  it.each([
    ["/vault/secrets", "scratch", []],
    ["/vault/secrets/", "agent", []],
    // A Secret that the author gave to other containers is given to this one by nobody else.
    ["/vault/secrets", "key", ["/vault/secrets"]],
    ["/own", "scratch", ["/own"]],
    ["/vault/../own", "scratch", ["/vault/../own"]],
    ["/vault/secrets/", "key", ["/vault/secrets/"]],
  ])(
    "adds to an author's container, at %s, only volumes that are empty or the injection's own: %s",
    (mountPath, name, closed) => {
      const volumes = [
        { name: "scratch", emptyDir: {} },
        { name: "key", secret: { secretName: "key" } },
      ];
      const other = { ...app, name: "other", volumeMounts: [{ name: "key", mountPath: "/key" }] };
      const added = { ...app, volumeMounts: [{ name, mountPath }] };
      const found = injectionPowers(
        { metadata: {}, spec: { containers: [app, other], volumes } },
        { metadata: {}, spec: { containers: [added, other], volumes: [...volumes, { name: "agent", emptyDir: {} }] } },
      );
      expect(found.filter(({ kind }) => kind === "field").map(({ value, effect }) => [value, effect])).toEqual(
        closed.map((path) => [`spec.containers[app].volumeMounts[${path}]`, "author-changed"]),
      );
    },
  );

  it.each<[string, JsonObject, readonly string[]]>([
    ["a Secret", { valueFrom: { secretKeyRef: { name: "db", key: "password" } } }, ["OTEL_SERVICE_NAME"]],
    ["a variable of the author's", { value: "$(PASSWORD)" }, ["OTEL_SERVICE_NAME"]],
    ["the pod", { valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }, []],
  ])("adds to an author's container a variable for telemetry, but not with the value of %s", (_, source, closed) => {
    const password = { name: "PASSWORD", value: "secret" };
    const podOf = (...env: JsonValue[]): JsonObject => ({ metadata: {}, spec: { containers: [{ ...app, env }] } });
    const found = injectionPowers(podOf(password), podOf(password, { name: "OTEL_SERVICE_NAME", ...source }));
    expect(found.filter(({ kind }) => kind === "field").map(({ value }) => value)).toEqual(
      closed.map((name) => `spec.containers[app].env[${name}]`),
    );
  });

  it("finds the proxy's identity in what an injection mounts, and not in the author's own volume of that name", () => {
    const volumes = [{ name: "istio-token", emptyDir: {} }];
    const agent = { name: "agent", image: "a", volumeMounts: [{ name: "istio-token", mountPath: "/t" }] };
    const identities = (before: JsonObject) =>
      injectionPowers(
        { metadata: {}, spec: { containers: [app], ...before } },
        { metadata: {}, spec: { containers: [app, agent], volumes } },
      ).flatMap(({ kind, value }) => (kind === "identity" ? [value] : []));
    expect(identities({})).toEqual(["istio-token"]);
    expect(identities({ volumes })).toEqual([]);
  });

  it("closes containers of an author's that start in another order", () => {
    const other = { ...app, name: "other" };
    const podOf = (...initContainers: JsonValue[]): JsonObject => ({
      metadata: {},
      spec: { initContainers, containers: [app] },
    });
    const valuesOf = (...containers: JsonValue[]) =>
      injectionPowers(podOf({ ...app, name: "first" }, other), podOf(...containers)).map(({ value }) => value);
    expect(valuesOf({ ...app, name: "first" }, other)).toEqual([]);
    expect(valuesOf(other, { ...app, name: "first" })).toEqual(["spec.initContainers[first]"]);
  });

  it("judges a constant of a release again in another field, and in another container of the mesh", () => {
    const words = Object.freeze(["proxy", "sidecar"]);
    const valuesOf = (container: object) =>
      injectionPowers(
        { metadata: {}, spec: { containers: [app] } },
        { metadata: {}, spec: { containers: [app, container as JsonObject] } },
      ).flatMap(({ kind, value }) => (kind === "field" ? [value] : []));
    expect(valuesOf({ name: "istio-proxy", args: words })).toEqual([]);
    expect(valuesOf({ name: "istio-proxy", args: words })).toEqual([]);
    expect(valuesOf({ name: "istio-proxy", command: words })).toContain("spec.containers[istio-proxy].command");
    expect(valuesOf({ name: "istio-init", args: words })).toContain("spec.containers[istio-init].args[0]");
  });

  it("judges a constant variable or mount again where the rest of the pod decides over it", () => {
    const env = [
      { name: "ISTIO_META_A", value: "a" },
      Object.freeze({ name: "ISTIO_META_B", value: "$(ISTIO_META_A)" }),
    ];
    const volumeMounts = [Object.freeze({ name: "own", mountPath: "/own" })];
    const valuesOf = (container: object, volumes: JsonObject[]) =>
      injectionPowers(
        { metadata: {}, spec: { containers: [app], volumes } },
        { metadata: {}, spec: { containers: [app, { name: "istio-proxy", ...container }], volumes } },
      ).flatMap(({ kind, value }) => (kind === "field" ? [value] : []));
    const own = [{ name: "own", emptyDir: {} }];
    for (const _ of [1, 2]) expect(valuesOf({ env, volumeMounts }, own)).toEqual([]);
    expect(valuesOf({ env: env.slice(1) }, own)).toEqual(["spec.containers[istio-proxy].env[ISTIO_META_B]"]);
    expect(valuesOf({ volumeMounts }, [])).toEqual(["spec.containers[istio-proxy].volumeMounts[/own]"]);
  });

  it("reports nothing of a field that an injected container has without a value", () => {
    const own = { name: "own", image: "own", volumeDevices: undefined, securityContext: { privileged: undefined } };
    const injected = { metadata: {}, spec: { containers: [app, own] } } as unknown as JsonObject;
    expect(injectionPowers({ spec: { containers: [app] } }, injected).map(({ kind }) => kind)).toEqual(["image"]);
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
