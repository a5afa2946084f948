// `outrigger samples` on a real API server: pods as it stores them, with the rights that are printed for reading pods.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@outrigger/base";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { turnOf } from "../support/in-turn.ts";
import { openRealLab, type RealLab } from "./support/real-lab.ts";

const AGENT = `spec:
  containers:
  - name: agent
    image: agent:1
    {{#if (eq metadata.labels.tier "batch")}}
    args: [--once]
    {{/if}}
    {{#each spec.volumes}}
    {{#if secret}}
    tty: true
    {{/if}}
    {{/each}}
`;

describe.runIf(turnOf("Commands on a real API server", 5).has(4))("outrigger samples, on a real API server", () => {
  let lab: RealLab;
  beforeAll(async () => {
    lab = await openRealLab();
    await lab.allow();
    lab.write("mine/config.yaml", "defaultTemplates: [sidecar, agent]\n");
    lab.write("mine/templates/agent.hbs", AGENT);
    expect((await lab.run("publish", "--dir", "mine")).code).toBe(0);
    await lab.namespace("shop", { "istio-injection": "enabled" });
    const registered = await lab.register("--phase", "cluster");
    expect(registered, registered.err).toMatchObject({ code: 0 });
    const deploy = async (name: string, labels: JsonObject, spec: JsonObject) => {
      const template = { metadata: { labels: { app: name, ...labels } }, spec };
      await lab.apply({
        ...{ apiVersion: "apps/v1", kind: "Deployment", metadata: { name, namespace: "shop" } },
        spec: { replicas: 2, selector: { matchLabels: { app: name } }, template },
      });
    };
    const app = { name: "app", image: "acme.internal:5000/acme:1" };
    await deploy("web", {}, { containers: [app] });
    await deploy("batch", { tier: "batch" }, { containers: [{ ...app, args: ["--key=canary-argument"] }] });
    await deploy(
      "keys",
      { owner: "canary-owner" },
      {
        hostAliases: [{ ip: "10.9.8.7", hostnames: ["canary.internal"] }],
        containers: [
          {
            ...app,
            env: [
              { name: "A", value: "canary-variable" },
              { name: "B", valueFrom: { secretKeyRef: { name: "canary-secret", key: "k" } } },
            ],
            volumeMounts: [{ name: "keys", mountPath: "/keys" }],
          },
        ],
        volumes: [{ name: "keys", secret: { secretName: "canary-secret" } }],
      },
    );
    await lab.until("six pods are there", async () => (await lab.pods("shop")).length === 6);
  });
  afterAll(() => lab?.close());

  it("writes samples of the pods as they are stored, without their values, and check is content with them", async () => {
    await lab.onlyAllow(["pods"]);
    const { code, out, err } = await lab.run("samples", "mine", "--cluster", "shop");
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain("6 pods of shop take ");
    const folder = join(lab.cwd, "mine/samples");
    const files = readdirSync(folder).sort();
    expect(files).toEqual(["shop-batch.yaml", "shop-keys.yaml"]);
    const texts = files.map((file) => readFileSync(join(folder, file), "utf8"));
    for (const text of texts) {
      expect(text).not.toMatch(/canary|10\.9\.8\.7|acme/);
      // What API servers fill in is left out.
      expect(text).not.toMatch(/kube-api-access|terminationMessagePath|dnsPolicy|tolerations|istio-proxy/);
    }
    expect(texts[1]).toContain("secretName: secret-1\n");
    expect(await lab.run("lint", "mine", "--strict")).toMatchObject({ code: 0 });
    expect((await lab.run("samples", "mine", "--cluster", "shop")).out).toContain("\nNothing to write\n");
    await lab.onlyAllow(["check"]);
    const sampled = async () =>
      /^\S (?=sampled)sampled +.*$/m.exec((await lab.run("check", "--cluster", "shop")).out)?.[0];
    expect(await sampled()).toMatch(/^– sampled +4 pods in 2 workloads take branches that no sample takes: /);
    expect((await lab.run("publish", "--dir", "mine")).code).toBe(0);
    expect(await sampled()).toMatch(/^✔ sampled +samples take every branch of the templates that 6 pods take$/);
  });
});
