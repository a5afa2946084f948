import { injectionKeys } from "@outrigger/base";
import type { Pod } from "@outrigger/pod";
import { describe, expect, it } from "vitest";
import type { RenderedInjection } from "../injection.ts";
import { neverInjected } from "../undo/earlier-injection.ts";
import { containerOverrides } from "./overrides.ts";

const key = "proxy.istio.io/overrides";

describe("containerOverrides.apply()", () => {
  const overlay: Pod = { spec: { containers: [{ name: "istio-proxy", image: "injected", args: ["a"] }] } };
  const injectionOf = (pod: Pod, rendered: Pod) =>
    ({
      injector: { config: {}, keys: injectionKeys() },
      pod,
      overlay: rendered,
      earlier: neverInjected,
    }) as unknown as RenderedInjection;
  const author: Pod = { spec: { containers: [{ name: "istio-proxy", image: "auto", args: ["own"] }] } };

  it("applies the author's fields over the injected container, and records them", () => {
    const merged: Pod = {
      metadata: {},
      spec: { containers: [{ name: "istio-proxy", image: "injected", args: ["a"] }] },
    };
    const pod = containerOverrides.apply(merged, injectionOf(author, overlay));
    expect(pod.spec?.containers).toEqual([{ name: "istio-proxy", image: "injected", args: ["own"] }]);
    expect(JSON.parse(pod.metadata?.annotations?.[key] ?? "")).toEqual({
      containers: [{ name: "istio-proxy", args: ["own"] }],
    });
  });

  it("leaves the containers in the order of the merged pod when several templates name them in another", () => {
    const names = (pod: Pod) => pod.spec?.containers.map(({ name }) => name);
    const podOf = (...order: readonly string[]): Pod => ({ spec: { containers: order.map((name) => ({ name })) } });
    const merged = podOf("web", "metrics", "helper", "istio-proxy");
    const author = podOf("metrics", "helper", "istio-proxy");
    const pod = containerOverrides.apply(merged, injectionOf(author, podOf("web", "istio-proxy", "metrics")));
    expect(names(pod)).toEqual(names(merged));
  });

  it("takes nothing away with what an API server would not send, but records what the author wrote", () => {
    const own = { name: "istio-proxy", args: [], readinessProbe: { periodSeconds: 0 } };
    const rendered = { name: "istio-proxy", args: ["a"], readinessProbe: { periodSeconds: 15 } };
    const [authored, merged] = [own, rendered].map(
      (container): Pod => ({ metadata: {}, spec: { containers: [container] } }),
    );
    const pod = containerOverrides.apply(merged as Pod, injectionOf(authored as Pod, overlay));
    expect(pod.spec?.containers).toEqual([rendered]);
    expect(JSON.parse(pod.metadata?.annotations?.[key] ?? "")).toEqual({ containers: [own] });
  });

  it("keeps a port that the author has for TCP and UDP, where a template only adds to the container", () => {
    const ports = [
      { containerPort: 53, name: "dns", protocol: "UDP" },
      { containerPort: 53, name: "dns-tcp", protocol: "TCP" },
    ];
    const own: Pod = { spec: { containers: [{ name: "dns", image: "dns", ports }] } };
    const volumeMounts = [{ name: "logs", mountPath: "/var/log" }];
    const merged: Pod = { metadata: {}, spec: { containers: [{ name: "dns", image: "dns", ports, volumeMounts }] } };
    const pod = containerOverrides.apply(
      merged,
      injectionOf(own, { spec: { containers: [{ name: "dns", volumeMounts }] } }),
    );
    expect(pod.spec?.containers).toEqual(merged.spec?.containers);
  });

  it("refuses an integer by name that the record would round", () => {
    const large = JSON.parse(
      '{"name":"istio-proxy","livenessProbe":{"terminationGracePeriodSeconds":9007199254740993}}',
    );
    const own: Pod = { spec: { containers: [large] } };
    const merged: Pod = { metadata: {}, spec: { containers: [{ ...large, image: "injected" }] } };
    expect(() => containerOverrides.apply(merged, injectionOf(own, overlay))).toThrow(
      "livenessProbe.terminationGracePeriodSeconds of container istio-proxy is copied, and must be at most 9007199254740991",
    );
  });

  it("returns the pod itself when the author names no injected container", () => {
    const merged: Pod = { spec: { containers: [{ name: "app" }] } };
    expect(containerOverrides.apply(merged, injectionOf(merged, overlay))).toBe(merged);
  });
});
