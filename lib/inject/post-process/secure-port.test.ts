import { describe, expect, it } from "vitest";
import type { Container, Pod } from "../../kube/pod-types.ts";
import { restoreSecurePort, setSecurePort } from "./secure-port.ts";

const KEY = "prometheus.istio.io/secure-port";
const VARIABLE = "ENVOY_SECURE_MERGED_METRICS_PORT";

function proxyWith(...values: readonly (string | undefined)[]): Container {
  const entries = values.map((value) => ({ name: VARIABLE, ...(value === undefined ? {} : { value }) }));
  return { name: "istio-proxy", env: [{ name: "OTHER", value: "1" }, ...entries] };
}

function podWith(proxy: Container, annotations?: Readonly<Record<string, string>>): Pod {
  return { ...(annotations && { metadata: { annotations } }), spec: { containers: [{ name: "app" }, proxy] } };
}

describe("setSecurePort()", () => {
  it("names the port that the proxy serves", () => {
    expect(setSecurePort(podWith(proxyWith("15091"))).metadata?.annotations).toEqual({ [KEY]: "15091" });
    const pod = podWith(proxyWith("15091"), { "prometheus.io/port": "80", a: "b" });
    expect(setSecurePort(pod).metadata?.annotations).toEqual({ "prometheus.io/port": "80", a: "b", [KEY]: "15091" });
  });

  it("finds the proxy among the init containers", () => {
    const pod: Pod = { spec: { containers: [{ name: "app" }], initContainers: [proxyWith("15091")] } };
    expect(setSecurePort(pod).metadata?.annotations).toEqual({ [KEY]: "15091" });
  });

  it("passes over entries that name no port", () => {
    expect(setSecurePort(podWith(proxyWith("0", "", undefined, "15091"))).metadata?.annotations).toEqual({
      [KEY]: "15091",
    });
  });

  it.each<[string, Pod]>([
    ["the port is 0", podWith(proxyWith("0"))],
    ["the port is empty", podWith(proxyWith(""))],
    ["the port is a reference", podWith(proxyWith(undefined))],
    ["there is no such variable", podWith(proxyWith())],
    ["the proxy has no variables", podWith({ name: "istio-proxy" })],
    ["there is no proxy", { spec: { containers: [{ ...proxyWith("15091"), name: "app" }] } }],
    ["the author has set it", podWith(proxyWith("15091"), { [KEY]: "1" })],
    ["the author has set it in underscores", podWith(proxyWith("15091"), { prometheus_istio_io_secure_port: "1" })],
    [
      "the author has set it in other signs",
      podWith(proxyWith("15091"), { a: "b", "prometheus-istio/io.secure-port": "1" }),
    ],
  ])("returns the pod itself where %s", (_what, pod) => {
    expect(setSecurePort(pod)).toBe(pod);
  });

  it.each(["prometheus.istio.io/secure-ports", "prometheus.istio.io/port", "x-prometheus.istio.io/secure-port"])(
    "is not kept from it by %s",
    (key) => {
      expect(setSecurePort(podWith(proxyWith("15091"), { [key]: "1" })).metadata?.annotations).toHaveProperty(
        [KEY],
        "15091",
      );
    },
  );
});

describe("restoreSecurePort()", () => {
  it("takes the annotation away that is the proxy's own", () => {
    const pod = podWith(proxyWith("15091"), { [KEY]: "15091", a: "b" });
    expect(restoreSecurePort(pod, proxyWith("15091")).metadata?.annotations).toEqual({ a: "b" });
    const set = setSecurePort(podWith(proxyWith("15091"), { a: "b" }));
    expect(restoreSecurePort(set, proxyWith("15091")).metadata?.annotations).toEqual({ a: "b" });
  });

  it.each<[string, Pod, Container | undefined]>([
    ["the annotation is the author's", podWith(proxyWith("15091"), { [KEY]: "1" }), proxyWith("15091")],
    ["there is no annotation", podWith(proxyWith("15091"), { a: "b" }), proxyWith("15091")],
    ["there are no annotations", podWith(proxyWith("15091")), proxyWith("15091")],
    ["there was no proxy", podWith(proxyWith("15091"), { [KEY]: "15091" }), undefined],
    ["the proxy served no such port", podWith(proxyWith("15091"), { [KEY]: "0" }), proxyWith("0")],
    ["neither has one", podWith(proxyWith("15091"), { a: "b" }), proxyWith()],
  ])("returns the pod itself where %s", (_what, pod, proxy) => {
    expect(restoreSecurePort(pod, proxy)).toBe(pod);
  });
});
