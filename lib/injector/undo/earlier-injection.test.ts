import { injectionKeys } from "@outrigger/base";
import type { Container, Pod } from "@outrigger/pod";
import { describe, expect, it } from "vitest";
import { type RecordOptions, readEarlierInjection } from "./earlier-injection.ts";
import { formatStatus, overridesNote } from "./injection-status.ts";

const STATUS = "sidecar.istio.io/status";
const PROXY: Container = { name: "istio-proxy", env: [{ name: "PROXY_CONFIG", value: "{}" }] };
const LISTED =
  '{"initContainers":["istio-init","mine"],"containers":["istio-proxy","app"],"volumes":["envoy","data"],"imagePullSecrets":["s"]}';
const WHOLE = formatStatus(
  { containers: [{ name: "istio-proxy" }, { name: "app" }], volumes: [{ name: "data" }] },
  "",
  ["labels/a"],
);
const keys = injectionKeys();
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
  return readEarlierInjection(pod, {
    meshStatusPort: 15020,
    nativeSidecars: true,
    isInjectable,
    keys,
    isOfMesh: true,
    ...options,
  });
}

describe("readEarlierInjection()", () => {
  it("is undefined for a pod without a record", () => {
    expect(earlier({ a: "b" })).toBeUndefined();
    expect(
      readEarlierInjection(
        {},
        { meshStatusPort: 1, nativeSidecars: false, isInjectable: () => true, keys, isOfMesh: true },
      ),
    ).toBeUndefined();
  });

  it("follows a whole status to the letter", () => {
    expect(earlier({ [STATUS]: WHOLE })).toMatchObject({
      trust: "whole",
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
      initContainers: ["istio-init"],
      containers: ["istio-proxy"],
      volumes: ["envoy"],
    });
    expect(earlier({ [STATUS]: "{" }, {}, { name: "istio-proxy" })).toBeUndefined();
  });

  it("reads overrides of an injector without a checksum, or that a note names, and no others", () => {
    const text = JSON.stringify({ containers: [{ name: "istio-proxy", image: "auto" }] });
    const key = "proxy.istio.io/overrides";
    const overrides = { containers: [{ name: "istio-proxy", image: "auto" }] };
    expect(earlier({ [key]: text })).toBeUndefined();
    expect(earlier({ [STATUS]: LISTED, [key]: text })).toMatchObject({ trust: "listed", overrides });
    expect(earlier({ [STATUS]: WHOLE, [key]: text })).toMatchObject({ trust: "whole", overrides: {} });
    const noted = formatStatus({ containers: [{ name: "istio-proxy" }] }, "", [overridesNote(text)]);
    expect(earlier({ [STATUS]: noted, [key]: text })).toMatchObject({ trust: "whole", overrides });
    for (const others of [{}, { [key]: "{}" }]) {
      expect(earlier({ [STATUS]: noted, ...others })).toMatchObject({ trust: "damaged", overrides: {} });
    }
    expect(() => earlier({ [STATUS]: LISTED, [key]: "{" })).toThrow(
      expect.objectContaining({ code: "annotation-invalid" }),
    );
  });

  it("takes a status for copied whose containers the pod does not have", () => {
    const copied = formatStatus({ containers: [{ name: "x" }], initContainers: [{ name: "y" }] }, "", []);
    expect(earlier({ [STATUS]: copied })).toBeUndefined();
    const inInit = formatStatus(
      { containers: [{ name: "x" }], initContainers: [{ name: "first", image: "f" }] },
      "",
      [],
    );
    expect(earlier({ [STATUS]: inInit })).toMatchObject({ trust: "whole" });
    const nothing = formatStatus({ volumes: [{ name: "data" }] }, "", []);
    expect(earlier({ [STATUS]: nothing })).toMatchObject({ trust: "whole", volumes: ["data"] });
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
