import { defined } from "@outrigger/base";
import type { Container, Pod } from "@outrigger/pod";
import { describe, expect, it } from "vitest";
import type { RenderedInjection } from "../injection.ts";
import { proxyUserAlignment, withoutPlatformUser } from "./proxy-user.ts";

const ARGS = ["-p", "15001", "-u", "1337", "-m", "REDIRECT"];
const REDIRECTED = ["-p", "15001", "-u", "2000", "-m", "REDIRECT"];

interface Given {
  /** The security context of the author's own container for the proxy. */
  readonly chosen?: Container["securityContext"];
  readonly init?: readonly Container[];
  readonly mode?: string;
  readonly annotation?: string;
  /** The pod that the templates render: all of the pod that is not the author's. */
  readonly overlay?: Pod;
  readonly compatibility?: "reference";
}

/** The pod after merging, with the step applied to it. */
function aligned({
  chosen,
  init = [{ name: "istio-init", args: ARGS }],
  mode,
  annotation,
  overlay,
  compatibility,
}: Given) {
  const author: Pod = { spec: { containers: [{ name: "istio-proxy", ...(chosen && { securityContext: chosen }) }] } };
  const pod: Pod = {
    ...(annotation && { metadata: { annotations: { "sidecar.istio.io/interceptionMode": annotation } } }),
    spec: {
      containers: [{ name: "app" }, { name: "istio-proxy", securityContext: { runAsUser: 2000, privileged: false } }],
      initContainers: init,
    },
  };
  const injection = {
    injector: { config: { compatibility } },
    pod: author,
    overlay: overlay ?? pod,
    proxyConfig: { interceptionMode: mode },
  } as unknown as RenderedInjection;
  return { pod, result: proxyUserAlignment.apply(pod, injection) };
}

const proxyOf = ({ spec }: Pod) => spec?.containers[1]?.securityContext;

describe("proxyUserAlignment", () => {
  it("does not redirect the traffic of the user that the author chose", () => {
    const { result } = aligned({ chosen: { runAsUser: 2000, runAsGroup: 3000 } });
    expect(result.spec?.initContainers).toEqual([{ name: "istio-init", args: REDIRECTED }]);
    expect(proxyOf(result)).toEqual({ runAsUser: 2000, privileged: false });
  });

  it("gives the validation container the user and group, and only those that were chosen", () => {
    const init = [{ name: "mine" }, { name: "istio-validation", args: ARGS, securityContext: { privileged: false } }];
    const { result } = aligned({ chosen: { runAsUser: 2000, runAsGroup: 3000 }, init });
    expect(result.spec?.initContainers).toEqual([
      { name: "mine" },
      {
        name: "istio-validation",
        args: REDIRECTED,
        securityContext: { privileged: false, runAsUser: 2000, runAsGroup: 3000 },
      },
    ]);
    const group = aligned({ chosen: { runAsGroup: 3000 }, init }).result.spec?.initContainers?.[1];
    expect(group).toEqual({ ...init[1], securityContext: { privileged: false, runAsGroup: 3000 } });
    const user = aligned({ chosen: { runAsUser: 2000 }, init }).result.spec?.initContainers?.[1];
    expect(user?.securityContext).toEqual({ privileged: false, runAsUser: 2000 });
  });

  it("prefers the init container where both are there", () => {
    const init = [
      { name: "istio-validation", args: ARGS },
      { name: "istio-init", args: ARGS },
    ];
    const { result } = aligned({ chosen: { runAsUser: 2000 }, init });
    expect(result.spec?.initContainers).toEqual([init[0], { name: "istio-init", args: REDIRECTED }]);
  });

  it.each<[string, Given]>([
    ["the mesh", { mode: "TPROXY" }],
    ["the annotation", { annotation: "TPROXY" }],
  ])("runs the proxy as root with TPROXY of %s", (_what, given) => {
    const init = [{ name: "istio-validation", args: ARGS }];
    const { result } = aligned({ chosen: { runAsUser: 2000 }, init, ...given });
    expect(proxyOf(result)).toEqual({ runAsUser: 0, privileged: false });
    expect(result.spec?.initContainers).toEqual([{ name: "istio-validation", args: REDIRECTED }]);
    const group = aligned({ chosen: { runAsGroup: 3000 }, init, ...given });
    expect(proxyOf(group.result)).toEqual({ runAsUser: 2000, privileged: false });
    expect(group.result).toBe(group.pod);
  });

  it.each<[string, Given]>([
    ["the author chose none", {}],
    ["the author chose nothing of a user", { chosen: { privileged: true } }],
    ["no container redirects or validates", { chosen: { runAsUser: 2000 }, init: [{ name: "mine", args: ARGS }] }],
    ["the user is root", { chosen: { runAsUser: 0 } }],
    ["the container has no arguments", { chosen: { runAsUser: 2000 }, init: [{ name: "istio-init" }] }],
    ["no argument names a user", { chosen: { runAsUser: 2000 }, init: [{ name: "istio-init", args: ["-p", "1"] }] }],
    [
      "the last argument lacks the user",
      { chosen: { runAsUser: 2000 }, init: [{ name: "istio-init", args: ["-p", "-u"] }] },
    ],
  ])("returns the pod itself where %s", (_what, given) => {
    const { pod, result } = aligned(given);
    expect(result).toBe(pod);
  });

  it("leaves containers of the author's that no template names, where the reference changes them", () => {
    const given = { chosen: { runAsUser: 2000 }, mode: "TPROXY", overlay: {} };
    const { pod, result } = aligned(given);
    expect(result).toBe(pod);
    const own = aligned({ ...given, overlay: { spec: { containers: [], initContainers: [{ name: "istio-init" }] } } });
    expect(own.result.spec?.initContainers).toEqual([{ name: "istio-init", args: REDIRECTED }]);
    expect(proxyOf(own.result)).toEqual(proxyOf(pod));
    const asReference = aligned({ ...given, compatibility: "reference" });
    expect(proxyOf(asReference.result)).toEqual({ runAsUser: 0, privileged: false });
  });

  it("replaces the user where it is the last argument, or the first", () => {
    for (const args of [
      ["-p", "-u", "1"],
      ["-u", "1"],
    ]) {
      const { result } = aligned({ chosen: { runAsUser: 2000 }, init: [{ name: "istio-init", args }] });
      expect(result.spec?.initContainers?.[0]?.args).toEqual(args.with(-1, "2000"));
    }
  });

  it("returns the pod itself where the author or the pod has no spec", () => {
    const injector = { config: {} };
    const injection = { injector, overlay: {}, pod: {}, proxyConfig: {} } as unknown as RenderedInjection;
    const pod: Pod = {};
    expect(proxyUserAlignment.apply(pod, injection)).toBe(pod);
    const chosen = { pod: { spec: { containers: [{ name: "istio-proxy", securityContext: { runAsUser: 1 } }] } } };
    expect(proxyUserAlignment.apply(pod, { ...injection, ...chosen } as RenderedInjection)).toBe(pod);
  });
});

describe("withoutPlatformUser()", () => {
  const user = (name: string, runAsUser?: number): Container =>
    defined({
      name,
      securityContext: runAsUser === undefined ? undefined : { runAsUser, runAsGroup: runAsUser, privileged: false },
    });
  const podOf = (containers: readonly Container[], initContainers?: readonly Container[]): Pod => ({
    spec: { containers, ...(initContainers && { initContainers }) },
  });

  it("drops the user and group that the proxy shares with the application", () => {
    const pod = podOf([user("app", 1000), user("istio-proxy", 1000)]);
    expect(withoutPlatformUser(pod)).toEqual(
      podOf([user("app", 1000), { name: "istio-proxy", securityContext: { privileged: false } }]),
    );
  });

  it("goes by the last of the author's users, init containers after containers, and never by injected ones", () => {
    const proxy = user("istio-proxy", 1000);
    const changed = (pod: Pod) => withoutPlatformUser(pod) !== pod;
    expect(changed(podOf([user("a", 1), user("b", 1000), user("c"), proxy]))).toBe(true);
    expect(changed(podOf([user("a", 1000), user("b", 1), proxy]))).toBe(false);
    expect(changed(podOf([user("a", 1), proxy], [user("b", 1000)]))).toBe(true);
    expect(changed(podOf([user("a", 1000), proxy], [user("istio-init", 1), user("istio-validation", 2)]))).toBe(true);
    expect(changed(podOf([user("a", 1000)], [proxy]))).toBe(true);
  });

  it("takes no user for root", () => {
    const proxy = { name: "istio-proxy", securityContext: { privileged: false } };
    expect(withoutPlatformUser(podOf([user("a"), proxy]))).toEqual(podOf([user("a"), proxy]));
    const pod = podOf([user("a", 1), proxy]);
    expect(withoutPlatformUser(pod)).toBe(pod);
  });

  it.each<[string, Pod]>([
    ["the users differ", podOf([user("app", 1), user("istio-proxy", 2)])],
    ["there is no proxy", podOf([user("app", 1)])],
    ["the proxy has no security context", podOf([user("app"), user("istio-proxy")])],
    ["there is no spec", {}],
  ])("returns the pod itself where %s", (_what, pod) => {
    expect(withoutPlatformUser(pod)).toBe(pod);
  });
});
