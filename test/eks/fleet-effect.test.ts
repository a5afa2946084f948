// `outrigger diff --cluster`, through the command line: pods that the real webhook injected, next to those of another tree.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { CliLab } from "./cli-lab.ts";
import { deployedPods } from "./deployed-pods.ts";
import { openRegisteredLab } from "./registered-lab.ts";

const KUBECONFIG = ["--kubeconfig", "kubeconfig", "--context", "eks"];

describe("outrigger diff --cluster", { timeout: 180_000 }, () => {
  let lab: CliLab;
  beforeEach(async () => {
    lab = await openRegisteredLab({ others: ["plain"] });
  });
  afterEach(() => lab.close());

  const run = deployedPods(() => lab);
  const diff = async (...argv: readonly string[]) => lab.run("diff", ...argv, ...KUBECONFIG);

  it("says nothing but that where no next pod differs", async () => {
    await run("web");
    await run("job", { namespace: "plain" });
    const { code, out, err } = await diff("stable", "source");
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/\nNo next pod of shop differs \(2 pods\)\n$/);
  });

  it("groups workloads by what changes, with counts and the values, and writes nothing", async () => {
    for (const name of ["web", "cart"]) for (let index = 0; index < 2; index++) await run(name);
    await run("job", { namespace: "plain" });
    await lab.aws.edit("values/10-mine", "global: {hub: mine}\n");
    const before = lab.api.calls.length;
    const { code, out, err } = await diff("stable", "source");
    expect([code, err]).toEqual([1, "2 workloads of shop would come out differently\n"]);
    expect(out).toContain("4 of 5 pods of shop would come out differently, in 2 workloads\n");
    expect(out).toContain(
      "4 of 5 pods in 2 workloads: containers[istio-proxy].image: registry.example/shipped/proxyv2 → mine/proxyv2\n  in shop/Deployment/cart (2), shop/Deployment/web (2)\n",
    );
    const calls = lab.api.calls.slice(before);
    expect(calls.filter((call) => !call.startsWith("GET "))).toEqual([]);
    // Webhooks, namespaces and pods: each list once.
    expect(calls.length).toBeLessThanOrEqual(4);
    const only = await diff("stable", "source", "-l", "app=web");
    expect(only.out).toContain("2 of 2 pods in 1 workload: ");
  });

  it("names first what would fail and be refused, then what loses and gains a container", async () => {
    await run("web");
    await run("opted", { labels: { tier: "batch" } });
    await run("loud", { annotations: { "agent.example.com/port": "much" } });
    await run("high", { annotations: { "agent.example.com/port": "70000" } });
    await lab.aws.edit(
      "templates/agent",
      'spec:\n  containers:\n  - name: agent\n    image: agent:1\n    ports:\n    - containerPort: <%int (annotation metadata "agent.example.com/port" "9100")%>\n',
    );
    await lab.aws.edit(
      "config",
      "defaultTemplates: [sidecar, agent]\nneverInjectSelector:\n- matchLabels: {tier: batch}\n",
    );
    const value = JSON.parse((await diff("stable", "source", "-o", "json")).out);
    const groups = value.groups.map(({ effect, containers, workloads }: Group) => [
      effect,
      containers,
      workloads.map(({ name }) => name),
    ]);
    expect(groups).toEqual([
      ["fails", [], ["loud"]],
      ["refused", [], ["high"]],
      ["loses", ["istio-proxy"], ["opted"]],
      ["gains", ["agent"], ["web"]],
    ]);
    expect(value).toMatchObject({
      before: { name: "stable" },
      after: { name: "source" },
      pods: 4,
      workloads: 4,
      clusters: [{ cluster: "shop", pods: 4, served: 4, channels: ["stable"] }],
    });
    const { out } = await diff("stable", "source", "-o", "wide");
    expect(out).toMatch(/1 of 4 pods in 1 workload would fail, and failurePolicy would decide about them: Cannot /);
    expect(out).toMatch(/1 of 4 pods in 1 workload would be refused: .*agent\.example\.com\/port/);
    expect(out).toContain("would lose istio-proxy: the pod's labels match a neverInjectSelector\n");
    expect(out).toContain("would gain agent\n");
  });

  it("asks about the pods that the channel serves, and says which channel it is where it serves none", async () => {
    await run("web");
    await lab.aws.edit("values/10-mine", "global: {hub: mine}\n");
    expect((await lab.run("publish", "--channel", "canary")).code).toBe(0);
    const { code, out } = await diff("canary", "shipped");
    expect(code).toBe(0);
    expect(out).toContain("No pod of shop is served by canary: its pods are served by stable\n");
    expect((await diff("stable", "canary")).out).toContain("1 of 1 pod in 1 workload: ");
  });

  it("prints Markdown in which a text of a pod's author is only text", async () => {
    await run("web", { annotations: { "sidecar.istio.io/proxyImage": "registry.example/a:1" } });
    await lab.aws.edit("templates/agent", "metadata:\n  annotations:\n    note: '<b>|`x`'\nspec: {}\n");
    await lab.aws.edit("config", "defaultTemplates: [sidecar, agent]\n");
    const { out, err } = await diff("stable", "source", "-o", "markdown");
    expect(err).toBe("One workload of shop would come out differently\n");
    expect(out).toContain("| Pods | Workloads | Change |\n|---:|---:|---|\n| 1 | 1 | ");
    expect(out).not.toMatch(/<b>|`x`/);
    expect(out).toContain("<details><summary>1 of 1 pod in 1 workload");
  });

  it("counts the same change of two clusters together", async () => {
    await run("web");
    await lab.aws.edit("values/10-mine", "global: {hub: mine}\n");
    const { out, err } = await lab.run(
      ...["diff", "stable", "source", "--kubeconfig", "kubeconfig", "--context", "eks", "--context", "prod"],
    );
    expect(out).toContain("2 of 2 pods in 1 workload: containers[istio-proxy].image");
    expect(err).toBe("One workload of 2 clusters would come out differently\n");
  });

  it("is shown by a dry run of publish, promote and rollback, which writes nothing", async () => {
    await run("web");
    await lab.aws.edit("values/10-mine", "global: {hub: mine}\n");
    const line =
      "1 of 1 pod in 1 workload: containers[istio-proxy].image: registry.example/shipped/proxyv2 → mine/proxyv2\n";
    const dry = async (...argv: readonly string[]) => lab.run(...argv, "--dry-run", ...KUBECONFIG);
    const published = await dry("publish");
    expect([published.code, published.err]).toEqual([0, expect.stringContaining("What changes for pods:\n")]);
    expect(published.out).toContain("(dry run: nothing was written)\n");
    expect(published.out).toContain(line);
    expect(await lab.run("publish", "--cluster", "shop")).toMatchObject({
      code: 2,
      err: "Cannot use --cluster without --dry-run: publishing asks no cluster\n",
    });
    expect((await lab.run("publish", "--channel", "canary")).code).toBe(0);
    const promoted = JSON.parse((await dry("promote", "canary", "stable", "-o", "json")).out);
    expect(promoted).toMatchObject({ channel: "stable", effect: { pods: 1, groups: [{ effect: "changes" }] } });
    expect((await lab.run("promote", "canary", "stable")).code).toBe(0);
    const { out } = await dry("rollback", "stable");
    expect(out).toContain("image: mine/proxyv2 → registry.example/shipped/proxyv2\n");
  });

  it("refuses options that contradict each other, or have no meaning without a cluster", async () => {
    expect(await lab.run("diff", "stable", "source", "-o", "markdown")).toMatchObject({
      code: 2,
      err: "Cannot use -o markdown without a cluster: name one with --cluster or --context, or several with --clusters\n",
    });
    expect(await diff("stable", "source", "-f", "web.yaml")).toMatchObject({
      code: 2,
      err: "Cannot use -f with a cluster: compare the pods of the manifest, or those of the cluster\n",
    });
    const mixed = await lab.run("diff", "stable", "source", "--cluster", "a", "--cluster", "b", "--context", "eks");
    expect(mixed).toMatchObject({
      code: 2,
      err: "Cannot use --cluster and --context for several clusters: name all of them by one of the two\n",
    });
    const named = await lab.run("diff", "stable", "source", "--cluster", "a", "--cluster", "b", "--as", "c");
    expect(named).toMatchObject({
      code: 2,
      err: "Cannot use --as with several clusters: leave it out, and each is known by its registration\n",
    });
  });

  it("names a cluster that is not registered", async () => {
    expect((await lab.run("unregister", "--yes", "--cluster", "shop")).code).toBe(0);
    const { code, err } = await diff("stable", "source");
    expect([code, err]).toEqual([3, expect.stringContaining("register it (outrigger register)")]);
  });
});

interface Group {
  readonly effect: string;
  readonly containers: readonly string[];
  readonly workloads: readonly { readonly name: string }[];
}
