import { putWorkload } from "@outrigger/fake-aws";
import { isInShare } from "@outrigger/serving";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CliLab } from "../../test/eks/cli-lab.ts";
import { withControllers } from "../../test/eks/controlled-lab.ts";
import { openRegisteredLab } from "../../test/eks/registered-lab.ts";
import { planAhead } from "./restart-ahead.ts";

const NAMES = ["app0", "app1", "app2", "app3", "app4", "app5"];

describe("planAhead()", { timeout: 180_000 }, () => {
  let lab: CliLab;
  let release: string;
  beforeAll(async () => {
    lab = await openRegisteredLab();
    for (const name of NAMES) putWorkload(lab, "shop", name);
    await withControllers(lab);
    await lab.aws.edit("values/10-mine", "global: {hub: mine}\n");
    expect((await lab.run("publish", "--channel", "canary")).code).toBe(0);
    release = JSON.parse((await lab.run("channel", "-o", "json")).out).canary.release;
  });
  afterAll(() => lab.close());

  const plan = (more: { readonly shares?: readonly number[]; readonly channel?: string } = {}) => {
    const io = lab.ioOf({ cwd: lab.cwd, env: {}, input: [] });
    const ahead = { channel: "stable", release, question: {}, ...more };
    return planAhead(ahead, { deployment: "dev", kubeconfig: "kubeconfig", context: "eks" } as never, io);
  };
  const inShare = (name: string, percent: number) =>
    isInShare({ cluster: "shop", namespace: "shop", kind: "Deployment", name }, percent);
  const half = (isIn: boolean) => NAMES.filter((name) => inShare(name, 50) === isIn);

  it("lists every workload whose pods would differ where all get the release at once, and writes nothing", async () => {
    const before = lab.api.calls.length;
    const { value, text } = await plan();
    expect(value.cluster).toBe("shop");
    expect(value.restart).toEqual(NAMES.map((name) => ({ namespace: "shop", kind: "Deployment", name, pods: 2 })));
    expect([value.left, value.untried]).toEqual([[], []]);
    expect(text).toMatch(/^To restart, in this order: 6 workloads with 12 pods\nNAMESPACE +WORKLOAD +PODS\n/);
    const written = lab.api.calls.slice(before).filter((call) => !call.startsWith("GET "));
    expect(written.filter((call) => !call.includes("dryRun=All"))).toEqual([]);
  });

  it("says with which share each is reached, in that order", async () => {
    expect([half(true).length > 0, half(false).length > 0]).toEqual([true, true]);
    const { value, text } = await plan({ shares: [50, 100] });
    expect(value.restart.map(({ name, share }) => [name, share])).toEqual([
      ...half(true).map((name) => [name, 50]),
      ...half(false).map((name) => [name, 100]),
    ]);
    expect(text).toMatch(/NAMESPACE +WORKLOAD +PODS +SHARE\n/);
  });

  it("leaves what no share reaches as it is", async () => {
    const { value } = await plan({ shares: [50] });
    expect(value.restart.map(({ name }) => name)).toEqual(half(true));
    expect((await plan({ shares: [] })).text).toBe("Nothing to restart: new pods would be the same\n");
  });

  it("restarts nothing where the channel serves the cluster nothing", async () => {
    expect((await plan({ channel: "canary" })).value.restart).toEqual([]);
  });

  it("says why next pods could not be tried", async () => {
    lab.api.faults.push({ method: "POST", path: "/pods", status: 403 });
    try {
      const { value, text } = await plan();
      expect(value.restart).toHaveLength(6);
      expect(value.untried).toHaveLength(1);
      expect(text).toContain(`\nNext pods are not tried: ${value.untried[0]}\n`);
    } finally {
      lab.api.faults.pop();
    }
  });

  it("leaves those whose next pod the cluster would not take, and says why", async () => {
    lab.api.faults.push({ method: "POST", path: "/pods", status: 422, message: "no such image" });
    try {
      const { value, text } = await plan();
      expect(value.restart).toEqual([]);
      expect(value.left.map(({ workload }) => workload)).toEqual(NAMES.map((name) => `shop/Deployment/${name}`));
      expect(text).toContain("Left as they are:");
    } finally {
      lab.api.faults.pop();
    }
  });
});
