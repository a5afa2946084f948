import { describe, expect, it } from "vitest";
import { effectOf, leftOpen } from "./levels.ts";
import type { Power } from "./power.ts";

const power = (of: Pick<Power, "kind"> & Partial<Power>): Power => ({ value: "", at: ["spec"], ...of });

describe("effectOf()", () => {
  it.each<[what: string, power: Power, effect: string | undefined]>([
    ["its kind's, for a power without one", power({ kind: "privileged" }), "privileges-widened"],
    ["the power's own before its kind's", power({ kind: "field", effect: "pod-may-not-run" }), "pod-may-not-run"],
    ["undefined for what baseline does not forbid", power({ kind: "root" }), undefined],
    ["undefined there, whatever the power's own", power({ kind: "root", effect: "author-changed" }), undefined],
    ["identity-used, which no level forbids", power({ kind: "secret", effect: "identity-used" }), "identity-used"],
    ["undefined for a kind that never waits", power({ kind: "image", effect: "identity-used" }), undefined],
    [
      "undefined for what the mesh's own container needs",
      power({ kind: "capability", value: "NET_RAW", container: "istio-init", isNeeded: true }),
      undefined,
    ],
    [
      "its kind's for the same where it is not needed, whatever the container's name",
      power({ kind: "capability", value: "NET_RAW", container: "istio-init" }),
      "privileges-widened",
    ],
  ])("is %s", (_what, given, effect) => {
    expect(effectOf(given)).toBe(effect);
  });
});

it.each([
  [{ runAsUser: 0, runAsNonRoot: true }, ["root"]],
  [{ runAsUser: 0 }, ["root"]],
  [{ runAsNonRoot: true }, []],
  [{ runAsUser: 1337 }, []],
  [{}, ["root"]],
])("leftOpen() finds of %j whether its user is kept from being root", (securityContext, kinds) => {
  const kept = { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ["ALL"] } };
  expect(leftOpen({ securityContext: { ...kept, ...securityContext } }, {}).map(({ kind }) => kind)).toEqual(kinds);
});
