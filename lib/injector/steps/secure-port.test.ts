import { defined } from "@outrigger/base";
import type { IstioRelease } from "@outrigger/mesh";
import type { Container, Pod } from "@outrigger/pod";
import { describe, expect, it } from "vitest";
import type { RenderedInjection } from "../injection.ts";
import { neverInjected } from "../undo/earlier-injection.ts";
import { securePort } from "./secure-port.ts";

const KEY = "prometheus.istio.io/secure-port";
const VARIABLE = "ENVOY_SECURE_MERGED_METRICS_PORT";

function proxyWith(...values: readonly (string | undefined)[]): Container {
  const entries = values.map((value) => defined({ name: VARIABLE, value }));
  return { name: "istio-proxy", env: [{ name: "OTHER", value: "1" }, ...entries] };
}

function podWith(proxy: Container, annotations?: Readonly<Record<string, string>>): Pod {
  return { ...(annotations && { metadata: { annotations } }), spec: { containers: [{ name: "app" }, proxy] } };
}

const injectionOf = (release?: IstioRelease) => ({ injector: { config: { istio: release } } }) as RenderedInjection;
const apply = (pod: Pod, release?: IstioRelease) => securePort.apply(pod, injectionOf(release));
const undo = (pod: Pod) => securePort.undo?.(pod, neverInjected);

describe("securePort.apply()", () => {
  it("names the port that the proxy serves", () => {
    expect(apply(podWith(proxyWith("15091"))).metadata?.annotations).toEqual({ [KEY]: "15091" });
    const pod = podWith(proxyWith("15091"), { "prometheus.io/port": "80", a: "b" });
    expect(apply(pod).metadata?.annotations).toEqual({ "prometheus.io/port": "80", a: "b", [KEY]: "15091" });
  });

  it.each<[IstioRelease, boolean]>([
    ["1.30", false],
    ["1.31", true],
  ])("does so in Istio %s: %s", (release, isSet) => {
    const pod = podWith(proxyWith("15091"));
    expect(apply(pod, release) !== pod).toBe(isSet);
  });

  it("finds the proxy among the init containers", () => {
    const pod: Pod = { spec: { containers: [{ name: "app" }], initContainers: [proxyWith("15091")] } };
    expect(apply(pod).metadata?.annotations).toEqual({ [KEY]: "15091" });
  });

  it("passes over entries that name no port", () => {
    expect(apply(podWith(proxyWith("0", "", undefined, "15091"))).metadata?.annotations).toEqual({
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
    expect(apply(pod)).toBe(pod);
  });

  it.each(["prometheus.istio.io/secure-ports", "prometheus.istio.io/port", "x-prometheus.istio.io/secure-port"])(
    "is not kept from it by %s",
    (key) => {
      expect(apply(podWith(proxyWith("15091"), { [key]: "1" })).metadata?.annotations).toHaveProperty([KEY], "15091");
    },
  );
});

describe("securePort.undo()", () => {
  it("removes the annotation that names the port of the proxy", () => {
    const pod = podWith(proxyWith("15091"), { [KEY]: "15091", a: "b" });
    expect(undo(pod)?.metadata?.annotations).toEqual({ a: "b" });
    expect(undo(apply(podWith(proxyWith("15091"), { a: "b" })))?.metadata?.annotations).toEqual({ a: "b" });
  });

  it.each<[string, Pod]>([
    ["the annotation is the author's", podWith(proxyWith("15091"), { [KEY]: "1" })],
    ["there is no annotation", podWith(proxyWith("15091"), { a: "b" })],
    ["there are no annotations", podWith(proxyWith("15091"))],
    ["there was no proxy", { metadata: { annotations: { [KEY]: "15091" } }, spec: { containers: [{ name: "app" }] } }],
    ["the proxy served no such port", podWith(proxyWith("0"), { [KEY]: "0" })],
    ["neither has one", podWith(proxyWith(), { a: "b" })],
  ])("returns the pod itself where %s", (_what, pod) => {
    expect(undo(pod)).toBe(pod);
  });
});
