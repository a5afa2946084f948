// `outrigger rollout` and the options of `promote` that begin one, through the command line: CloudWatch and the API server on
// loopback, the publisher in this process.

import { isPodInShare } from "@outrigger/serving";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CliLab, openCliLab } from "./cli-lab.ts";
import { allows, statementsFor } from "./judge-policy.ts";

const BOB = "arn:aws:iam::111122223333:user/bob";
const since = () => new Date(Date.now() + 1000).toISOString();
const pod = (name: string, owner: string, ready: boolean, restartCount: number) => ({
  kind: "Pod",
  metadata: {
    name,
    generateName: `${owner}-`,
    namespace: "web",
    creationTimestamp: since(),
    annotations: { "sidecar.istio.io/status": '{"containers":[],"revision":"default"}' },
    ownerReferences: [{ kind: "StatefulSet", name: owner, controller: true }],
  },
  spec: { containers: [{ name: "app" }] },
  status: {
    conditions: [{ type: "Ready", status: ready ? "True" : "False" }],
    containerStatuses: [{ name: "app", restartCount }],
  },
});
const owners = Array.from({ length: 40 }, (_, index) => `app${index}`);
const place = (name: string) => ({
  cluster: "shop",
  namespace: "web",
  pod: {
    metadata: {
      generateName: `${name}-`,
      ownerReferences: [{ apiVersion: "apps/v1", kind: "StatefulSet", name, uid: "", controller: true }],
    },
  },
});
const shared = owners.find((name) => isPodInShare(place(name), 20)) as string;
const own = owners.find((name) => !isPodInShare(place(name), 20)) as string;

describe("outrigger rollout", { timeout: 180_000 }, () => {
  let lab: CliLab;
  let [first, second] = ["", ""];
  beforeAll(async () => {
    lab = await openCliLab();
    await lab.run("publish");
    await lab.aws.edit("values/10-own", "global:\n  hub: registry.example/next\n");
    await lab.run("publish", "--channel", "canary");
    const channels = JSON.parse((await lab.run("channel", "--json")).out);
    [first, second] = [channels.stable.release, channels.canary.release];
    lab.namespace("web", { "istio-injection": "enabled" });
    expect((await lab.register("--phase", "cluster")).code).toBe(0);
  });
  afterAll(() => lab.close());

  it("begins with promote, says how it goes by release and pod, moves on and back", async () => {
    const plan = ["--share", "20,50,100", "--bake", "30m", "--abort-on", "errors"];
    const { code, out } = await lab.run("promote", "canary", "stable", ...plan);
    expect([code, out]).toEqual([0, expect.stringContaining("taken back if an alarm is up: outrigger-dev-errors")]);
    lab.services.releaseCounts.set(`${second} Injected`, 7).set(`${second} Denied`, 2).set(`${first} Injected`, 31);
    lab.put("/api/v1/namespaces/web/pods/a", pod("a", shared, true, 0));
    lab.put("/api/v1/namespaces/web/pods/b", pod("b", shared, false, 3));
    lab.put("/api/v1/namespaces/web/pods/c", pod("c", own, true, 0));
    const kubeconfig = ["--cluster", "shop", "--kubeconfig", "kubeconfig"];
    const status = await lab.run("rollout", "status", "stable", ...kubeconfig);
    expect(status).toMatchObject({ code: 0, err: "" });
    const lines = status.out.split("\n").map((line) => line.replaceAll(/ +/g, " ").trim());
    expect(lines[0]).toContain(`stable serves ${second} to 20 % of the workloads`);
    expect(lines[1]).toMatch(/^Next: 50 %, 100 % \(it bakes for (30m|29m\d+s) more\)$/);
    expect(lines).toContain("Alarm outrigger-dev-errors: OK");
    expect(lines).toContain("RELEASE SHARE INJECTED DENIED FAILED REGRESSED LATE READY RESTARTING");
    expect(lines).toContain(`${first} 80 % 31 0 0 0 0 1 of 1 0`);
    expect(lines).toContain(`${second} 20 % 7 2 0 0 0 1 of 2 1`);
    expect(lines).toContain("Regressed: its release had 9 of the 10 calls that it takes to judge it");
    lab.services.releaseCounts.set(`${second} Regressed`, 3);
    const worse = await lab.run("rollout", "status", "stable");
    expect([worse.code, worse.err]).toEqual([1, expect.stringContaining("could not inject 3 pods")]);
    lab.services.releaseCounts.delete(`${second} Regressed`);
    expect((await lab.run("rollout", "promote", "stable")).out).toContain("50 %");
    await lab.run("rollout", "promote", "stable");
    const whole = (await lab.run("rollout", "status", "stable")).out.split("\n")[0];
    expect(whole).toMatch(new RegExp(`100 % of the workloads since .*, and can still go back to ${first}$`));
    expect((await lab.run("rollout", "abort", "stable")).out).toContain(`${first} to all workloads`);
    expect((await lab.run("rollout", "status")).out).toContain("no rollout is under way");
  });

  it("exits 1 for a rollout that does not continue by itself", async () => {
    await lab.run("promote", "canary", "stable", "--share", "5", "--abort-on", "errors");
    lab.services.alarms.set("outrigger-dev-errors", "ALARM");
    const { code, err } = await lab.run("rollout", "status");
    expect([code, err]).toEqual([1, expect.stringContaining("alarm outrigger-dev-errors is up")]);
    await lab.run("rollout", "abort");
    lab.services.alarms.set("outrigger-dev-errors", "OK");
  });

  it("counts a release once that is its channel's own and its share's", async () => {
    await lab.run("promote", "stable", "stable", "--share", "5");
    const rows = (await lab.run("rollout", "status")).out.split("\n").filter((line) => line.startsWith(first));
    expect(rows).toEqual([expect.stringMatching(/^\w+ +5 % /)]);
    await lab.run("rollout", "abort");
  });

  it("says what is not served, and not that no rollout is under way, until it is", async () => {
    await lab.aws.put(lab.aws.layout.head, "nonsense");
    const { code, out, err } = await lab.run("rollout", "status");
    expect([code, err]).toEqual([
      1,
      expect.stringContaining("is missing or damaged; the publish function finishes it"),
    ]);
    expect(out).toContain(`stable is to serve ${first} to all workloads\n`);
    expect(out).not.toContain("no rollout is under way");
    expect((await lab.run("channel")).err).toContain("Warning: What was declared is not all served yet");
    await lab.run("repair");
    expect(await lab.run("rollout", "status")).toMatchObject({
      code: 0,
      out: expect.stringContaining("no rollout is"),
    });
  });

  it.each(["publisher", "oncall"] as const)("asks nothing that the policy of a %s does not allow", async (kind) => {
    lab.services.asked.length = 0;
    await lab.run("promote", "canary", "stable", "--share", "5,50", "--bake", "30m", "--abort-on", "errors");
    for (const command of ["status", "promote", "abort"]) {
      expect((await lab.run("rollout", command, "stable")).err).toBe("");
    }
    const actions = new Set(lab.services.asked.map(({ action }) => action));
    expect([...actions]).toEqual(
      expect.arrayContaining(["cloudwatch:DescribeAlarms", "cloudwatch:GetMetricData", "lambda:InvokeFunction"]),
    );
    const isAllowed = (call: (typeof lab.services.asked)[number]) =>
      statementsFor(kind).some((statement) => allows(statement, call));
    expect(lab.services.asked.filter((call) => !isAllowed(call))).toEqual([]);
  });

  it.each([
    [["--bake", "30m"], "need a share"],
    [["--share", "100", "--abort-on", "errors"], "need a share"],
    [["--share", "25,5"], "grow"],
    [["--share", "5", "--bake", "10s"], "a minute to a week"],
    [["--share", "5", "--approve"], "leave --share"],
    [["--share", "5", "--abort-on", "nowhere"], "no alarm nowhere"],
  ])("is refused with %j", async (options, why) => {
    const { code, err } = await lab.run("promote", "canary", "stable", ...options);
    expect([code, err]).toEqual([2, expect.stringContaining(why)]);
  });

  it("waits for another person on a channel that needs approval", async () => {
    expect((await lab.run("channel", "approval", "stable", "required")).code).toBe(0);
    const asked = await lab.run("promote", "canary", "stable", "-m", "A week without complaints");
    expect([asked.code, asked.out]).toEqual([0, expect.stringContaining("until another person approves")]);
    expect((await lab.run("channel", "stable")).out).toContain("user/ann asked for");
    expect((await lab.run("promote", "canary", "stable", "--approve")).code).toBe(3);
    lab.aws.signIn(BOB);
    const approved = await lab.run("promote", "canary", "stable", "--approve");
    expect([approved.code, approved.out]).toEqual([0, expect.stringContaining(`stable serves ${second} now`)]);
    expect((await lab.run("channel", "stable")).out).toContain(`user/ann, approved by ${BOB}`);
    expect((await lab.run("channel", "approval", "stable", "none")).code).toBe(0);
  });
});
