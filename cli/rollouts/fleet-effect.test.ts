import type { OutriggerError } from "@outrigger/base";
import { compileRelease } from "@outrigger/injector";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SHIPPED } from "../../test/cli/fake-aws.ts";
import type { CliLab } from "../../test/eks/cli-lab.ts";
import { deployedPods } from "../../test/eks/deployed-pods.ts";
import { openRegisteredLab } from "../../test/eks/registered-lab.ts";
import { printFleetEffect, readFleetEffect } from "./fleet-effect.ts";

const tree = (name: string, hub?: string) => ({
  name,
  digest: name.padEnd(12, "0"),
  release: compileRelease([SHIPPED, ...(hub === undefined ? [] : [{ "values/10-mine": `global: {hub: ${hub}}\n` }])]),
});

describe("printFleetEffect()", { timeout: 180_000 }, () => {
  let lab: CliLab;
  let pay: Awaited<ReturnType<CliLab["addCluster"]>>;
  beforeAll(async () => {
    lab = await openRegisteredLab();
    pay = await lab.addCluster("pay");
    pay.namespace("shop", { "istio-injection": "enabled" });
    expect((await lab.run("register", "--cluster", "pay", "--ca-file", "ca.pem", "--phase", "cluster")).code).toBe(0);
    await deployedPods(() => lab)("web");
    for (const name of ["web", "cart"]) await deployedPods(() => pay)(name);
  });
  afterAll(() => lab.close());

  const print = async (after: ReturnType<typeof tree>, more: object = {}) => {
    const io = lab.ioOf({ cwd: lab.cwd, env: {}, input: [] });
    const options = { deployment: "dev", kubeconfig: "kubeconfig", context: ["eks"], ...more };
    const error = await printFleetEffect({ before: tree("stable"), after }, options as never, io).catch(
      (failed: OutriggerError) => failed,
    );
    return { out: io.out(), error };
  };
  const ALL = { all: true, maxConcurrency: 5, context: undefined, kubeconfig: undefined };

  it("is well where no next pod differs", async () => {
    const { out, error } = await print(tree("same"));
    expect(error).toBeUndefined();
    expect(out).toMatch(/No next pod of shop differs \(1 pod\)\n$/);
  });

  it("ends with a finding that counts workloads, in one cluster or several", async () => {
    const one = await print(tree("mine", "mine"));
    expect(one.error).toMatchObject({ code: "findings", message: "One workload of shop would come out differently" });
    expect(one.out).toContain("1 of 1 pod of shop would come out differently");
    const several = await print(tree("mine", "mine"), ALL);
    expect(several.error).toMatchObject({ message: "3 workloads of 2 clusters would come out differently" });
  });

  it("prints for programs and in Markdown what it prints for people", async () => {
    const { before, after, clusters, groups } = JSON.parse((await print(tree("mine", "mine"), { json: true })).out);
    expect([before, after]).toEqual([
      { name: "stable", release: "stable000000" },
      { name: "mine", release: "mine00000000" },
    ]);
    expect([clusters.length, groups.length]).toEqual([1, 1]);
    expect((await print(tree("mine", "mine"), { output: "markdown" })).out).toMatch(/^#+ |\n\|/);
    const io = lab.ioOf({ cwd: lab.cwd, env: {}, input: [] });
    const options = { deployment: "dev", kubeconfig: "kubeconfig", context: ["eks"], output: "wide" };
    const { text, value } = await readFleetEffect(
      { before: tree("stable"), after: tree("mine", "mine") },
      options as never,
      io,
    );
    expect([value.workloads, text.includes("web")]).toEqual([1, true]);
  });

  it("says which cluster is left out before what differs in the others, and fails where none could be asked", async () => {
    pay.api.before = () => {
      throw new Error("cut");
    };
    const some = await print(tree("mine", "mine"), ALL);
    expect(some.out).toMatch(/of shop would come out differently[\s\S]*\npay is left out: \S/);
    expect(some.error).toMatchObject({
      code: "cluster-unreachable",
      message: "1 of 2 clusters could not be asked: pay",
    });
    const none = await print(tree("mine", "mine"), { ...ALL, all: undefined, clusters: ["pay"] });
    expect([none.out, none.error?.code]).toEqual(["", "cluster-unreachable"]);
    expect(none.error?.message).not.toContain("could not be asked");
    const named = await print(tree("mine", "mine"), {
      context: undefined,
      kubeconfig: undefined,
      cluster: ["shop", "pay"],
    });
    expect([named.out, named.error?.code]).toEqual(["", "cluster-unreachable"]);
  });
});
