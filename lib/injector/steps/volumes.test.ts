import { defined } from "@outrigger/base";
import type { Container, Pod, Volume } from "@outrigger/pod";
import { describe, expect, it } from "vitest";
import type { RenderedInjection } from "../injection.ts";
import { type InjectionStatus, nothingInjected } from "../undo/injection-status.ts";
import { volumeReconciliation } from "./volumes.ts";

const OLD: Volume = { name: "envoy", configMap: { name: "old" } };
const NEW: Volume = { name: "envoy", secret: { secretName: "new" } };
/** The result of merging two sources. */
const BOTH = { ...OLD, ...NEW };
const MINE: Volume = { name: "mine", emptyDir: {} };

function podWith(volumes: readonly Volume[] | undefined, containers: readonly Container[] = [{ name: "app" }]): Pod {
  return { spec: defined({ containers, volumes }) };
}

const earlier: InjectionStatus = { ...nothingInjected, volumes: ["envoy"], trust: "whole" };

/** The volumes that are left of the pod's; `before` is the pod of the request, with what an earlier injection left. */
function reconciled(pod: Pod, overlay: readonly Volume[] | undefined, status = earlier, before = pod): Pod {
  const injection = { earlier: status, pod: before, overlay: podWith(overlay) } as unknown as RenderedInjection;
  return volumeReconciliation.apply(pod, injection);
}

describe("volumeReconciliation.apply() for a volume of a status that Istio wrote", () => {
  const listed = { ...earlier, trust: "listed" } as const;

  it("keeps it where the template has no source: it may be the author's", () => {
    const pod = podWith([OLD]);
    expect(reconciled(pod, [{ name: "envoy" }], listed)).toBe(pod);
    expect(reconciled(pod, [{ name: "envoy" }]).spec?.volumes).toEqual([{ name: "envoy", emptyDir: {} }]);
    expect(reconciled(podWith([BOTH]), [NEW], listed, pod).spec?.volumes).toEqual([NEW]);
  });
});

describe("volumeReconciliation.apply() for a volume that is no longer wanted", () => {
  it("takes it out, and leaves the author's own", () => {
    expect(reconciled(podWith([MINE, OLD]), []).spec?.volumes).toEqual([MINE]);
    expect(reconciled(podWith([OLD, MINE]), undefined).spec?.volumes).toEqual([MINE]);
  });

  it("leaves no empty list", () => {
    const { spec } = reconciled(podWith([OLD]), []);
    expect(spec?.volumes).toBeUndefined();
  });

  it.each<[string, Pod]>([
    [
      "a container",
      podWith([OLD], [{ name: "app" }, { name: "b", volumeMounts: [{ name: "envoy", mountPath: "/e" }] }]),
    ],
    [
      "a container that mounts others too",
      podWith(
        [OLD],
        [
          {
            name: "app",
            volumeMounts: [
              { name: "x", mountPath: "/x" },
              { name: "envoy", mountPath: "/e" },
            ],
          },
        ],
      ),
    ],
    [
      "an init container",
      {
        spec: {
          containers: [{ name: "app" }],
          initContainers: [{ name: "init", volumeMounts: [{ name: "envoy", mountPath: "/e" }] }],
          volumes: [OLD],
        },
      },
    ],
  ])("keeps it where %s mounts it", (_what, pod) => {
    expect(reconciled(pod, [])).toBe(pod);
  });

  it("takes it out where only other volumes are mounted", () => {
    const pod = podWith([MINE, OLD], [{ name: "app", volumeMounts: [{ name: "mine", mountPath: "/m" }] }]);
    expect(reconciled(pod, []).spec?.volumes).toEqual([MINE]);
  });

  it("keeps it where the status is not known to be whole", () => {
    const pod = podWith([OLD]);
    expect(reconciled(pod, [], { ...earlier, trust: "listed" })).toBe(pod);
    expect(reconciled(pod, [], { ...earlier, trust: "damaged" })).toBe(pod);
  });

  it("keeps it where the author has one of that name", () => {
    const pod = podWith([OLD]);
    expect(reconciled(pod, [], { ...earlier, notes: ["kept/volumes/envoy"] })).toBe(pod);
    expect(reconciled(pod, [], { ...earlier, notes: ["kept/volumes/other"] }).spec?.volumes).toBeUndefined();
  });
});

describe("volumeReconciliation.apply() for a volume that is wanted", () => {
  it("is what the overlay has where merging changed what was there", () => {
    const pod = reconciled(podWith([MINE, BOTH]), [NEW], earlier, podWith([MINE, OLD]));
    expect(pod.spec?.volumes).toEqual([MINE, NEW]);
  });

  it("names a source where the overlay names none", () => {
    const pod = reconciled(podWith([{ ...OLD, csi: { driver: "d" } }]), [{ name: "envoy" }], earlier, podWith([OLD]));
    expect(pod.spec?.volumes).toEqual([{ name: "envoy", emptyDir: {} }]);
  });

  it("keeps the order that the pod has, where an overlay orders the same volumes in another way", () => {
    const other: Volume = { name: "other", emptyDir: {} };
    const merged = podWith([NEW, other, MINE]);
    const pod = reconciled(merged, [NEW, other], earlier, podWith([MINE, OLD, other]));
    expect(pod.spec?.volumes).toEqual([MINE, NEW, other]);
  });

  it("returns the pod itself where merging changed nothing", () => {
    const pod = podWith([MINE, OLD]);
    expect(reconciled(pod, [OLD], earlier, structuredClone(pod))).toBe(pod);
    const bare = podWith([{ name: "envoy", emptyDir: {} }]);
    expect(reconciled(bare, [{ name: "envoy" }], earlier, podWith([{ name: "envoy" }]))).toBe(bare);
  });

  it("returns the pod itself where the volume was not there before and has the overlay's kind of source", () => {
    const pod = podWith([{ name: "envoy", secret: { secretName: "other" } }]);
    expect(reconciled(pod, [NEW], earlier, podWith([MINE]))).toBe(pod);
    expect(reconciled(pod, [NEW], earlier, podWith(undefined))).toBe(pod);
    expect(reconciled(pod, [NEW], earlier, {})).toBe(pod);
  });

  it("is what the overlay has where its kind of source is another", () => {
    expect(reconciled(podWith([OLD]), [NEW], earlier, podWith([OLD])).spec?.volumes).toEqual([NEW]);
  });

  it("takes it for no longer wanted where the overlay has no spec", () => {
    const injection = { earlier, pod: podWith([OLD]), overlay: {} } as unknown as RenderedInjection;
    expect(volumeReconciliation.apply(podWith([OLD, MINE]), injection).spec?.volumes).toEqual([MINE]);
  });
});

describe("volumeReconciliation.apply() where there is nothing to do", () => {
  it.each<[string, Pod, InjectionStatus]>([
    ["there was no earlier injection", podWith([OLD]), nothingInjected],
    ["it had no volumes", podWith([OLD]), { ...earlier, volumes: [] }],
    ["the pod has no volumes", podWith(undefined), earlier],
    ["the pod has no spec", {}, earlier],
  ])("returns the pod itself where %s", (_what, pod, status) => {
    expect(reconciled(pod, [NEW], status)).toBe(pod);
  });
});
