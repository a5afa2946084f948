import type { JsonObject } from "@outrigger/base";
import { putWorkload } from "@outrigger/fake-aws";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { fakeAws, SHIPPED } from "../../test/cli/fake-aws.ts";
import { fakeCli } from "../../test/cli/fake-cli.ts";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { type CliLab, openCliLab } from "../../test/eks/cli-lab.ts";
import { deployedPods } from "../../test/eks/deployed-pods.ts";
import { explainWorkloads } from "./explain-workloads.ts";

const INJECT = "sidecar.istio.io/inject";
const POD = "kind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: web, image: web}]}\n";
const DEPLOYMENT = `kind: Deployment
metadata: {name: web, labels: {${INJECT}: "true"} }
spec: {template: {spec: {containers: [{name: web, image: web}]} } }
`;

describe("explainWorkloads() of files", () => {
  let cli: ReturnType<typeof fakeCli>;
  beforeEach(() => {
    cli = fakeCli(fakeAws().connect, SHIPPED);
    cli.write("web.yaml", POD);
    cli.write("deployment.yaml", DEPLOYMENT);
  });
  afterEach(() => cli.remove("."));
  const explain = (options: object, workload?: string) =>
    explainWorkloads(workload, options as never, fakeIo({ cwd: cli.cwd, templates: `${cli.cwd}/shipped` }));

  it("needs a file or a workload, and not both", async () => {
    await expect(explain({})).rejects.toThrow(
      "Required option '-f, --filename <file>' not specified, nor a workload such as deploy/web",
    );
    await expect(explain({ filename: ["web.yaml"] }, "deploy/web")).rejects.toThrow(
      "Cannot use both a workload and --filename: name one of them",
    );
  });

  it("takes a namespace's labels for files only: a cluster's namespaces have their own", async () => {
    const message = "Cannot use --namespace-label with a cluster: its namespaces have their own labels";
    const namespaceLabel = ["istio-injection=enabled"];
    await expect(explain({ namespaceLabel }, "deploy/web")).rejects.toThrow(message);
    await expect(explain({ filename: ["web.yaml"], context: "eks", namespaceLabel })).rejects.toThrow(message);
  });

  it("knows of no webhook without them, and with them which one sends the pod, by the revision that is named", async () => {
    const only = async (options: object) => (await explain({ filename: ["web.yaml"], ...options })).pods[0];
    expect(await only({})).not.toHaveProperty("selection");
    const labelled = { namespaceLabel: ["istio-injection=enabled"] };
    const sent = (await only(labelled))?.selection ?? [];
    expect(sent.some(({ isSent }) => isSent)).toBe(true);
    expect((await only(labelled))?.result).toBe("injected with sidecar");
    const other = await only({ ...labelled, revision: "1-30" });
    expect(other?.selection?.some(({ isSent }) => isSent)).toBe(false);
    expect(other?.result).toBe("no sidecar, because no webhook is called");
    expect((await only({ namespaceLabel: ["istio.io/rev=1-30"], revision: "1-30" }))?.result).toBe(
      "injected with sidecar",
    );
    expect((await only({ namespaceLabel: ["istio.io/rev=1-9"], revision: "1-30" }))?.mistakes).toEqual([
      expect.stringContaining("(there is 1-30)"),
    ]);
  });

  it("names what is on a workload and not on its pods, and of a pod nothing of that kind", async () => {
    const { pods } = await explain({ filename: ["deployment.yaml"] });
    expect(pods[0]?.mistakes).toEqual([expect.stringContaining("is on the Deployment and not on its pod template")]);
    cli.write("labelled.yaml", POD.replace("{name: web}", `{name: web, labels: {${INJECT}: "true"} }`));
    expect((await explain({ filename: ["labelled.yaml"] })).pods[0]?.mistakes).toEqual([]);
    cli.write("host.yaml", POD.replace("spec: {", "spec: {hostNetwork: true, "));
    expect((await explain({ filename: ["host.yaml"] })).pods[0]?.mistakes).toEqual([
      expect.stringContaining("host's network"),
    ]);
  });

  it("explains every pod of the files, in the namespace that is named, below folders on request", async () => {
    cli.write("all/a.yaml", POD.replace("name: web", "name: a"));
    cli.write("all/sub/b.yaml", POD.replace("{name: web}", "{name: b, namespace: own}"));
    const names = async (options: object) =>
      (await explain({ filename: ["all"], ...options })).pods.map(({ pod, namespace }) => [pod, namespace]);
    expect(await names({})).toEqual([[expect.stringContaining("a.yaml"), "default"]]);
    expect(await names({ recursive: true, namespace: "shop" })).toEqual([
      [expect.stringContaining("a.yaml"), "shop"],
      [expect.stringContaining("b.yaml"), "own"],
    ]);
  });

  it("says who wrote each line only on request", async () => {
    const lines = async (options: object) => (await explain({ filename: ["web.yaml"], ...options })).pods[0]?.lines;
    expect(await lines({})).toBeUndefined();
    expect(await lines({ lines: true })).toContainEqual(expect.objectContaining({ path: "templates/sidecar" }));
  });

  it("names the release that it explains with", async () => {
    const { release, from, pods } = await explain({ filename: ["web.yaml"] });
    expect(release).toMatch(/^[0-9a-f]{12}$/);
    expect([from, pods.length]).toEqual([expect.any(String), 1]);
  });
});

describe("explainWorkloads() of a cluster", { timeout: 180_000 }, () => {
  let lab: CliLab;
  beforeAll(async () => {
    lab = await openCliLab();
    lab.namespace("shop", { "istio-injection": "enabled" });
    lab.namespace("plain");
    expect((await lab.run("publish")).err).toBe("");
    for (const revision of ["1-30", "default"])
      expect((await lab.register("--phase", "cluster", "--revision", revision)).code).toBe(0);
    for (const namespace of ["shop", "plain"]) putWorkload(lab, namespace, "web");
    lab.namespace("next", { "istio.io/rev": "1-30" });
    putWorkload(lab, "next", "web");
    await deployedPods(() => lab)("web");
    await deployedPods(() => lab)("web", { namespace: "next" });
    lab.put("/api/v1/namespaces/shop/pods/lone", {
      kind: "Pod",
      metadata: { name: "lone", namespace: "shop", uid: "lone", labels: { [INJECT]: "odd" } },
      spec: { containers: [{ name: "app", image: "app" }] },
      status: { phase: "Running" },
    } satisfies JsonObject);
  });
  afterAll(() => lab.close());
  const explain = async (workload: string | undefined, options: object = {}) => {
    const io = lab.ioOf({ cwd: lab.cwd, env: {}, input: [] });
    const { pods, from } = await explainWorkloads(
      workload,
      { deployment: "dev", kubeconfig: "kubeconfig", context: "eks", ...options } as never,
      io,
    );
    return { from, pods, err: io.err(), first: pods[0] };
  };

  it("says of a workload what the webhooks, the API server and its running pods show", async () => {
    const { from, err, first } = await explain("deploy/web", { namespace: "shop" });
    expect([from, err]).toEqual(["stable", ""]);
    expect(first).toMatchObject({
      pod: "deploy/web",
      namespace: "shop",
      result: "injected with sidecar",
      admission: { answer: { kind: "admitted", isInjected: true } },
      mistakes: [],
    });
    expect(first?.selection?.some(({ isSent }) => isSent)).toBe(true);
    expect(first?.running).toEqual([
      expect.objectContaining({ isInjected: true, state: expect.stringContaining("as it would be injected now") }),
    ]);
  });

  it("judges a running pod by the revision that injected it", async () => {
    const { first } = await explain("deploy/web", { namespace: "next" });
    expect(first?.result).toBe("injected with sidecar");
    expect(first?.running?.map(({ state }) => state)).toEqual([expect.stringContaining("as it would be injected now")]);
  });

  it("says that no webhook is called in a namespace without labels", async () => {
    const { first } = await explain("deploy/web", { namespace: "plain" });
    expect(first).toMatchObject({ result: "no sidecar, because no webhook is called", running: [] });
    await expect(explain("deploy/web")).rejects.toThrow("in namespace default");
  });

  it("does not ask the API server to admit a pod that runs, and names its own mistakes", async () => {
    const { first } = await explain("pod/lone", { namespace: "shop" });
    expect(first).not.toHaveProperty("admission");
    expect(first?.mistakes).toEqual([expect.stringContaining('is "odd", which means nothing')]);
    expect(first?.running).toHaveLength(1);
  });

  it("asks the cluster about the pods of a file, which has none running", async () => {
    lab.write("web.yaml", DEPLOYMENT);
    const { first } = await explain(undefined, { filename: ["web.yaml"], namespace: "shop" });
    expect(first).not.toHaveProperty("running");
    expect(first).toMatchObject({ admission: { answer: { kind: "admitted", isInjected: true } } });
    expect(first?.mistakes).toHaveLength(1);
  });
});
