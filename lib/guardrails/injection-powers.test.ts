import type { JsonObject, JsonValue } from "@outrigger/base";
import { UNKNOWN } from "@outrigger/template";
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

  it.each<[string, JsonObject, JsonObject, readonly string[]]>([
    ["a closed field", { nodeName: "a" }, { nodeName: "b" }, ["author-changed field spec.nodeName"]],
    ["a closed field, taken away", { nodeName: "a" }, {}, ["author-changed field spec.nodeName"]],
    ["a judged field, to what gives more", { hostPID: false }, { hostPID: true }, ["hostPID"]],
    [
      "a judged field, to what gives nothing",
      { hostPID: true },
      { hostPID: false },
      ["author-changed field spec.hostPID"],
    ],
    ["a free field", { dnsConfig: { options: [] } }, { dnsConfig: 5 }, ["author-changed field spec.dnsConfig"]],
    ["nothing, in a copy", { hostAliases: [{ ip: "a" }] }, { hostAliases: [{ ip: "a" }] }, []],
    [
      "a list that holds no objects",
      { securityContext: { supplementalGroups: [1] } },
      { securityContext: { supplementalGroups: [1, 2] } },
      ["author-changed field spec.securityContext.supplementalGroups"],
    ],
    [
      "an item of a list, and one that is gone",
      { imagePullSecrets: [{ name: "a" }, { name: "b" }] },
      { imagePullSecrets: [{ name: "c" }, { name: "b" }] },
      ["secret c", "author-changed field spec.imagePullSecrets"],
    ],
    [
      "a volume that is gone",
      { volumes: [{ name: "a", emptyDir: {} }] },
      { volumes: [] },
      ["author-changed deletion volume a"],
    ],
    [
      "the order of volumes, which is free",
      { volumes: [{ name: "a" }, { name: "b" }] },
      { volumes: [{ name: "b" }, { name: "a" }] },
      [],
    ],
  ])("judges what changes of the author's spec: %s", (_what, before, after, expected) => {
    const containers = [app];
    const powers = injectionPowers(
      { metadata: {}, spec: { containers, ...before } },
      { metadata: {}, spec: { containers, ...after } },
    );
    expect(powers.map(({ kind, value, effect }) => [effect, kind, value].filter(Boolean).join(" "))).toEqual(expected);
  });

  it.each<[string, JsonObject, JsonObject, readonly string[]]>([
    ["another label", { labels: { a: "1" } }, { labels: { a: "2" } }, ["metadata.labels.a"]],
    ["a label less", { labels: { a: "1" } }, { labels: {} }, ["metadata.labels.a"]],
    [
      "another annotation",
      { annotations: { "x.example/a": "1" } },
      { annotations: { "x.example/a": "2" } },
      ["metadata.annotations[x.example/a]"],
    ],
    [
      "the status that Istio writes",
      { annotations: { "sidecar.istio.io/status": "1" } },
      { annotations: { "sidecar.istio.io/status": "2" } },
      [],
    ],
    [
      "annotations of Prometheus",
      { annotations: { "prometheus.io/port": "1" } },
      { annotations: { "prometheus.io/port": "2" } },
      [],
    ],
    [
      "a label of that name",
      { labels: { "prometheus.io/port": "1" } },
      { labels: { "prometheus.io/port": "2" } },
      ["metadata.labels[prometheus.io/port]"],
    ],
    [
      "targets that the agent has read",
      { annotations: { "prometheus.istio.io/scrape-targets": "1" } },
      { annotations: {} },
      [],
    ],
    [
      "those, as others",
      { annotations: { "prometheus.istio.io/scrape-targets": "1" } },
      { annotations: { "prometheus.istio.io/scrape-targets": "2" } },
      ["metadata.annotations[prometheus.istio.io/scrape-targets]"],
    ],
    [
      "an annotation of Prometheus, taken away",
      { annotations: { "prometheus.io/port": "1" } },
      { annotations: {} },
      ["metadata.annotations[prometheus.io/port]"],
    ],
  ])("judges what changes of the author's metadata: %s", (_what, before, after, expected) => {
    const spec = { containers: [app] };
    const powers = injectionPowers({ metadata: before, spec }, { metadata: after, spec });
    expect(powers.map(({ kind, value, effect }) => [kind, value, effect])).toEqual(
      expected.map((value) => ["field", value, "author-changed"]),
    );
  });

  it.each<[string, JsonObject, JsonObject, readonly string[]]>([
    [
      "a closed field that is another",
      { volumeDevices: [{ name: "a" }] },
      { volumeDevices: [{ name: "b" }] },
      ["privileges-widened field volumeDevices"],
    ],
    [
      "a free field that is another",
      { resources: { limits: { cpu: "1" } } },
      { resources: { limits: { cpu: "2" } } },
      [],
    ],
    [
      "what is in a free field of another type",
      { securityContext: 5 },
      { securityContext: { privileged: true } },
      ["privileged "],
    ],
    ["a field that is gone", { terminationMessagePath: "/a" }, {}, []],
    [
      "nothing, where an image of its own makes it the author's",
      { image: "a" },
      { image: "b" },
      ["author-changed field image"],
    ],
    [
      "a port of the node, by its own port",
      { ports: [{ containerPort: 1 }, { containerPort: 2 }] },
      { ports: [{ containerPort: 2, hostPort: 7 }] },
      ["hostPort 7"],
    ],
    [
      "a port that the author gave",
      { ports: [{ containerPort: 1, hostPort: 7 }] },
      { ports: [{ containerPort: 1, hostPort: 7, name: "a" }] },
      [],
    ],
    [
      "capabilities besides the author's",
      { securityContext: { capabilities: { add: ["SYS_ADMIN"] } } },
      { securityContext: { capabilities: { add: ["SYS_PTRACE", "SYS_ADMIN"] } } },
      ["capability SYS_PTRACE"],
    ],
  ])(
    "judges what is given to the injected container besides what its author wrote: %s",
    (_what, before, after, expected) => {
      const podOf = (container: JsonObject): JsonObject => ({
        metadata: {},
        spec: { containers: [app, { name: "own", image: "auto", ...container }] },
      });
      const powers = injectionPowers(podOf(before), podOf({ image: "auto", ...after }));
      expect(
        powers.map(({ kind, value, effect }) =>
          [...(effect ? [effect] : []), kind, value.replace("spec.containers[own].", "")].join(" "),
        ),
      ).toEqual(expected);
    },
  );

  it.each<[string, string, JsonObject, { isCni?: boolean; validation?: boolean }, boolean]>([
    ["NET_ADMIN", "istio-init", {}, {}, true],
    ["NET_RAW", "istio-init", {}, {}, true],
    ["SYS_ADMIN", "istio-init", {}, {}, false],
    ["NET_ADMIN", "istio-init", {}, { isCni: true }, false],
    ["NET_ADMIN", "istio-init", {}, { isCni: false }, true],
    ["NET_ADMIN", "istio-init", {}, { validation: true }, false],
    ["NET_ADMIN", "istio-proxy", {}, {}, false],
    ["NET_ADMIN", "istio-proxy", { env: [{ name: "ISTIO_META_INTERCEPTION_MODE", value: "TPROXY" }] }, {}, true],
    ["NET_ADMIN", "istio-proxy", { env: [{ name: "ISTIO_META_INTERCEPTION_MODE", value: UNKNOWN }] }, {}, true],
    ["NET_ADMIN", "istio-proxy", { env: [{ name: "ISTIO_META_INTERCEPTION_MODE", value: "REDIRECT" }] }, {}, false],
    ["NET_ADMIN", "istio-proxy", { env: [{ name: "ISTIO_META_OTHER", value: "TPROXY" }] }, {}, false],
    ["NET_RAW", "istio-proxy", { env: [{ name: "ISTIO_META_INTERCEPTION_MODE", value: "TPROXY" }] }, {}, false],
    ["NET_ADMIN", "other", { env: [{ name: "ISTIO_META_INTERCEPTION_MODE", value: "TPROXY" }] }, {}, false],
  ])("knows whether capability %s of %s is needed: %#", (capability, name, more, { isCni, validation }, isNeeded) => {
    const own = { name, image: "own", securityContext: { capabilities: { add: [capability] } }, ...more };
    const checks = validation === true ? [{ name: "istio-validation", image: "own" }] : [];
    const powers = injectionPowers(
      { metadata: {}, spec: { containers: [app] } },
      { metadata: {}, spec: { initContainers: checks, containers: [app, own as JsonObject] } },
      isCni === undefined ? {} : { isCni },
    );
    expect(powers.find(({ kind }) => kind === "capability")).toMatchObject({ value: capability, isNeeded });
  });

  it("knows that a privileged proxy has every capability already", () => {
    const own = { name: "istio-proxy", securityContext: { privileged: true, capabilities: { add: ["NET_ADMIN"] } } };
    const powers = injectionPowers(
      { metadata: {}, spec: { containers: [app] } },
      { metadata: {}, spec: { containers: [app, own] } },
    );
    expect(powers).toMatchObject([
      { kind: "privileged", isNeeded: false },
      { kind: "capability", isNeeded: true },
    ]);
  });

  it("says at restricted what a container is not kept from, but for what its author left open", () => {
    const podOf = (...containers: JsonObject[]): JsonObject => ({
      metadata: {},
      spec: { containers: [app, ...containers] },
    });
    const kindsOf = (author: JsonObject, injected: JsonObject, isStrict = true) =>
      injectionPowers(author, injected, { isStrict }).map(({ kind }) => kind);
    const own = { name: "own" };
    const closed = { ...own, securityContext: { runAsNonRoot: true, readOnlyRootFilesystem: true } };
    expect(kindsOf(podOf(), podOf(own))).toEqual(["escalation", "escalation", "writable", "root"]);
    expect(kindsOf(podOf(), podOf(own), false)).toEqual([]);
    expect(kindsOf(podOf({ ...closed, image: "auto" }), podOf(own))).toEqual(["writable", "root"]);
    const [power] = injectionPowers(podOf(), podOf(own), { isStrict: true });
    expect(power).toMatchObject({
      container: "own",
      at: ["spec", "containers", 1, "securityContext"],
      isNeeded: false,
    });
    const capturing = injectionPowers(podOf(), podOf({ name: "istio-init" }), { isStrict: true });
    expect(capturing.map(({ kind, isNeeded }) => [kind, isNeeded])).toContainEqual(["root", true]);
  });

  it.each<[string, JsonObject, readonly string[]]>([
    ["the node's files", { hostPath: { path: "/run" } }, ["hostPath /run"]],
    ["a Secret", { secret: { secretName: "key" } }, ["secret key"]],
    ["a closed field", { nfs: { path: "/" } }, ["volumeType nfs"]],
    ["an empty folder", { emptyDir: {} }, []],
  ])("reports the author's volume that an injected container mounts: %s", (_what, source, expected) => {
    const volumes = [{ name: "theirs", ...source }];
    const volumeMounts = [{ name: "theirs", mountPath: "/a" }];
    const found = (mine: JsonValue[]) =>
      injectionPowers(
        { metadata: {}, spec: { containers: [app, ...mine], volumes } },
        { metadata: {}, spec: { containers: [app, { name: "own", volumeMounts }], volumes } },
      );
    expect(found([])).toMatchObject(
      expected.map((text) => {
        const [kind, value] = text.split(" ");
        const at = ["spec", "containers", 1, "volumeMounts", 0];
        return { kind, value, at, volume: "theirs", container: "own", effect: "identity-used" };
      }),
    );
    expect(found([{ name: "own", image: "auto", volumeMounts }])).toEqual([]);
  });

  it("names who has a power: a container of that name, or all that mount the volume", () => {
    const volumes = [{ name: "node", hostPath: { path: "/run" } }];
    const mounting = (name: string): JsonObject => ({
      name,
      image: `${name}:1`,
      volumeMounts: [{ name: "node", mountPath: "/a" }],
    });
    const powers = injectionPowers(
      { metadata: {}, spec: { containers: [app] } },
      {
        metadata: {},
        spec: { containers: [app, mounting("a"), { name: "b", image: "b:1" }, mounting("c")], volumes, hostPID: true },
      },
    );
    const holdersOf = (kind: string) => powers.find((power) => power.kind === kind)?.holders;
    expect(holdersOf("hostPath")).toEqual([
      { container: "a", image: "a:1" },
      { container: "c", image: "c:1" },
    ]);
    expect(holdersOf("image")).toEqual([{ container: "a", image: "a:1" }]);
    expect(holdersOf("hostPID")).toBeUndefined();
  });

  it("leaves out what is asked for, by the place that it is in", () => {
    const volumes = [{ name: "node", hostPath: { path: "/run" } }];
    const seen: unknown[] = [];
    const powers = injectionPowers(
      { metadata: {}, spec: { containers: [app] } },
      { metadata: {}, spec: { containers: [app, { name: "own", image: "a" }], volumes } },
      {},
      ({ kind, container, volume }) => {
        seen.push([kind, container, volume]);
        return volume === "node";
      },
    );
    expect(seen).toEqual([
      ["image", "own", undefined],
      ["hostPath", undefined, "node"],
    ]);
    expect(powers.map(({ kind }) => kind)).toEqual(["image"]);
  });

  it("closes the author's containers that are gone, and those that are none any more", () => {
    const other = { name: "other", image: "o" };
    const podOf = (containers: JsonValue): JsonObject => ({ metadata: {}, spec: { containers } });
    const valuesOf = (before: JsonValue, after: JsonValue) =>
      injectionPowers(podOf(before), podOf(after)).map(({ kind, value }) => `${kind} ${value}`);
    expect(valuesOf([app, other], [other])).toEqual(["deletion container app"]);
    expect(valuesOf([app], "none")).toEqual(["field spec.containers", "deletion container app"]);
    expect(valuesOf([app], [app, "x"])).toEqual(["field spec.containers[1]"]);
    // The injection's own may be gone, and start elsewhere; the author's may not.
    const moved = (container: JsonObject) =>
      injectionPowers(
        { metadata: {}, spec: { containers: [app, container] } },
        { metadata: {}, spec: { initContainers: [container], containers: [app] } },
      ).map(({ value }) => value);
    expect(moved({ name: "own", image: "auto" })).toEqual([]);
    expect(moved(other)).toContain("spec.containers");
  });

  it.each(["istio-proxy", "istio-init", "istio-validation", "enable-core-dump"])(
    "takes %s for the injection's own, whatever image its author wrote, and another container for the author's",
    (name) => {
      const podOf = (own: JsonObject): JsonObject => ({ metadata: {}, spec: { containers: [app, own] } });
      const found = (own: string) =>
        injectionPowers(podOf({ name: own, image: "a" }), podOf({ name: own, image: "b" })).map(({ kind }) => kind);
      expect(found(name)).toEqual(["image"]);
      expect(found(`${name}-2`)).toEqual(["field"]);
      // It may start before or after the author's.
      const spec = (...initContainers: JsonObject[]) => ({ metadata: {}, spec: { initContainers, containers: [app] } });
      const [own, other] = [
        { name, image: "a" },
        { name: "other", image: "o" },
      ];
      expect(injectionPowers(spec(own, other), spec(other, own))).toEqual([]);
    },
  );

  it("asks whether what is in the author's volume is admitted to who mounts it", () => {
    const volumes = [{ name: "theirs", hostPath: { path: "/run", invented: 1 } }];
    const own = { name: "own", volumeMounts: [{ name: "theirs", mountPath: "/a" }] };
    const found = (isAdmitted: boolean) =>
      injectionPowers(
        { metadata: {}, spec: { containers: [app], volumes } },
        { metadata: {}, spec: { containers: [app, own], volumes } },
        { isAdmitted: () => isAdmitted },
      ).map(({ kind, volume }) => `${kind} ${volume}`);
    expect(found(false)).toEqual(["hostPath theirs", "field theirs"]);
    // A field is admitted once its place is known.
    expect(found(true)).toEqual(["field theirs"]);
  });

  it("names for what a container holds that container alone, and not all that mount the volume", () => {
    const volumes = [{ name: "istio-token", emptyDir: {} }];
    const mounting = (name: string): JsonObject => ({ name, volumeMounts: [{ name: "istio-token", mountPath: "/t" }] });
    const powers = injectionPowers(
      { metadata: {}, spec: { containers: [app] } },
      { metadata: {}, spec: { containers: [app, mounting("a"), mounting("b")], volumes } },
    ).filter(({ kind }) => kind === "identity");
    expect(powers.map(({ holders }) => holders)).toEqual([
      [{ container: "a", image: "" }],
      [{ container: "b", image: "" }],
    ]);
  });
});
