// An edit of the selectors moves the webhook's decision at once, and a registered safety net keeps the one that it was made of: the person
// who moves the channel is warned, and the command of the warning brings the two together.
import { afterEach, beforeEach, expect, it } from "vitest";
import { type CliLab, openCliLab } from "./cli-lab.ts";

let lab: CliLab;
beforeEach(async () => {
  lab = await openCliLab();
  lab.namespace("shop", { "istio-injection": "enabled" });
  expect((await lab.run("publish")).err).toBe("");
});
afterEach(() => lab.close());

const CONFIG = "neverInjectSelector:\n- matchLabels: {tier: batch}\n";

it("publishing and promoting say that a net decides by the selectors of before, until it is registered again", async () => {
  expect((await lab.register("--phase", "cluster", "--safety-net", "deny")).code).toBe(0);
  const policy = () => {
    const [found] = [...lab.api.objects].filter(([path]) => path.includes("/validatingadmissionpolicies/"));
    return JSON.stringify(found);
  };
  await lab.aws.edit("config", CONFIG);
  const told =
    'The safety net of shop keeps the previous policy, selectors and matches until you run "outrigger register --cluster shop"';
  expect((await lab.run("publish", "--dry-run")).err).toContain(told);
  expect((await lab.run("publish", "--channel", "canary")).err).not.toContain("safety net");
  expect((await lab.run("promote", "canary", "stable", "--dry-run")).err).toContain(told);
  expect((await lab.run("promote", "canary", "stable")).err).toContain(told);
  expect(policy()).not.toContain("batch");
  expect((await lab.register()).code).toBe(0);
  expect(policy()).toContain("batch");
  expect((await lab.run("rollback", "stable", "--dry-run")).err).toContain(told);
  expect((await lab.run("rollback", "stable")).err).toContain(told);
  const shared = 'until the rollout has ended and you run "outrigger register --cluster shop"';
  await lab.run("pin", "stable", "--off");
  const parts = await lab.run("promote", "canary", "stable", "--share", "10,50,100", "--bake", "30m");
  expect(parts.err).toContain(shared);
  expect((await lab.run("rollout", "promote", "stable")).err).toContain(shared);
  // All workloads get the release now, and the channel can still go back to its own.
  expect((await lab.run("rollout", "promote", "stable")).err).toContain(shared);
  expect((await lab.run("rollout", "promote", "stable")).err).toContain(told);
});

it("says nothing of a cluster without a net", async () => {
  expect((await lab.register("--phase", "cluster")).code).toBe(0);
  await lab.aws.edit("config", CONFIG);
  const { code, err } = await lab.run("publish");
  expect([code, err]).toEqual([0, ""]);
});
