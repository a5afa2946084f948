import type { Pod } from "@outrigger/pod";
import { describe, expect, it } from "vitest";
import { remainderInPlace, remainderNotes, withRemainder } from "./remainder.ts";

const pod = (value: unknown) => value as Pod;
const AUTHOR = pod({
  metadata: { name: "web", annotations: { prometheus_io_port: "80", "a/b=c#d~e": "1" } },
  spec: {
    containers: [
      { name: "web", image: "w", livenessProbe: { httpGet: { path: "/", port: "http" } } },
      { name: "b", image: "b" },
    ],
    volumes: [{ name: "v" }, { name: "w" }],
    tolerations: [{ key: "x" }],
  },
});
const RESTORED = pod({
  metadata: { name: "web", annotations: { "prometheus.io/port": "80" } },
  spec: {
    containers: [{ name: "web", image: "w", livenessProbe: { httpGet: { path: "/", port: 80 } } }],
    volumes: [{ name: "v", emptyDir: {} }, { name: "w" }],
    tolerations: [{ key: "y" }],
    securityContext: { sysctls: [] },
  },
});

describe("remainderNotes()", () => {
  it("names nothing that is equal, though another object", () => {
    // Lists of items without names are compared whole.
    const again = JSON.parse(JSON.stringify(AUTHOR)) as Pod;
    expect(remainderNotes(again, AUTHOR)).toEqual([]);
  });

  it("names what does not come back, and withRemainder() brings it back", () => {
    const notes = remainderNotes(RESTORED, AUTHOR);
    expect(notes).toEqual([
      'restore/metadata/annotations/a~1b~2c~3d~0e="1"',
      "restore/metadata/annotations/prometheus.io~1port",
      'restore/metadata/annotations/prometheus_io_port="80"',
      'restore/spec/containers/web/livenessProbe/httpGet/port="http"',
      'restore/spec/containers/b#1={"name":"b","image":"b"}',
      "restore/spec/securityContext",
      'restore/spec/tolerations=[{"key":"x"}]',
      "restore/spec/volumes/v/emptyDir",
    ]);
    expect(withRemainder(RESTORED, notes)).toEqual(AUTHOR);
  });

  it("is empty where nothing differs, and null and an empty map of labels are nothing", () => {
    expect(remainderNotes(AUTHOR, AUTHOR)).toEqual([]);
    expect(remainderNotes({}, pod({ metadata: { labels: {} }, spec: { hostname: null } }))).toEqual([]);
  });
});

describe("remainderInPlace()", () => {
  const author = pod({
    metadata: { labels: { a: "1" }, annotations: null },
    spec: { dnsPolicy: "None", containers: [{ name: "web", port: "http" }, { name: "b" }], volumes: [{ name: "v" }] },
  });
  const injected = (changes: object) =>
    pod({
      metadata: { labels: { a: "1", b: "2" }, annotations: { c: "3" } },
      spec: {
        dnsPolicy: "None",
        containers: [{ name: "web", port: 80 }, { name: "b" }, { name: "istio-proxy" }],
        initContainers: [{ name: "istio-init" }],
        volumes: [{ name: "v", emptyDir: {} }, { name: "w" }],
        ...changes,
      },
    });

  it("returns the notes that undoing comes to where all of the author's is there", () => {
    expect(remainderInPlace(injected({}), author)).toEqual([
      'restore/spec/containers/web/port="http"',
      "restore/spec/volumes/v/emptyDir",
    ]);
    expect(remainderInPlace(injected({}), pod({ spec: { containers: [{ name: "b" }] } }))).toEqual([]);
  });

  it.each([
    ["a field that changed", { dnsPolicy: "Default" }],
    ["another order", { containers: [{ name: "b" }, { name: "web", port: "http" }] }],
    ["a container that is gone", { containers: [{ name: "web", port: "http" }] }],
    ["two of a name", { containers: [{ name: "web", port: 80 }, { name: "b" }, { name: "web" }] }],
    ["a list that is gone", { volumes: undefined }],
  ])("leaves it to undoing where there is %s", (_, changes) => {
    expect(remainderInPlace(injected(changes), author)).toBeUndefined();
  });

  it("leaves it to undoing where the author has a proxy, an empty list or another label, or something is overridden", () => {
    const left = (wanted: object) => remainderInPlace(injected({}), pod(wanted));
    expect(left({ spec: { containers: [{ name: "istio-proxy" }] } })).toBeUndefined();
    expect(left({ spec: { initContainers: [] } })).toBeUndefined();
    expect(left({ metadata: { labels: { a: "2" } } })).toBeUndefined();
    expect(left({ metadata: { annotations: { d: "4" } } })).toBeUndefined();
    expect(left({ metadata: { name: "web" } })).toBeUndefined();
    const annotations = { "proxy.istio.io/overrides": "{}" };
    expect(remainderInPlace(pod({ metadata: { annotations } }), pod({}))).toBeUndefined();
  });
});

describe("withRemainder()", () => {
  it("keeps a container that others added, and passes over what is gone", () => {
    const foreign = { name: "foreign", image: "f" };
    const changed = pod({ ...RESTORED, spec: { containers: [foreign] } });
    const { spec } = withRemainder(changed, remainderNotes(RESTORED, AUTHOR));
    expect(spec?.containers).toEqual([foreign, { name: "b", image: "b" }]);
  });

  it.each([
    "restore/status/phase=1",
    "restore/spec",
    "restore/spec/containers/gone/image=5",
    "restore/metadata/name/first=1",
    "labels/a",
  ])("passes over a note that names nothing of the pod: %s", (note) => {
    expect(withRemainder(RESTORED, [note])).toBe(RESTORED);
  });

  it.each(["restore/spec/containers/web/image=5", "restore/spec/containers=1", "restore/metadata/__proto__={}"])(
    "rejects a note that makes no pod: %s",
    (note) => {
      expect(() => withRemainder(RESTORED, [note])).toThrow(
        "Cannot undo the injection that annotation sidecar.istio.io/status records: its notes make no pod; remove it, injection writes it",
      );
    },
  );
});
