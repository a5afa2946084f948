import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { OutriggerError } from "@outrigger/base";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type CliLab, openCliLab } from "../../test/eks/cli-lab.ts";
import { deployedPods } from "../../test/eks/deployed-pods.ts";
import { writeSamples } from "./fleet-samples.ts";

const AGENT = `spec:
  containers:
  - name: agent
    image: agent:1
    {{#if (lookup metadata.annotations "a/port")}}
    ports: [{containerPort: {{int (lookup metadata.annotations "a/port")}} }]
    {{/if}}
    {{#if (eq metadata.labels.tier "batch")}}
    args: [--once]
    {{/if}}
    {{#if (hasPrefix "team-" metadata.labels.owner)}}
    workingDir: /team
    {{/if}}
`;

describe("writeSamples()", { timeout: 180_000 }, () => {
  let lab: CliLab;
  beforeEach(async () => {
    lab = await openCliLab();
    lab.namespace("shop", { "istio-injection": "enabled" });
    lab.namespace("plain");
    lab.write("mine/config.yaml", "defaultTemplates: [sidecar, agent]\n");
    lab.write("mine/templates/agent.hbs", AGENT);
    expect(await lab.run("publish", "--dir", "mine")).toMatchObject({ code: 0 });
    expect((await lab.register("--phase", "cluster")).code).toBe(0);
  });
  afterEach(() => lab.close());

  const run = deployedPods(() => lab);
  const write = async (more: object = {}) => {
    const io = lab.ioOf({ cwd: lab.cwd, env: {}, input: [] });
    const options = { deployment: "dev", kubeconfig: "kubeconfig", context: ["eks"], ...more };
    const error = await writeSamples("mine", options as never, io).catch((failed: OutriggerError) => failed);
    return { out: io.out(), err: io.err(), error };
  };
  const files = () => {
    const folder = join(lab.cwd, "mine/samples");
    return existsSync(folder) ? readdirSync(folder).sort() : [];
  };

  it("says what it writes, from which pods, and what to do next", async () => {
    await run("web");
    const both = { annotations: { "a/port": "9100" }, labels: { tier: "batch", owner: "team-acme" } };
    for (let index = 0; index < 2; index++) await run("both", both);
    const { out, error } = await write();
    expect(error).toBeUndefined();
    const lines = out.trimEnd().split("\n");
    expect(lines[0]).toMatch(/^3 pods of shop take \d+ branches of the templates; samples take \d+ of them$/);
    expect(lines[1]).toMatch(
      /^Wrote samples\/shop-both\.yaml: \d+ branches more, from shop\/Deployment\/both \(2 pods in 1 workload\)$/,
    );
    expect(lines[2]).toMatch(/^ {2}It has values of the pod that conditions need: .*owner/);
    expect(lines.at(-1)).toBe("Look at them, then: outrigger lint mine");
    expect(files()).toEqual(["shop-both.yaml"]);
    const taken = Number(/take (\d+) branches/.exec(lines[0] ?? "")?.[1]);
    const again = await write();
    expect(again.out).toMatch(
      /^3 pods of shop take (\d+) branches of the templates; samples take \1 of them\nNothing to write\n/,
    );
    expect(again.out).toContain(`take ${taken} branches`);
    expect(again.out).not.toContain("Look at them");
  });

  it("writes nothing as a dry run, and says what it would", async () => {
    await run("web", { labels: { tier: "batch" } });
    const { out } = await write({ dryRun: true });
    expect(out).toMatch(/^1 pod of shop takes \d+ branch/);
    expect(out).toContain(
      "\nWould write samples/shop-web.yaml: 1 branch more, from shop/Deployment/web (1 pod in 1 workload)\n",
    );
    expect(out).not.toContain("Look at them");
    expect(files()).toEqual([]);
    const { written, dryRun, clusters } = JSON.parse((await write({ dryRun: true, json: true })).out);
    expect([dryRun, written.map(({ file }: { file: string }) => file), clusters.length]).toEqual([
      true,
      ["samples/shop-web.yaml"],
      1,
    ]);
    expect(written[0]).not.toHaveProperty("text");
  });

  it("names a sample that no pod needs now, and removes it only where it is told to", async () => {
    await run("web", { labels: { tier: "batch" } });
    await write();
    for (const path of [...lab.api.objects.keys()]) if (path.includes("/pods/")) lab.api.objects.delete(path);
    await run("web");
    const left = await write();
    expect(left.out).toContain(
      "\nLeft samples/shop-web.yaml: no pod takes its branches now; --prune removes it\nNothing to write\n",
    );
    const would = await write({ prune: true, dryRun: true });
    expect(would.out).toMatch(/\nWould remove samples\/shop-web\.yaml: \S/);
    expect(files()).toEqual(["shop-web.yaml"]);
    const removed = await write({ prune: true });
    expect(removed.out).toMatch(/\nRemoved samples\/shop-web\.yaml: \S/);
    expect(removed.out).not.toContain("Nothing to write");
    expect(files()).toEqual([]);
  });

  it("says that no pod of a cluster is sent here", async () => {
    await run("job", { namespace: "plain" });
    const { out } = await write();
    expect(out).toMatch(
      /^No pod of shop is sent to this deployment: label its namespaces, or outrigger check says why\n1 pod of shop takes 0 branches/,
    );
  });

  it("refuses a tree with errors, and reads no pod for it", async () => {
    writeFileSync(join(lab.cwd, "mine/templates/agent.hbs"), "{{#if}}\n");
    const before = lab.api.calls.length;
    const { err, error } = await write();
    expect(err).toMatch(/^templates\/agent\.hbs:\d/);
    expect(error).toMatchObject({ code: "tree-invalid", message: expect.stringMatching(/^Cannot make samples: /) });
    expect(lab.api.calls.length).toBe(before);
  });

  it("writes what the others need where one of several cannot be asked, and prunes nothing then", async () => {
    await run("web", { labels: { tier: "batch" } });
    const pay = await lab.addCluster("pay");
    expect((await lab.run("register", "--cluster", "pay", "--ca-file", "ca.pem", "--phase", "cluster")).code).toBe(0);
    pay.api.before = () => {
      throw new Error("cut");
    };
    const all = { all: true, maxConcurrency: 5, context: undefined, kubeconfig: undefined };
    const pruned = await write({ ...all, prune: true });
    expect(pruned.error).toMatchObject({
      code: "cluster-unreachable",
      message: expect.stringMatching(/^Cannot prune: 1 of 2 clusters could not be asked: pay: \S/),
    });
    expect(files()).toEqual([]);
    const { out, error } = await write(all);
    expect(out).toMatch(/\nWrote samples\/shop-web\.yaml: [\s\S]*\npay is left out: \S/);
    expect(error).toMatchObject({ code: "cluster-unreachable", message: "1 of 2 clusters could not be asked: pay" });
    expect(files()).toEqual(["shop-web.yaml"]);
  });
});
