import { describe, expect, it } from "vitest";
import type { Container, Pod } from "../../kube/pod-types.ts";
import { type RecordOptions, readEarlierInjection } from "./earlier-injection.ts";
import { formatStatus } from "./injection-status.ts";

const STATUS = "sidecar.istio.io/status";
const PROXY: Container = { name: "istio-proxy", env: [{ name: "PROXY_CONFIG", value: "{}" }] };
const LISTED =
  '{"initContainers":["istio-init","mine"],"containers":["istio-proxy","app"],"volumes":["envoy","data"],"imagePullSecrets":["s"]}';
const WHOLE = formatStatus(
  { containers: [{ name: "istio-proxy" }, { name: "app" }], volumes: [{ name: "data" }] },
  "",
  ["labels/a"],
);
const INJECTABLE = ["istio-proxy", "istio-init", "envoy"];

function earlier(annotations: Readonly<Record<string, string>>, options: Partial<RecordOptions> = {}, proxy = PROXY) {
  const pod: Pod = {
    metadata: { annotations },
    spec: {
      containers: [{ name: "app" }, proxy],
      initContainers: [{ name: "istio-init" }, { name: "first" }],
      volumes: [{ name: "envoy" }, { name: "mine" }],
    },
  };
  const isInjectable = (name: string) => INJECTABLE.includes(name);
  return readEarlierInjection(pod, { meshStatusPort: 15020, nativeSidecars: true, isInjectable, ...options });
}

describe("readEarlierInjection()", () => {
  it("is undefined for a pod without a record", () => {
    expect(earlier({ a: "b" })).toBeUndefined();
    expect(
      readEarlierInjection({}, { meshStatusPort: 1, nativeSidecars: false, isInjectable: () => true }),
    ).toBeUndefined();
  });

  it("follows a whole status to the letter", () => {
    expect(earlier({ [STATUS]: WHOLE })).toMatchObject({
      trust: "whole",
      hasStatus: true,
      containers: ["istio-proxy", "app"],
      volumes: ["data"],
      notes: ["labels/a"],
      isAdopted: false,
      meshStatusPort: 15020,
      overrides: {},
    });
  });

  it("believes other lists for names that a template could have injected", () => {
    expect(earlier({ [STATUS]: LISTED, "istio.io/rev": "v1" })).toMatchObject({
      trust: "listed",
      initContainers: ["istio-init"],
      containers: ["istio-proxy"],
      volumes: ["envoy"],
      imagePullSecrets: ["s"],
    });
  });

  it("takes a damaged status for all that a template could have injected", () => {
    expect(earlier({ [STATUS]: "{", "istio.io/rev": "v1" })).toMatchObject({
      trust: "damaged",
      hasStatus: true,
      initContainers: ["istio-init"],
      containers: ["istio-proxy"],
      volumes: ["envoy"],
    });
    const bare = { metadata: { annotations: { [STATUS]: "{" } } };
    const options = { meshStatusPort: 1, nativeSidecars: false, isInjectable: () => true };
    expect(readEarlierInjection(bare, options)).toMatchObject({
      trust: "damaged",
      containers: [],
      initContainers: [],
      volumes: [],
    });
  });

  it("knows a pod by its overrides alone", () => {
    const overrides = JSON.stringify({ containers: [{ name: "istio-proxy", image: "auto" }] });
    expect(earlier({ "proxy.istio.io/overrides": overrides })).toMatchObject({
      hasStatus: false,
      containers: [],
      overrides: { containers: [{ name: "istio-proxy", image: "auto" }] },
    });
    expect(() => earlier({ "proxy.istio.io/overrides": "{" })).toThrow(
      expect.objectContaining({ code: "annotation-invalid" }),
    );
  });
});

describe("readEarlierInjection() of an older injector", () => {
  it("adopts a proxy that moves to the init containers", () => {
    expect(earlier({ [STATUS]: LISTED })?.isAdopted).toBe(true);
  });

  it.each<[string, ReturnType<typeof earlier>]>([
    ["the pod is marked with its revision", earlier({ [STATUS]: LISTED, "istio.io/rev": "default" })],
    ["the proxy stays a container", earlier({ [STATUS]: LISTED }, { nativeSidecars: false })],
    ["the status does not name the proxy", earlier({ [STATUS]: '{"containers":["app"]}' })],
    ["the status is Outrigger's own", earlier({ [STATUS]: WHOLE })],
    [
      "the proxy has no configuration",
      earlier({ [STATUS]: LISTED }, {}, { name: "istio-proxy", env: [{ name: "OTHER" }] }),
    ],
    ["the proxy has no variables", earlier({ [STATUS]: LISTED }, {}, { name: "istio-proxy" })],
    ["there is no proxy", earlier({ [STATUS]: LISTED }, {}, { ...PROXY, name: "other" })],
  ])("does not adopt one where %s", (_what, read) => {
    expect(read?.isAdopted).toBe(false);
  });

  it("adopts it again where a note says so", () => {
    const status = formatStatus({ containers: [{ name: "istio-proxy" }] }, "", ["adopted"]);
    expect(earlier({ [STATUS]: status, "istio.io/rev": "v1" }, { nativeSidecars: false })?.isAdopted).toBe(true);
  });
});
