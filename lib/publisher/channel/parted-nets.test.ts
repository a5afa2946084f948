import type { Release } from "@outrigger/injector";
import { describe, expect, it } from "vitest";
import { partedNets } from "./parted-nets.ts";

const releaseOf = (config: object) =>
  ({
    config: { policy: "enabled", neverInjectSelector: [], alwaysInjectSelector: [], ...config },
  }) as unknown as Release;
const SELECTOR = { neverInjectSelector: [{ requirements: [{ key: "tier", operator: "In", values: ["batch"] }] }] };

function warned(
  next: Release,
  settings: object,
  revisions: Readonly<Record<string, string>> = { default: "stable" },
  isPart = false,
  arn = "",
) {
  const state = {
    channels: { stable: { release: "1" } },
    clusters: { shop: { revisions, arn, settings } },
    snapshot: { releases: { 1: releaseOf({}) } },
  };
  return partedNets("stable", next, state as unknown as Parameters<typeof partedNets>[2], isPart);
}

describe("partedNets()", () => {
  it("names the cluster, what its net does, and the command, where selectors or the policy differ", () => {
    const [warning] = warned(releaseOf(SELECTOR), { default: { safetyNet: "deny" } });
    expect(warning).toBe(
      'The safety net of shop keeps the previous policy, selectors and matches until you run "outrigger register --cluster shop": it rejects pods that stable no longer injects, and does not notice a missing sidecar in pods that stable newly injects',
    );
    expect(warned(releaseOf({ policy: "disabled" }), { default: { safetyNet: "warn" } })[0]).toContain("warns of pods");
    expect(warned(releaseOf({ alwaysInjectSelector: [{}] }), { default: { safetyNet: "deny" } })).toHaveLength(1);
  });

  it("names a cluster by its name in EKS, and by the one that it is registered as", () => {
    const arn = (name: string) => `arn:aws:eks:eu-west-1:111122223333:cluster/${name}`;
    const commandFor = (name: string) =>
      /"outrigger register ([^"]+)"/.exec(
        warned(releaseOf(SELECTOR), { default: { safetyNet: "deny" } }, undefined, false, arn(name))[0] ?? "",
      )?.[1];
    expect(commandFor("shop")).toBe("--cluster shop");
    expect(commandFor("eks-7")).toBe("--cluster eks-7 --as shop");
  });

  it("names each cluster of the channel, with a net or without, where the label by which webhooks select is another one", () => {
    const next = releaseOf({ injectionLabel: "logs.example.com/inject" });
    expect(warned(next, {})).toEqual([
      'The webhooks of shop select pods by another label than logs.example.com/inject until you run "outrigger register --cluster shop": pods that ask by logs.example.com/inject alone are not sent',
    ]);
    expect(warned(next, { default: { safetyNet: "deny" } })).toHaveLength(1);
    expect(warned(next, {}, { default: "canary" })).toEqual([]);
    expect(warned(next, {}, undefined, true)[0]).toContain(
      'until the rollout has ended and you run "outrigger register',
    );
  });

  it("does not promise that registering helps while a share is served: a net is made of the channel's own release", () => {
    const [warning] = warned(releaseOf(SELECTOR), { default: { safetyNet: "deny" } }, undefined, true);
    expect(warning).toContain('until the rollout has ended and you run "outrigger register');
  });

  it("says nothing of a cluster without a net, of another channel's revision, and of a release that decides as before", () => {
    expect(warned(releaseOf(SELECTOR), {})).toEqual([]);
    expect(warned(releaseOf(SELECTOR), { default: { phase: "enforce" } })).toEqual([]);
    expect(warned(releaseOf(SELECTOR), { default: { safetyNet: "deny" } }, { default: "canary" })).toEqual([]);
    expect(warned(releaseOf({ defaultTemplates: ["other"] }), { default: { safetyNet: "deny" } })).toEqual([]);
    const picky = { name: "logs", match: { namespaces: ["shop"] } };
    // Every pod gets the other one, so every pod is to be injected as before.
    expect(warned(releaseOf({ defaultTemplates: ["other", picky] }), { default: { safetyNet: "deny" } })).toEqual([]);
  });

  it("names it where each default template is for some pods only", () => {
    const picky = { name: "logs", match: { namespaces: ["shop"] } };
    expect(warned(releaseOf({ defaultTemplates: [picky] }), { default: { safetyNet: "deny" } })).toHaveLength(1);
  });
});
