import { putWorkload } from "@outrigger/fake-aws";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { CliLab } from "../../test/eks/cli-lab.ts";
import { withControllers } from "../../test/eks/controlled-lab.ts";
import { openRegisteredLab } from "../../test/eks/registered-lab.ts";
import { main } from "../main.ts";

const PROMOTE = ["promote", "canary", "stable", "--share", "50,100", "--restart"];
const KUBECONFIG = ["--kubeconfig", "kubeconfig", "--context", "eks"];

describe("promotePods()", { timeout: 180_000 }, () => {
  let lab: CliLab;
  beforeEach(async () => {
    lab = await openRegisteredLab();
    vi.useFakeTimers({ toFake: ["Date"] });
    for (const name of ["web", "cart"]) putWorkload(lab, "shop", name);
    await withControllers(lab);
  });
  afterEach(async () => {
    vi.useRealTimers();
    await lab.close();
  });
  const promote = (...argv: readonly string[]) => lab.run(...PROMOTE, ...KUBECONFIG, ...argv);
  const releases = async () => {
    const channels = JSON.parse((await lab.run("channel", "-o", "json")).out);
    return [channels.canary?.release, channels.stable.release, channels.stable.share] as const;
  };
  const publish = async (hub: string) => {
    await lab.aws.edit("values/10-mine", `global: {hub: ${hub}}\n`);
    expect((await lab.run("publish", "--channel", "canary")).code).toBe(0);
  };
  const asking = async (answer: string) => {
    const questions: string[] = [];
    const io = {
      ...lab.ioOf({ cwd: lab.cwd, env: {}, input: [] }),
      ask: async (question: string) => {
        questions.push(question);
        return answer;
      },
    };
    const code = await main([...PROMOTE, ...KUBECONFIG], io);
    return { code, err: io.err(), questions };
  };

  it("asks before it moves anything, and moves nothing without a yes", async () => {
    await publish("sound.example");
    const [, before] = await releases();
    const unasked = await promote();
    expect([unasked.code, unasked.out]).toEqual([2, ""]);
    const refused = await asking("n");
    expect(refused).toEqual({
      code: 2,
      err: expect.stringMatching(/Nothing was promoted\n$/),
      questions: ["Restart the workloads of shop, share by share? [y/N] "],
    });
    expect(await releases()).toEqual([expect.any(String), before, undefined]);
  });

  it("gives every workload the release, says each step, and continues what is complete without a question", async () => {
    await publish("sound.example");
    const done = await promote("--yes", "--json");
    expect(done.code, done.err).toBe(0);
    const [canary, stable, share] = await releases();
    expect([stable, share]).toEqual([canary, undefined]);
    expect(JSON.parse(done.out)).toMatchObject({
      cluster: "shop",
      channel: "stable",
      release: canary,
      state: "complete",
    });
    expect(done.err).toMatch(/50 %/);
    expect((await lab.run("pods", ...KUBECONFIG)).out).toBe("4 pods: 4 current\n");
    const again = await promote();
    expect([again.code, again.out]).toEqual([0, expect.stringMatching(/^All workloads have it: /)]);
    expect(again.err).toContain(`Continuing the rollout of ${canary}\n`);
  });

  it("takes back a release whose pods do not come up, with the reason, and leaves the pods as they were", async () => {
    const [, before] = await releases();
    await publish("crashing.example");
    const { code, out, err } = await promote("--yes");
    expect([code, out]).toEqual([1, expect.stringMatching(/^It was taken back: /)]);
    expect(err).toMatch(/was taken back: shop\/Deployment\/\w+ does not/);
    expect((await releases())[1]).toBe(before);
    expect((await lab.run("pods", ...KUBECONFIG)).out).toBe("4 pods: 4 current\n");
    expect((await promote("--yes")).err).toMatch(/it was taken back at .* try it again with --force/);
  });

  it("shows what it would do, and of one that is under way that it would continue it", async () => {
    await publish("sound.example");
    const planned = await promote("--dry-run");
    expect([planned.code, planned.out]).toEqual([
      0,
      expect.stringMatching(/To restart, in this order: 2 workloads with 4 pods/),
    ]);
    expect(planned.err).not.toContain("is under way");
    const first = lab.start([...PROMOTE, ...KUBECONFIG, "--yes"]);
    first.io.stop();
    expect([await first.ended, first.io.err()]).toEqual([1, expect.stringContaining("It was stopped")]);
    expect(first.io.err()).toContain("Beginning nothing more, and waiting for what is under way");
    const [canary] = await releases();
    expect((await promote("--dry-run")).err).toContain(
      `A rollout of ${canary} is under way: without --dry-run, this command continues it\n`,
    );
    const continued = await promote();
    expect([continued.code, continued.out]).toEqual([0, expect.stringMatching(/^All workloads have it: /)]);
  });

  it("moves nothing where the cluster cannot be reached", async () => {
    await publish("sound.example");
    const before = await releases();
    lab.api.before = () => {
      throw new Error("cut");
    };
    expect(await promote("--yes")).toMatchObject({ code: 3, out: "" });
    expect(await releases()).toEqual(before);
  });
});
