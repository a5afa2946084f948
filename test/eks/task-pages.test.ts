// The task pages whose blocks need a cluster, followed literally: in bash, with the stand-in of an API server, its controllers, and the
// real webhook.
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { codeBlocks, isShell, textOf } from "../pages/code-blocks.ts";
import { openShell, type Shell } from "../pages/shell.ts";
import { shippedTree } from "../support/shipped-tree.ts";
import { type CliLab, openCliLab } from "./cli-lab.ts";
import { putDeployment, withControllers } from "./controlled-lab.ts";

describe("docs/tasks", { timeout: 240_000 }, () => {
  let lab: CliLab;
  let shell: Shell;
  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    lab = await openCliLab(await shippedTree());
    for (const name of ["staging", "shop"]) lab.namespace(name, { "istio-injection": "enabled" });
    expect((await lab.run("publish")).err).toBe("");
    expect((await lab.register("--phase", "cluster")).code).toBe(0);
    putDeployment(lab, "cart", "staging");
    for (const name of ["cart", "web"]) putDeployment(lab, name);
    await withControllers(lab);
    shell = await openShell(({ env, ...place }) =>
      lab.ioOf({ ...place, env: { ...env, KUBECONFIG: join(lab.cwd, "kubeconfig") } }),
    );
  });
  afterEach(async () => {
    await shell.close();
    await lab.close();
    vi.useRealTimers();
  });

  /** The blocks of a page that are run, by what they begin with. */
  const blocksOf = (page: string) =>
    codeBlocks(textOf(page)).filter((block) => isShell(block) && !block.marks.includes("server"));
  const follow = async (page: string, from: number, to?: number) => {
    const results = [];
    for (const block of blocksOf(page).slice(from, to)) results.push(await shell.run(block.text));
    return results;
  };

  it("proxy-cve.md ends with no outdated pod", async () => {
    const page = "docs/tasks/proxy-cve.md";
    const [published, found, restarted] = await follow(page, 0, 3);
    expect(published?.code, published?.output).toBe(0);
    expect([found?.code, found?.output]).toEqual([1, expect.stringContaining("6 pods: 6 outdated\n")]);
    expect(found?.output).toMatch(/proxyv2:\S+ → \S+proxyv2:1\.31\.1\n/);
    expect(restarted?.code, restarted?.output).toBe(0);
    const [shown] = await follow(page, 4);
    expect([shown?.code, shown?.output]).toEqual([0, "no pod is outdated\n"]);
  });

  it("proxy-cve.md takes a bad image back with its pods", async () => {
    const page = "docs/tasks/proxy-cve.md";
    const [published] = await follow(page, 0, 1);
    expect(published?.code, published?.output).toBe(0);
    // The fixed image turns out to crash.
    await lab.aws.edit("values/90-bad", "global: {hub: crashing.example}\n");
    expect((await lab.run("publish")).code).toBe(0);
    const [, restarted, back, shown] = await follow(page, 1);
    expect([restarted?.code, restarted?.output]).toEqual([
      1,
      expect.stringMatching(
        /staging\/Deployment\/cart does not come back: pod cart-\S+, container istio-proxy: CrashLoopBackOff/,
      ),
    ]);
    expect(back?.output).toContain("staging/Deployment/cart is back\n");
    // Those that never had it keep the image of before, until it is published anew.
    expect([shown?.code, shown?.output]).toEqual([1, expect.stringContaining("2 workloads of shop would come out")]);
  });

  const canary = async () => {
    await lab.aws.edit("values/50-image", 'global: {tag: "1.31.1"}\n');
    expect((await lab.run("publish", "--channel", "canary")).code).toBe(0);
  };
  const runBlock = async (page: string, words: string) => {
    const block = blocksOf(page).find(({ text }) => text.includes(words));
    expect(block, words).toBeDefined();
    return shell.run(block?.text ?? "");
  };

  it("upgrade-istio.md ends with no outdated pod", async () => {
    await canary();
    const page = "docs/tasks/upgrade-istio.md";
    const promoted = await runBlock(page, "outrigger promote canary stable -m");
    expect(promoted.code, promoted.output).toBe(0);
    const restarted = await runBlock(page, "outrigger restart --context prod");
    expect([restarted.code, restarted.output]).toEqual([0, expect.stringMatching(/6 pods: 6 current\n$/)]);
  });

  it.each(["docs/tasks/upgrade-istio.md", "docs/tasks/pipeline.md", "docs/rollout-by-pods.md"])(
    "%s promotes share by share, judged by the pods",
    async (page) => {
      await canary();
      const promoted = await runBlock(page, "outrigger promote canary stable --share 5,25,100 --restart");
      expect(promoted.code, promoted.output).toBe(0);
      expect(promoted.output).toContain("All workloads have it");
      expect((await shell.run("outrigger pods --context prod")).output).toBe("6 pods: 6 current\n");
    },
  );

  it("running-pods.md lists, restarts, changes in place and takes back as it says", async () => {
    await canary();
    expect((await lab.run("promote", "canary", "stable")).code).toBe(0);
    const page = "docs/running-pods.md";
    const planned = await shell.run("outrigger restart --context prod --dry-run");
    expect(planned.output).toContain("To restart, in this order: 3 workloads with 6 pods\n");
    const inPlace = await runBlock(page, "--in-place");
    expect([inPlace.code, inPlace.output]).toEqual([1, expect.stringContaining("Nothing to change in place\n")]);
    const back = await runBlock(page, "outrigger rollback stable --restart");
    expect(back.code, back.output).toBe(0);
    expect((await shell.run("outrigger pods --context prod")).output).toBe("6 pods: 6 current\n");
  });
});
