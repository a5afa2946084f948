import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CliLab, openCliLab } from "../../../test/eks/cli-lab.ts";
import { deployedPods } from "../../../test/eks/deployed-pods.ts";

const KUBECONFIG = ["--kubeconfig", "kubeconfig", "--context", "eks"];
const AGENT = (image: string) => `spec:
  containers:
  - name: agent
    image: ${image}
    env: [{name: A, value: "${image}"}, {name: B, value: "${image}"}, {name: C, value: "${image}"}]
`;

describe("outrigger pods", { timeout: 180_000 }, () => {
  let lab: CliLab;
  beforeAll(async () => {
    lab = await openCliLab();
    lab.namespace("shop", { "istio-injection": "enabled" });
    lab.namespace("plain");
    await lab.aws.edit("config", "defaultTemplates: [sidecar, agent]\n");
    await lab.aws.edit("templates/agent", AGENT("agent:1"));
    expect((await lab.run("publish")).err).toBe("");
    expect((await lab.register("--phase", "cluster")).code).toBe(0);
    const run = deployedPods(() => lab);
    for (const name of ["web", "web", "cart"]) await run(name);
    await run("job", { namespace: "plain" });
    await run("denied", { annotations: { "a/port": "much" } });
    await lab.aws.edit(
      "templates/agent",
      `${AGENT("agent:2")}    workingDir: "<%int (annotation metadata "a/port" "1")%>"\n`,
    );
    await lab.aws.edit("values/10-mine", "global: {hub: mine}\n");
    expect((await lab.run("publish")).code).toBe(0);
    await run("fresh");
    await run("web");
    lab.put("/api/v1/namespaces/shop/pods/bare-1", {
      metadata: { name: "bare-1", namespace: "shop", uid: "bare", creationTimestamp: "2026-11-01T00:00:00Z" },
      spec: { containers: [{ name: "app", image: "app" }] },
      status: { phase: "Running" },
    });
  });
  afterAll(() => lab.close());
  const pods = (...argv: readonly string[]) => lab.run("pods", ...KUBECONFIG, ...argv);

  const rowsOf = (text: string) =>
    text
      .split("\n")
      .filter((line) => line.startsWith("shop "))
      .map((line) => line.split(/ {2,}/));
  const REST = "containers[agent].image, containers[agent].env[A].value, containers[agent].env[B].value, and 3 more";
  const INT = expect.stringContaining("an integer is expected");

  it("counts pods by state, and lists the workloads whose pods differ, each with what differs first", async () => {
    const { code, out, err } = await pods();
    expect([code, err]).toEqual([1, "4 workloads of shop would come out differently now\n"]);
    expect(out).toMatch(
      /^8 pods: 1 refused, 1 missing, 3 outdated, 2 current, 1 without, as intended\n\nNAMESPACE +WORKLOAD +PODS +STATE +DIFFERS\n/,
    );
    expect(rowsOf(out)).toEqual([
      ["shop", "Deployment/cart", "1", "outdated", REST],
      ["shop", "Deployment/denied", "1", "refused", INT],
      ["shop", "Deployment/web", "3", "2 outdated, 1 current", REST],
      ["shop", "Pod/bare-1", "1", "missing", "-"],
    ]);
  });

  it("says of images and resources what changes, of other fields only that they do, and with diff all values", async () => {
    const { out } = await pods("-l", "app=web");
    const changes = out
      .slice(out.indexOf("WORKLOADS"))
      .trimEnd()
      .split("\n")
      .map((line) => line.split(/ {2,}/));
    expect(changes).toEqual([
      ["WORKLOADS", "CHANGE"],
      ["1", "containers[agent].env[A].value"],
      ["1", "containers[agent].env[B].value"],
      ["1", "containers[agent].env[C].value"],
      ["1", "containers[agent].image: agent:1 → agent:2"],
      ["1", "containers[agent].workingDir"],
      ["1", "containers[istio-proxy].image: registry.example/shipped/proxyv2 → mine/proxyv2"],
    ]);
    const diff = (await pods("-l", "app=web", "-o", "diff")).out;
    expect(diff).toMatch(
      /\n\ncontainers\[agent\]\.env\[A\]\.value \(1 workloads, as shop\/web-5d8f-\w+\)\n- agent:1\n\+ agent:2\ncontainers/,
    );
    expect(diff).toMatch(/\ncontainers\[agent\]\.workingDir \(1 workloads, as shop\/web-5d8f-\w+\)\n\+ 1\n/);
    expect(diff).toMatch(/mine\/proxyv2\n$/);
    expect(diff).not.toContain("CHANGE");
  });

  it("is well where all are current, and says nothing but that", async () => {
    expect(await pods("-l", "app=fresh")).toEqual({ code: 0, out: "1 pod: 1 current\n", err: "" });
    expect(await pods("-l", "app=none")).toEqual({ code: 0, out: "0 pods\n", err: "" });
  });

  it("lists every workload with the releases of its pods where that is asked for", async () => {
    const { out } = await pods("-o", "wide");
    expect(out).toMatch(/\nNAMESPACE +WORKLOAD +PODS +STATE +RELEASE +NOW +DIFFERS\n/);
    const rows = rowsOf(out);
    expect(rows.map(([, name]) => name)).toEqual([
      "Deployment/cart",
      "Deployment/denied",
      "Deployment/fresh",
      "Deployment/web",
      "Pod/bare-1",
    ]);
    const [cart, , fresh, web, bare] = rows as string[][];
    const [old, now] = [cart?.[4], cart?.[5]];
    expect(old).not.toBe(now);
    expect(fresh?.slice(3)).toEqual(["current", now, now, "-"]);
    expect(web?.slice(4, 6)).toEqual([`${old},${now}`, now]);
    expect(bare?.[4]).toBe("-");
  });

  it("lists those in one state, or those that the release in the artifact made", async () => {
    expect(rowsOf((await pods("--state", "current")).out).map(([, name]) => name)).toEqual([
      "Deployment/fresh",
      "Deployment/web",
    ]);
    expect((await pods("--state", "unwanted")).code).toBe(0);
    expect(rowsOf((await pods("--fallback")).out)).toEqual([]);
  });

  it("prints names, and for programs which fields differ and why a pod would be denied", async () => {
    expect((await pods("-o", "name")).out).toBe("deployment/cart\ndeployment/denied\ndeployment/web\npod/bare-1\n");
    const { code, out } = await pods("-o", "json");
    const { cluster, pods: count, workloads } = JSON.parse(out);
    expect([code, cluster, count]).toEqual([1, "shop", 8]);
    const [cart, denied, fresh] = workloads;
    expect(cart).toMatchObject({ name: "cart", example: expect.stringMatching(/^cart-5d8f-/) });
    expect(cart.differs).toHaveLength(6);
    expect(cart).not.toHaveProperty("why");
    expect(denied).toMatchObject({ differs: [], why: INT });
    expect(fresh).not.toHaveProperty("example");
  });

  it("lists the pods that should have a sidecar and have none", async () => {
    const { out } = await pods("--state", "missing");
    expect(out).toContain("bare-1");
    expect(out).not.toContain("cart-");
  });

  it("has a row for each of several clusters, with the worst exit code", async () => {
    const all = await lab.run("pods", "--all");
    expect(all.code).toBe(1);
    expect(all.out).toMatch(/^CLUSTER +PODS +WORKLOADS +OUTDATED\b.*\nshop +8 +5 +4\b/);
    const missing = await lab.run("pods", "--all", "--state", "missing", "-o", "json");
    expect(JSON.parse(missing.out)).toEqual([expect.objectContaining({ cluster: "shop" })]);
    expect(JSON.stringify(JSON.parse(missing.out))).toContain("bare-1");
  });
});
