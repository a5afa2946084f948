import type { Pod } from "@outrigger/pod";
import { describe, expect, it } from "vitest";
import { remainderNotes, withRemainder } from "./remainder.ts";

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
