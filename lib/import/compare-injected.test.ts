import type { Container, Pod } from "@outrigger/pod";
import { describe, expect, it } from "vitest";
import { compareInjected } from "./compare-injected.ts";

const STATUS = { "sidecar.istio.io/status": JSON.stringify({ containers: ["proxy"], volumes: ["data"] }) };

function podWith(proxy: Partial<Container>, more: Partial<Pod["spec"]> = {}, annotations = {}): Pod {
  return {
    metadata: { annotations: { ...STATUS, ...annotations } },
    spec: {
      containers: [
        { name: "app", image: "app" },
        { name: "proxy", image: "p:1", ...proxy },
      ],
      ...more,
    },
  };
}
const AUTHOR: Pod = { metadata: {}, spec: { containers: [{ name: "app", image: "app" }] } };
const compare = (imported: Pod, running: Pod) => compareInjected({ author: AUTHOR, imported, running });

describe("compareInjected()", () => {
  it("finds nothing in what an API server and Kubernetes add", () => {
    const running = podWith(
      {
        terminationMessagePath: "/dev/termination-log",
        imagePullPolicy: "IfNotPresent",
        resources: { limits: { cpu: "1" }, requests: { cpu: "1" } },
        volumeMounts: [{ name: "kube-api-access-x", mountPath: "/var/run/secrets/kubernetes.io/serviceaccount" }],
        env: [{ name: "CONFIG", value: '{"b":1,"a":{}}' }],
      },
      { volumes: [{ name: "kube-api-access-x", emptyDir: {} }], nodeName: "n" },
    );
    const imported = podWith({
      resources: { limits: { cpu: "1000m" } },
      env: [{ name: "CONFIG", value: '{ "a": {}, "b": 1 }' }],
    });
    expect(compare(imported, running)).toEqual([]);
  });

  it("names each field with what it is in both", () => {
    const running = podWith(
      { env: [{ name: "OLD", value: "1" }], args: ["a"] },
      { volumes: [{ name: "data", emptyDir: {} }] },
      { "istio.io/rev": "x" },
    );
    const imported = podWith({ env: [{ name: "NEW", value: "1" }], args: ["b"] }, {}, { "istio.io/rev": "y" });
    expect(compare(imported, running).map(({ field, kind }) => `${field} ${kind}`)).toEqual([
      "containers[proxy].env[NEW] only imported",
      "containers[proxy].env[OLD] only today",
      "containers[proxy].args differs",
      "volumes[data] only today",
      "annotations[istio.io/rev] differs",
    ]);
  });

  it("leaves the author's containers, labels and annotations alone", () => {
    const running = podWith({}, {}, { team: "a" });
    const other: Pod = {
      ...running,
      spec: { containers: [{ name: "app", image: "other" }, ...(running.spec?.containers.slice(1) ?? [])] },
    };
    expect(compare(podWith({}), other)).toEqual([]);
  });

  it("leaves the order of variables alone", () => {
    const [a, b] = [
      { name: "A", value: "1" },
      { name: "B", value: "2" },
    ];
    expect(compare(podWith({ env: [a, b] }), podWith({ env: [b, a] }))).toEqual([]);
  });

  it("says what a container is only in one", () => {
    expect(compare(AUTHOR, podWith({}))).toMatchObject([{ field: "containers[proxy]", kind: "only today" }]);
  });
});
