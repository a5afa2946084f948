import type { Pod } from "@outrigger/pod";
import { describe, expect, it } from "vitest";
import { keepStoredSettings } from "./stored-settings.ts";

const PROFILE = { type: "RuntimeDefault" } as const;
const podOf = (spec: object, annotations = {}) =>
  ({ metadata: { annotations }, spec: { containers: [], ...spec } }) as Pod;

describe("keepStoredSettings()", () => {
  const sidecar = { name: "istio-proxy", securityContext: { runAsUser: 1337 } };
  const profiled = { name: "istio-proxy", securityContext: { runAsUser: 1337, appArmorProfile: PROFILE } };
  const annotations = { "container.apparmor.security.beta.kubernetes.io/istio-proxy": "runtime/default" };

  it.each(["containers", "initContainers"])(
    "keeps the profile of one of the %s that an annotation asks for",
    (list) => {
      const stored = podOf({ [list]: [profiled] }, annotations);
      expect(keepStoredSettings(podOf({ [list]: [sidecar] }, annotations), stored)).toEqual(stored);
    },
  );

  it("does not keep a profile that no annotation of the container asks for, or that the template has otherwise", () => {
    const stored = podOf({ containers: [profiled] }, annotations);
    const other = { "container.apparmor.security.beta.kubernetes.io/web": "runtime/default" };
    const unconfined = { name: "istio-proxy", securityContext: { appArmorProfile: { type: "Unconfined" } } };
    for (const wanted of [podOf({ containers: [sidecar] }, other), podOf({ containers: [unconfined] }, annotations)])
      expect(keepStoredSettings(wanted, stored)).toEqual(wanted);
  });
});
