// What `outrigger rollout` says of a channel, with CloudWatch and an API server on loopback, and its exit codes.
import { isPodInShare } from "@outrigger/serving";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { fakeAws, SHIPPED } from "../../../test/cli/fake-aws.ts";
import { fakeCli } from "../../../test/cli/fake-cli.ts";
import { type CliLab, openCliLab } from "../../../test/eks/cli-lab.ts";
import { type FakeAwsServices, startFakeAwsServices } from "../../../test/eks/fake-aws-services.ts";

const ALARM = "outrigger-dev-errors";

describe("outrigger rollout", () => {
  let services: FakeAwsServices;
  let aws: ReturnType<typeof fakeAws>;
  let cli: ReturnType<typeof fakeCli>;
  let [own, next] = ["", ""];
  beforeAll(async () => {
    services = await startFakeAwsServices();
  });
  afterAll(() => services.close());
  beforeEach(async () => {
    for (const [name, value] of Object.entries(services.env)) vi.stubEnv(name, value);
    services.releaseCounts.clear();
    services.alarms.set(ALARM, "OK");
    aws = fakeAws();
    cli = fakeCli(aws.connect, SHIPPED);
    own = (await cli.json("publish")).release;
    await aws.edit("values/10-mine", "global: {hub: registry.example/next}\n");
    next = (await cli.json("publish --channel canary")).release;
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    cli.remove(".");
  });

  const status = (words = "") => cli.run(`rollout status stable${words}`);
  const begin = async (words: string) => {
    const { code, err } = await cli.run(`promote canary stable ${words}`);
    expect([code, err]).toEqual([0, expect.anything()]);
  };
  const rowsOf = (out: string) => {
    const [, table = ""] = out.split("\n\n");
    return table
      .trimEnd()
      .split("\n")
      .map((row) => row.split(/ {2,}/));
  };
  const count = (release: string, counts: Readonly<Record<string, number>>) => {
    for (const [name, value] of Object.entries(counts)) services.releaseCounts.set(`${release} ${name}`, value);
  };

  it("says of a channel without a rollout that there is none, with what its release did", async () => {
    count(own, { Injected: 31, Denied: 2, Failed: 3, Regressed: 0, Late: 5 });
    const { code, out, err } = await status();
    expect([code, err]).toEqual([0, ""]);
    expect(out.split("\n").slice(0, 2)).toEqual([`stable serves ${own} to all workloads: no rollout is under way`, ""]);
    expect(rowsOf(out)).toEqual([
      ["RELEASE", "SHARE", "INJECTED", "DENIED", "FAILED", "REGRESSED", "LATE"],
      [own, "100 %", "31", "2", "3", "0", "5"],
    ]);
    expect(await cli.json("rollout status")).toEqual({
      channel: "stable",
      release: own,
      signals: [],
      alarms: {},
      counts: { [own]: { injected: 31, denied: 2, failed: 3, regressed: 0, late: 5 } },
    });
  });

  it("says how a rollout goes: its share, what comes next and when, its alarms, and what is judged", async () => {
    await begin("--share 20,50,100 --bake 30m --abort-on errors");
    count(own, { Injected: 31 });
    count(next, { Injected: 7 });
    const { code, out, err } = await status();
    expect([code, err]).toEqual([0, ""]);
    const [head, ...plan] = (out.split("\n\n")[0] as string).split("\n");
    expect(head).toMatch(
      new RegExp(`^stable serves ${next} to 20 % of the workloads since \\d+s, and ${own} to the others$`),
    );
    expect(plan[0]).toMatch(/^Next: 50 %, 100 % \(it bakes for (30m|29m\d+s) more\)$/);
    expect(plan.slice(1)).toEqual([
      `Alarm ${ALARM}: OK`,
      "Regressed: its release had 7 of the 10 calls that it takes to judge it",
      expect.stringMatching(/^Late: times can be compared in /),
    ]);
    expect(
      rowsOf(out)
        .slice(1)
        .map((row) => row.slice(0, 3)),
    ).toEqual([
      [own, "80 %", "31"],
      [next, "20 %", "7"],
    ]);
    expect(await cli.json("rollout status stable")).toMatchObject({
      share: { release: next, percent: 20 },
      rollout: { next: [50, 100] },
      verdict: { kind: "wait", isBaking: true },
      alarms: { [ALARM]: "OK" },
    });
  });

  it("says that a share of all can still go back, and that nothing comes next", async () => {
    await begin("--share 50 --bake 30m");
    await cli.run("rollout promote");
    const { code, out } = await status();
    expect(code).toBe(0);
    expect(out).toMatch(new RegExp(`^stable serves ${next} to 100 % .*, and can still go back to ${own}\n`));
    expect(out).toContain("\nNext: none (it bakes for ");
    expect(
      rowsOf(out)
        .slice(1)
        .map(([release, share]) => [release, share]),
    ).toEqual([
      [own, "0 %"],
      [next, "100 %"],
    ]);
  });

  it("counts a release once that is the channel's own and its share's", async () => {
    const { code } = await cli.run("promote stable stable --share 5");
    expect(code).toBe(0);
    expect(
      rowsOf((await status()).out)
        .slice(1)
        .map(([release, share]) => [release, share]),
    ).toEqual([[own, "5 %"]]);
  });

  it("exits with 1 for a rollout that is to be taken back, and says why", async () => {
    await begin("--share 5,50 --bake 30m --abort-on errors");
    services.alarms.set(ALARM, "ALARM");
    const { code, out, err } = await status();
    expect([code, err]).toEqual([1, `The rollout of stable does not continue: alarm ${ALARM} is up\n`]);
    expect(out).toContain(`Alarm ${ALARM}: ALARM\n`);
  });

  it("exits with 1 for a rollout that waits for a person", async () => {
    aws.alarms.set("mine", "OK");
    await begin("--share 5,50,100 --bake 30m --abort-on mine");
    const { code, err } = await status();
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/^The rollout of stable does not continue: there is no alarm mine/),
    ]);
  });

  it("exits with 1 for a share without a rollout whose pods are worse off, or may be", async () => {
    await begin("--share 5");
    expect((await status()).code).toBe(0);
    count(next, { Injected: 20, Regressed: 1 });
    const suspect = await status();
    expect([suspect.code, suspect.err]).toEqual([
      1,
      "The share of stable is worse: its release could not inject 1 pod that the channel's own could: see the log\n",
    ]);
    expect(suspect.out).toContain("\nRegressed: its release could not inject 1 pod ");
    count(next, { Regressed: 9 });
    expect((await status()).err).toBe(
      "The share of stable is worse: its release could not inject 9 pods that the channel's own could\n",
    );
  });

  it("leaves the judgement to the rollout where one is under way", async () => {
    await begin("--share 5,100 --bake 30m");
    count(own, { Injected: 100 });
    count(next, { Injected: 20, Regressed: 9 });
    expect((await status()).err).toMatch(/^The rollout of stable does not continue: .*9 pods/);
    count(next, { Regressed: 1 });
    expect((await status()).err).not.toContain("The share of stable is worse");
  });

  it("says that what was declared is not served yet, and exits with 1, whatever the counts", async () => {
    await aws.put(aws.layout.head, "nonsense");
    const { code, out, err } = await status();
    expect([code, err]).toEqual([1, expect.stringMatching(/^What was declared is not all served yet: /)]);
    expect(out).toMatch(new RegExp(`^stable is to serve ${own} to all workloads\n`));
    expect(JSON.parse((await status(" -o json")).out)).toMatchObject({ unsettled: expect.any(String) });
  });

  it("moves a rollout on, and takes it back, of stable where no channel is named", async () => {
    await begin("--share 5,50,100 --bake 30m");
    expect((await cli.run("rollout promote")).out).toContain("50 %");
    expect((await cli.run("rollout abort stable -m worse")).out).toContain(`${own} to all workloads`);
    const steps = aws.asked.filter(({ action, dryRun }) => action === "step-rollout" && dryRun !== true);
    expect(steps).toMatchObject([
      { channel: "stable", direction: "next", seen: { release: next, percent: 5 } },
      { channel: "stable", direction: "back", cause: { why: "worse" } },
    ]);
  });

  it("names the channel that is not there", async () => {
    expect(await cli.run("rollout status stabel")).toMatchObject({
      code: 3,
      err: expect.stringContaining("Cannot find channel stabel"),
    });
  });

  it("shows rings for all clusters, and one rollout for one", async () => {
    expect(await cli.run("rollout status --rings")).toMatchObject({ code: 0, err: "" });
    for (const words of ["--all", "--clusters shop"]) {
      const { code, out, err } = await cli.run(`rollout status stable ${words}`);
      expect([code, out, err]).toEqual([
        2,
        "",
        "Use --clusters and --all with --rings; of one rollout, name --cluster\n",
      ]);
    }
  });

  it.each(["--cluster shop", "--context prod --kubeconfig none"])(
    "fails where the cluster that is named cannot be asked: %s",
    async (words) => {
      const { code, out } = await status(` ${words}`);
      expect(code).not.toBe(0);
      expect(out).toBe("");
    },
  );
});

describe("outrigger rollout status of a cluster", { timeout: 180_000 }, () => {
  let lab: CliLab;
  let [own, next] = ["", ""];
  const PLACES = [["--cluster", "shop"], ["--context", "eks"], []].map((words) => [
    ...words,
    "--kubeconfig",
    "kubeconfig",
  ]);
  const ownerOf = (name: string) => [{ apiVersion: "apps/v1", kind: "StatefulSet", name, uid: "", controller: true }];
  const isShared = (name: string) =>
    isPodInShare(
      {
        cluster: "shop",
        namespace: "web",
        pod: { metadata: { generateName: `${name}-`, ownerReferences: ownerOf(name) } },
      },
      20,
    );
  beforeAll(async () => {
    lab = await openCliLab();
    own = JSON.parse((await lab.run("publish", "--json")).out).release;
    await lab.aws.edit("values/10-mine", "global: {hub: registry.example/next}\n");
    next = JSON.parse((await lab.run("publish", "--channel", "canary", "--json")).out).release;
    lab.namespace("web", { "istio-injection": "enabled" });
    expect((await lab.register("--phase", "cluster")).code).toBe(0);
    await lab.run("promote", "canary", "stable", "--share", "20");
  });
  afterAll(() => lab.close());

  /** A pod of a workload that was made since the share began. */
  function run(owner: string, name: string, isReady: boolean, restartCount: number): void {
    lab.put(`/api/v1/namespaces/web/pods/${name}`, {
      kind: "Pod",
      metadata: {
        name,
        generateName: `${owner}-`,
        namespace: "web",
        creationTimestamp: new Date(Date.now() + 1000).toISOString(),
        annotations: { "sidecar.istio.io/status": '{"containers":[],"revision":"default"}' },
        ownerReferences: ownerOf(owner),
      },
      spec: { containers: [{ name: "app" }] },
      status: {
        conditions: [{ type: "Ready", status: isReady ? "True" : "False" }],
        containerStatuses: [{ name: "app", restartCount }],
      },
    });
  }
  const cellsOf = (out: string) =>
    out
      .trimEnd()
      .split("\n")
      .slice(-2)
      .map((row) => row.split(/ {2,}/))
      .map(([release, share, , , , , , ready, restarting]) => [release, share, ready, restarting]);

  it.each(PLACES.map((place) => [place]))("counts the pods of each release: %j", async (place) => {
    const names = Array.from({ length: 40 }, (_, index) => `app${index}`);
    const [shared, other] = [names.find(isShared), names.find((name) => !isShared(name))] as [string, string];
    const none = await lab.run("rollout", "status", ...place);
    expect(none.code, none.err).toBe(0);
    expect(none.out).toMatch(/RELEASE +SHARE .* LATE +READY +RESTARTING\n/);
    run(shared, "a", true, 0);
    run(shared, "b", false, 3);
    run(other, "c", true, 0);
    const { out } = await lab.run("rollout", "status", ...place);
    expect(cellsOf(out)).toEqual([
      [own, "80 %", "1 of 1", "0"],
      [next, "20 %", "1 of 2", "1"],
    ]);
    const { pods } = JSON.parse((await lab.run("rollout", "status", ...place, "--json")).out);
    expect(pods).toEqual({
      [own]: { pods: 1, ready: 1, restarting: 0 },
      [next]: { pods: 2, ready: 1, restarting: 1 },
    });
    for (const name of ["a", "b", "c"]) lab.api.objects.delete(`/api/v1/namespaces/web/pods/${name}`);
  });

  it("counts none where no pod was made since", async () => {
    expect(cellsOf((await lab.run("rollout", "status", ...(PLACES[0] as string[]))).out)).toEqual([
      [own, "80 %", "0 of 0", "0"],
      [next, "20 %", "0 of 0", "0"],
    ]);
  });
});
