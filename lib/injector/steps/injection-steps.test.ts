import { injectionKeys } from "@outrigger/base";
import type { Pod } from "@outrigger/pod";
import { describe, expect, it } from "vitest";
import type { RenderedInjection } from "../injection.ts";
import { namedSteps } from "./injection-steps.ts";

const { "container-order": containerOrder } = namedSteps;

const injection = (holdApplication: boolean) =>
  ({
    proxyConfig: {},
    injector: { config: {}, keys: injectionKeys(), isOfMesh: true, settings: { holdApplication } },
  }) as unknown as RenderedInjection;

const podOf = (initContainers: readonly string[], containers: readonly string[]): Pod => ({
  spec: { initContainers: initContainers.map((name) => ({ name })), containers: containers.map((name) => ({ name })) },
});

const orderOf = (pod: Pod) =>
  [pod.spec?.initContainers ?? [], pod.spec?.containers ?? []].map((list) => list.map(({ name }) => name));

describe("containerOrder.apply()", () => {
  it.each([
    {
      name: "a container",
      hold: false,
      init: ["istio-init", "a", "istio-validation", "enable-core-dump", "b"],
      main: ["istio-proxy", "x", "y"],
      expected: [
        ["istio-validation", "a", "b", "istio-init", "enable-core-dump"],
        ["x", "y", "istio-proxy"],
      ],
    },
    {
      name: "a container that starts first",
      hold: true,
      init: ["istio-init", "a"],
      main: ["x", "istio-proxy"],
      expected: [
        ["a", "istio-init"],
        ["istio-proxy", "x"],
      ],
    },
    {
      name: "a native sidecar",
      hold: false,
      init: ["a", "enable-core-dump", "istio-proxy", "istio-validation", "istio-init"],
      main: ["x"],
      expected: [["istio-init", "istio-validation", "istio-proxy", "enable-core-dump", "a"], ["x"]],
    },
  ])("orders as the table says when the proxy is $name", ({ hold, init, main, expected }) => {
    expect(orderOf(containerOrder.apply(podOf(init, main), injection(hold)))).toEqual(expected);
  });

  it("puts the proxy first where the proxy's own configuration says that applications wait for it", () => {
    const held = (holdApplicationUntilProxyStarts: boolean) =>
      ({ ...injection(false), proxyConfig: { holdApplicationUntilProxyStarts } }) as RenderedInjection;
    const pod = podOf([], ["x", "istio-proxy"]);
    expect(orderOf(containerOrder.apply(pod, held(true)))).toEqual([[], ["istio-proxy", "x"]]);
    expect(orderOf(containerOrder.apply(pod, held(false)))).toEqual([[], ["x", "istio-proxy"]]);
  });

  it("returns the pod itself when it is in order", () => {
    const pod = podOf(["a", "istio-init"], ["x", "istio-proxy"]);
    expect(containerOrder.apply(pod, injection(false))).toBe(pod);
  });
});
