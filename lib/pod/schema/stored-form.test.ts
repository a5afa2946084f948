import { describe, expect, it } from "vitest";
import { isStoredForm, keepStoredForm } from "./stored-form.ts";

const podOf = (container: object, spec: object = {}) => ({
  metadata: {},
  spec: { containers: [{ name: "web", image: "web:1", ...container }], ...spec },
});

/** The defaults that an API server writes for `podOf({})`. */
const DEFAULTS = {
  terminationMessagePath: "/dev/termination-log",
  terminationMessagePolicy: "File",
  imagePullPolicy: "IfNotPresent",
  resources: {},
};

describe("isStoredForm()", () => {
  const written = { restartPolicy: "Never", dnsPolicy: "Default", schedulerName: "mine", securityContext: {} };

  it("is true for a pod in which an API server has filled in what it always fills in", () => {
    expect(isStoredForm({ spec: written })).toBe(true);
  });

  it.each(Object.keys(written))("is false without %s", (field) => {
    expect(isStoredForm({ spec: { ...written, [field]: undefined } })).toBe(false);
  });

  it("is false without a spec", () => {
    expect(isStoredForm({})).toBe(false);
  });
});

describe("keepStoredForm()", () => {
  it.each([null, "a", 1])("takes %j in place of an item for an item without a name", (item) => {
    const wanted = { spec: { containers: [item, { name: "web" }] } };
    expect(keepStoredForm(wanted, { spec: { containers: [{ name: "web" }] } })).toEqual(wanted);
  });

  it("finds items by their names where one is inserted, so that the others keep what an API server wrote", () => {
    const [web, db] = [
      { name: "web", image: "web:1" },
      { name: "db", image: "db:1" },
    ];
    const stored = {
      spec: {
        containers: [
          { ...web, ...DEFAULTS },
          { ...db, ...DEFAULTS },
        ],
      },
    };
    const wanted = { spec: { containers: [{ name: "new", image: "new:1" }, web, db] } };
    expect(keepStoredForm(wanted, stored)).toEqual({
      spec: { containers: [{ name: "new", image: "new:1" }, ...stored.spec.containers] },
    });
  });

  it.each<[string, object, object]>([
    ["defaults of a container", {}, DEFAULTS],
    [
      "an empty protocol",
      { ports: [{ containerPort: 80, protocol: "" }] },
      { ports: [{ containerPort: 80, protocol: "TCP" }] },
    ],
    [
      "the token of the service account",
      { volumeMounts: [{ name: "a", mountPath: "/a" }] },
      {
        volumeMounts: [
          { name: "a", mountPath: "/a" },
          { name: "kube-api-access-x", readOnly: true, mountPath: "/var/run/secrets/kubernetes.io/serviceaccount" },
        ],
      },
    ],
    ["defaults of a port", { ports: [{ containerPort: 80 }] }, { ports: [{ containerPort: 80, protocol: "TCP" }] }],
    ...["livenessProbe", "readinessProbe", "startupProbe"].map((probe): [string, object, object] => [
      `defaults of a ${probe}`,
      { [probe]: { initialDelaySeconds: 0, httpGet: { port: 80 } } },
      {
        [probe]: {
          httpGet: { path: "/", port: 80, scheme: "HTTP" },
          timeoutSeconds: 1,
          periodSeconds: 10,
          successThreshold: 1,
          failureThreshold: 3,
        },
      },
    ]),
    [
      "the service of a probe by gRPC",
      { livenessProbe: { grpc: { port: 80 } } },
      { livenessProbe: { grpc: { port: 80, service: "" } } },
    ],
    [
      "the divisor of a resource",
      { env: [{ name: "A", valueFrom: { resourceFieldRef: { resource: "limits.cpu" } } }] },
      { env: [{ name: "A", valueFrom: { resourceFieldRef: { resource: "limits.cpu", divisor: "0" } } }] },
    ],
    [
      "canonical quantities",
      { resources: { limits: { cpu: "2000m", memory: "1024Mi" } } },
      { resources: { limits: { cpu: "2", memory: "1Gi" } } },
    ],
    [
      "requests made of limits",
      { resources: { limits: { cpu: "2000m" } } },
      { resources: { limits: { cpu: "2" }, requests: { cpu: "2" } } },
    ],
    [
      "the API version of a field reference, and an empty value",
      {
        env: [
          { name: "A", value: "" },
          { name: "B", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
        ],
      },
      {
        env: [{ name: "A" }, { name: "B", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "metadata.name" } } }],
      },
    ],
  ])("takes %s for no change", (_what, wanted, written) => {
    const stored = podOf(written);
    expect(keepStoredForm(podOf(wanted), stored)).toBe(stored);
  });

  it.each<[source: string, wanted: object, defaults: object]>([
    ["configMap", { name: "b" }, { defaultMode: 420 }],
    ["secret", { secretName: "b" }, { defaultMode: 420 }],
    ["downwardAPI", { items: [] }, { defaultMode: 420 }],
    ["projected", { sources: [] }, { defaultMode: 420 }],
    ["hostPath", { path: "/b" }, { type: "" }],
    ["iscsi", { targetPortal: "b" }, { iscsiInterface: "default" }],
    ["azureDisk", { diskName: "b" }, { cachingMode: "ReadWrite", fsType: "ext4", readOnly: false, kind: "Shared" }],
  ])("takes the defaults of a volume's %s for no change, and any other value for one", (source, wanted, defaults) => {
    const volume = (given: object) => podOf({}, { volumes: [{ name: "v", [source]: given }] });
    const stored = volume({ ...wanted, ...defaults });
    expect(keepStoredForm(volume(wanted), stored)).toBe(stored);
    for (const field of Object.keys(defaults)) {
      expect(keepStoredForm(volume(wanted), volume({ ...wanted, [field]: "other" }))).toEqual(volume(wanted));
    }
  });

  it("takes defaults of the pod and of volumes for no change", () => {
    const stored = podOf(
      {},
      {
        restartPolicy: "Always",
        dnsPolicy: "ClusterFirst",
        terminationGracePeriodSeconds: 30,
        securityContext: {},
        volumes: [
          { name: "a", emptyDir: {} },
          { name: "b", configMap: { name: "b", defaultMode: 420 } },
        ],
      },
    );
    const wanted = podOf({}, { tolerations: [], volumes: [{ name: "a" }, { name: "b", configMap: { name: "b" } }] });
    expect(keepStoredForm(wanted, stored)).toBe(stored);
  });

  it.each<[string, object, object]>([
    ["another image", { image: "web:2" }, {}],
    ["a field that is wanted no longer", {}, { command: ["sh"] }],
    ["a value that is no default", {}, { imagePullPolicy: "Always" }],
    ["zero where zero is a choice", { securityContext: { runAsUser: 0 } }, { securityContext: {} }],
    ["false where false is a choice", { securityContext: { privileged: false } }, { securityContext: {} }],
    ["another quantity", { resources: { limits: { cpu: "1" } } }, { resources: { limits: { cpu: "2" } } }],
    [
      "a request of its own",
      { resources: { limits: { cpu: "2" } } },
      { resources: { limits: { cpu: "2" }, requests: { cpu: "1" } } },
    ],
    ["another order", { args: ["a", "b"] }, { args: ["b", "a"] }],
  ])("keeps what is wanted where it differs: %s", (_what, wanted, written) => {
    const pod = podOf(wanted);
    expect(keepStoredForm(pod, podOf(written))).toEqual(pod);
  });

  it("keeps the stored form of what is the same next to what differs", () => {
    const stored = podOf({ ...DEFAULTS, args: ["old"] });
    const kept = keepStoredForm(podOf({ args: ["new"] }), stored);
    expect(kept).toEqual(podOf({ ...DEFAULTS, args: ["new"] }));
  });

  it.each([
    ["web", "Always"],
    ["web:latest", "Always"],
    ["registry:5000/web", "Always"],
    ["web:1", "IfNotPresent"],
    ["web@sha256:00", "IfNotPresent"],
    ["web:latest@sha256:00", "Always"],
    ["", "IfNotPresent"],
    ["WEB", "IfNotPresent"],
  ])("knows the pull policy of %j: %s", (image, imagePullPolicy) => {
    const stored = podOf({ image, imagePullPolicy });
    expect(keepStoredForm(podOf({ image }), stored)).toBe(stored);
    const other = imagePullPolicy === "Always" ? "IfNotPresent" : "Always";
    expect(keepStoredForm(podOf({ image }), podOf({ image, imagePullPolicy: other }))).toEqual(podOf({ image }));
  });
});
