import type { OutriggerError } from "@outrigger/base";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CliLab } from "../../test/eks/cli-lab.ts";
import { deployedPods } from "../../test/eks/deployed-pods.ts";
import { openRegisteredLab } from "../../test/eks/registered-lab.ts";
import { checkFleet, checkTarget, printRegistration, printRegistrations } from "./check-target.ts";

const CLUSTER = { deployment: "dev", istioNamespace: "istio-system", cluster: "shop" };
const CONTEXT = { ...CLUSTER, cluster: undefined, kubeconfig: "kubeconfig", context: "eks" };
const ALL = { ...CLUSTER, cluster: undefined, all: true, maxConcurrency: 5 };

describe("the checks of a deployment and its clusters", { timeout: 180_000 }, () => {
  let lab: CliLab;
  beforeAll(async () => {
    lab = await openRegisteredLab({ others: ["plain"] });
    const run = deployedPods(() => lab);
    await run("web");
    await run("job", { namespace: "plain" });
    await lab.aws.edit("values/10-mine", "global: {hub: mine}\n");
    expect((await lab.run("publish")).code).toBe(0);
  });
  afterAll(() => lab.close());

  const io = () => lab.ioOf({ cwd: lab.cwd, env: {}, input: [] });
  const check = async (options: object, isEarly = false) => {
    const results = await checkTarget(options as never, io(), isEarly);
    const at = (id: string) => results.find((one) => one.id === id);
    return { results, at, sections: new Set(results.map(({ section }) => section)) };
  };
  /** What a command prints, and the error that it ends with. */
  const ran = async (command: (own: ReturnType<typeof io>) => Promise<void>) => {
    const own = io();
    const error = await command(own).catch((failed: OutriggerError) => failed);
    return { out: own.out(), error: error as OutriggerError | undefined };
  };
  const rows = (out: string) =>
    out
      .trimEnd()
      .split("\n")
      .map((line) => line.split(/ {2,}/));

  it("are of the deployment alone where no cluster is named, and of all of it where one is", async () => {
    const own = await check({ ...CLUSTER, cluster: undefined });
    expect(own.sections).not.toContain("pods");
    expect(own.at("credentials")).toMatchObject({
      level: "ok",
      seen: "arn:aws:iam::111122223333:user/ann in account 111122223333",
    });
    const whole = await check(CLUSTER);
    expect(whole.sections.size).toBeGreaterThan(own.sections.size);
    expect(whole.results.filter(({ level }) => level === "error")).toEqual([]);
    expect((await check(CONTEXT)).sections).toEqual(whole.sections);
  });

  it("say where the webhook answers: the option's URL, or the environment's, or the stack's", async () => {
    const url = "https://127.0.0.1:1";
    const given = await check({ ...CLUSTER, url });
    expect(JSON.stringify(given.results)).toContain("127.0.0.1:1");
    const own = lab.ioOf({ cwd: lab.cwd, env: { OUTRIGGER_URL: "https://127.0.0.1:2" }, input: [] });
    expect(JSON.stringify(await checkTarget(CLUSTER as never, own, false))).toContain("127.0.0.1:2");
  });

  it("count the pods, name those that are outdated, and the branches that no sample takes", async () => {
    const { at } = await check(CLUSTER);
    expect(at("injected")?.seen).toMatch(/^1 of 2 pods have a sidecar, and no other should have one; .*: plain /);
    expect(at("current")).toMatchObject({
      level: "warning",
      seen: "2 pods that were looked at: 1 of 1 workloads would come out differently: shop/Deployment/web: containers[istio-proxy].image",
    });
    expect(at("sampled")).toMatchObject({
      level: "ok",
      seen: "samples take every branch of the templates that 2 pods take",
    });
  });

  it("are those of what registering needs alone, where that is asked", async () => {
    const early = await check(CLUSTER, true);
    expect(early.results.length).toBeLessThan((await check(CLUSTER)).results.length);
  });

  it("look names up only on request", async () => {
    const ids = async (options: object) => (await check(options)).results.map(({ id, level }) => `${id} ${level}`);
    expect(await ids({ ...CLUSTER, verify: true })).not.toEqual(await ids(CLUSTER));
  });

  it("have a row for the deployment, once, and one for each cluster", async () => {
    const { out, error } = await ran((own) => checkFleet({ ...ALL, isEarly: false } as never, own));
    const [head, ...lines] = rows(out);
    expect(head?.slice(0, 5)).toEqual(["CLUSTER", "OK", "WARNING", "ERROR", "UNKNOWN"]);
    expect(lines.map(([name]) => name)).toEqual(["(deployment dev)", "shop"]);
    const whole = await check(CLUSTER);
    const own = whole.results.filter(({ section }) => section === "deployment");
    const count = (of: typeof own) => String(of.filter(({ level }) => level === "ok").length);
    expect(lines.map(([, ok]) => ok)).toEqual([
      count(own),
      count(whole.results.filter(({ section }) => section !== "deployment")),
    ]);
    expect(error).toMatchObject({ code: "findings", message: "1 has findings, 1 is well" });
  });

  describe("a registration", () => {
    it("is about a cluster", async () => {
      const { error } = await ran((own) => printRegistration({ ...CLUSTER, cluster: undefined } as never, own));
      expect(error).toMatchObject({
        code: "usage",
        message: "--section registration is about a cluster: name it with --cluster, or --context",
      });
    });

    it("is found by the cluster's name in EKS, and by the token of its webhooks", async () => {
      for (const options of [CLUSTER, CONTEXT]) {
        const { out, error } = await ran((own) => printRegistration({ ...options, json: true } as never, own));
        expect(error).toBeUndefined();
        expect(JSON.parse(out)).toEqual(expect.objectContaining({ drift: [], tokens: 1 }));
      }
    });

    it("names every difference, and ends with a finding", async () => {
      const GROUP = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/outrigger-sidecar-injector";
      const kept = lab.api.objects.get(GROUP);
      lab.api.edit(GROUP, "kubectl", (object) => ({
        ...object,
        webhooks: (object["webhooks"] as readonly object[]).map((one) => ({ ...one, failurePolicy: "Fail" })) as never,
      }));
      const { out, error } = await ran((own) => printRegistration(CLUSTER as never, own));
      expect(error).toMatchObject({ code: "findings" });
      expect(out).toContain("failurePolicy");
      const fleet = await ran((own) => printRegistrations(ALL as never, own));
      expect(fleet.error).toMatchObject({ code: "findings" });
      const [head, shop] = rows(fleet.out);
      expect([head?.slice(0, 3), shop?.slice(0, 2)]).toEqual([
        ["CLUSTER", "REVISIONS", "DIFFERENCES"],
        ["shop", expect.any(String)],
      ]);
      expect(Number(shop?.[2])).toBeGreaterThan(0);
      lab.api.put(GROUP, kept as never);
    });

    it("is missing where a cluster was never registered, by the name that it would have", async () => {
      await lab.addCluster("pay");
      const named = await ran((own) => printRegistration({ ...CLUSTER, cluster: "pay", json: true } as never, own));
      expect(JSON.parse(named.out)).toMatchObject({ drift: [{ place: "record of pay" }] });
      const other = await ran((own) =>
        printRegistration({ ...CLUSTER, cluster: "pay", as: "other", json: true } as never, own),
      );
      expect(JSON.parse(other.out)).toMatchObject({ drift: [{ place: "record of other" }] });
    });
  });
});
