// The commands that look at a cluster, or switch it off, on a real API server, each under exactly the role that is printed for it; and
// objects that another tool has applied.
import type { JsonObject } from "@outrigger/base";
import { metadataOf } from "@outrigger/pod";
import { isInjected } from "@outrigger/webhook";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { turnOf } from "../support/in-turn.ts";
import { openRealLab, type RealLab } from "./support/real-lab.ts";

const ADMISSION = "/apis/admissionregistration.k8s.io/v1";
const WEBHOOKS = `${ADMISSION}/mutatingwebhookconfigurations`;
const REVISIONS = { revisions: ["default", "1-30"], tags: ["prod", "next"] };

describe.runIf(turnOf("Commands on a real API server", 5).has(1))("commands, on a real API server", () => {
  let lab: RealLab;
  beforeAll(async () => {
    lab = await openRealLab();
    lab.write("eks.kubeconfig", lab.kubeconfigText());
    await lab.node("node-1");
    await lab.onlyAllow(["register", "check", "registration"], REVISIONS);
    expect((await lab.run("publish")).code).toBe(0);
    await lab.namespace("shop", { "istio-injection": "enabled" });
    await lab.namespace("canary", { "istio.io/rev": "1-30" });
    await lab.namespace("tagged", { "istio.io/rev": "prod" });
    const registered = await lab.register("--phase", "cluster");
    expect(registered, registered.err).toMatchObject({ code: 0 });
  });
  afterAll(() => lab?.close());

  const done = async (...argv: readonly string[]) => {
    const result = await lab.run(...argv);
    expect(result, result.err + result.out).toMatchObject({ code: 0 });
    return result;
  };
  const template = (app: string): JsonObject => ({
    metadata: { labels: { app } },
    spec: { containers: [{ name: "app", image: "app:1" }] },
  });
  const running = (namespace: string, count: number) =>
    lab.until(`${count} pods of ${namespace} run`, async () => {
      const pods = await lab.pods(namespace);
      return pods.length === count && pods.every((pod) => JSON.stringify(pod).includes('"phase":"Running"'));
    });
  /** What becomes of a new pod of a namespace. */
  const isServed = async (namespace: string) => {
    const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, ...template("p") };
    const made = await lab.api.admin.createDryRun(`/api/v1/namespaces/${namespace}/pods`, {
      ...pod,
      metadata: { name: "p" },
    });
    return isInjected(made as never);
  };

  it("explain tries the next pod of a StatefulSet with the volumes of its claims", async () => {
    const claim = {
      metadata: { name: "data" },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    };
    const { metadata } = template("db");
    const mounts = [{ name: "data", mountPath: "/data" }];
    await lab.apply({
      ...{ apiVersion: "apps/v1", kind: "StatefulSet", metadata: { name: "db", namespace: "shop" } },
      spec: {
        serviceName: "db",
        selector: { matchLabels: { app: "db" } },
        template: { metadata, spec: { containers: [{ name: "app", image: "app:1", volumeMounts: mounts }] } },
        volumeClaimTemplates: [claim],
      },
    });
    await running("shop", 1);
    const explain = ["explain", "statefulset/db", "-n", "shop", "--kubeconfig", "eks.kubeconfig"];
    await lab.onlyAllow(["explain"], REVISIONS);
    // Who may explain may make no pods, and dry runs are no exception.
    expect((await done(...explain)).out).toContain(
      "API server: not asked, because not allowed to create pods in shop\n",
    );
    await lab.onlyAllow(["explain", "check"], { ...REVISIONS, probeNamespaces: ["outrigger-probe", "shop"] });
    const { out, err } = await done(...explain);
    expect(err).toBe("");
    expect(out).toMatch(/^ {2}API server: (?!not asked)/m);
    expect(out).toContain("Added initContainers: istio-init, istio-proxy\n");
    expect(out).toMatch(/^ {4}db-0, .* as it would be injected now$/m);
  });

  it("diff says which workloads an edit changes, by the role of pods", async () => {
    await lab.onlyAllow(["pods"], REVISIONS);
    await lab.aws.edit("values/10-mine", "global: {hub: mine.example}\n");
    const { code, out, err } = await lab.run("diff", "stable", "source", "--cluster", "shop");
    expect([code, err]).toEqual([1, "One workload of shop would come out differently\n"]);
    expect(out).toMatch(/^ {2}initContainers\[istio-proxy\]\.image: \S+ → mine\.example\/\S+$/m);
    expect(out).toContain("  in shop/StatefulSet/db (1)\n");
    await lab.aws.edit("values/10-mine", "{}\n");
    expect((await done("diff", "stable", "source", "--cluster", "shop")).out).toContain("No next pod of shop differs");
    await done("publish");
  });

  it("two revisions and their tags serve the namespaces that name them, and a tag moves", async () => {
    await lab.onlyAllow(["register", "check", "registration"], REVISIONS);
    const register = ["register", "--cluster", "shop", "--ca-file", "ca.pem"];
    await done(...register, "--revision", "default", "--tag", "next");
    await done(...register, "--revision", "1-30", "--phase", "cluster", "--tag", "prod");
    for (const namespace of ["shop", "canary", "tagged"]) {
      await lab.until(`${namespace} is served`, () => isServed(namespace));
    }
    await done(...register, "--revision", "default", "--tag", "prod");
    await lab.until("tagged is served by the other revision", () => isServed("tagged"));
    const tag = (await lab.api.admin.get(`${WEBHOOKS}/outrigger-revision-tag-prod`)) as JsonObject;
    expect(metadataOf(tag).labels["outrigger/revision"]).toBe("default");
    const checked = await done("check", "--cluster", "shop", "--section", "registration");
    expect(checked.out).not.toMatch(/^[✖!?]/m);
    await done("unregister", "--cluster", "shop", "--revision", "1-30", "--yes");
    await lab.until("canary is not served", async () => !(await isServed("canary")));
    expect(await isServed("shop")).toBe(true);
  });

  it("off --remove leaves nothing that is called, by the role of off, and register brings all of it back", async () => {
    await lab.onlyAllow(["off"], REVISIONS);
    const asked = await lab.run("off", "--remove", "--kubeconfig", "eks.kubeconfig");
    expect([asked.code, asked.err]).toEqual([
      2,
      expect.stringContaining("New pods of 2 namespaces get no sidecar from then on: shop, tagged"),
    ]);
    await done("off", "--remove", "--yes", "--kubeconfig", "eks.kubeconfig");
    // The mark that it was switched off on purpose, for a command that is registering meanwhile.
    expect(await names()).toEqual(["outrigger-off"]);
    await lab.until("shop is not served", async () => !(await isServed("shop")));
    await lab.onlyAllow(["register", "check", "registration"], REVISIONS);
    await done("register", "--cluster", "shop", "--ca-file", "ca.pem");
    await lab.until("shop is served", () => isServed("shop"));
    expect((await done("check", "--cluster", "shop", "--section", "registration")).out).not.toMatch(/^[✖!?]/m);
  });

  const names = async () => {
    const found: string[] = [];
    for (const kind of [
      "mutatingwebhookconfigurations",
      "validatingadmissionpolicies",
      "validatingadmissionpolicybindings",
    ])
      for await (const one of lab.api.admin.list(`${ADMISSION}/${kind}`)) found.push(metadataOf(one).name);
    return found.filter((name) => !name.includes("dry-run"));
  };

  it("what Helm has applied works as it is, is left alone, and is switched off", async () => {
    await lab.onlyAllow(["register", "check", "registration", "pods", "off"], REVISIONS);
    const url = lab.webhook.url;
    await done("unregister", "--cluster", "shop", "--yes");
    await done("token", "add", "--cluster", "shop", "--token-file", "shop.token");
    const printed = await done(
      "print",
      "webhook",
      "--json",
      "--url",
      url,
      "--token-file",
      "shop.token",
      "--ca-file",
      "ca.pem",
      "--phase",
      "cluster",
      "--safety-net",
      "deny",
    );
    for (const object of listOf(JSON.parse(printed.out) as JsonObject)) {
      const { name, labels, annotations } = metadataOf(object);
      const kind = `${String(object["kind"]).toLowerCase().replace(/y$/, "ie")}s`;
      await lab.api.applyAs("helm", `${ADMISSION}/${kind}/${name}`, {
        ...object,
        metadata: {
          name,
          labels: { ...labels, "app.kubernetes.io/managed-by": "Helm" },
          annotations: { ...annotations, "meta.helm.sh/release-name": "outrigger" },
        },
      } as unknown as JsonObject);
    }
    await lab.until("shop is served", () => isServed("shop"));
    const checked = await done("check", "--cluster", "shop");
    expect(checked.out).not.toMatch(/^[✖?]/m);
    expect((await done("pods", "--cluster", "shop")).out).toContain("1 pod: ");
    for (const argv of [
      ["register", "--cluster", "shop", "--ca-file", "ca.pem", "--phase", "enforce"],
      ["token", "rotate", "--cluster", "shop"],
      ["unregister", "--cluster", "shop", "--yes"],
    ]) {
      const { code, err } = await lab.run(...argv);
      expect([argv[0], code, err]).toEqual([
        argv[0],
        3,
        expect.stringContaining("Helm (release outrigger) manages it"),
      ]);
    }
    expect((await done("off", "--kubeconfig", "eks.kubeconfig")).out).toContain(
      "manages it and may switch it on again",
    );
    // The net only warns by then: a pod is admitted without the webhook.
    lab.webhook.isDown = true;
    await lab.until("shop is admitted", () =>
      isServed("shop")
        .then((is) => !is)
        .catch(() => false),
    );
    lab.webhook.isDown = false;
  });
});

function listOf(printed: JsonObject): readonly JsonObject[] {
  return (printed["items"] ?? [printed]) as readonly JsonObject[];
}
