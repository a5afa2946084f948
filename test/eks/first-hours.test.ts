// The first hour of three people, on the stand-in of a cluster: an operator who moves from Istio's chart with tags and a template, a
// developer whose pod has no sidecar, and the author of a sidecar. Each command is one that a page shows; its output leads to the next.
import { readFileSync } from "node:fs";
import { readSourceTree } from "@outrigger/publisher";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type CliLab, openCliLab } from "./cli-lab.ts";

const PAGES = ["docs/tasks/move-from-istio.md", "docs/tasks/why-not-injected.md", "docs/tasks/add-a-sidecar.md"];
const SHOWN = PAGES.map((page) => readFileSync(page, "utf8")).join("\n");

const TEMPLATE = `metadata:
  labels:
    agent: {{ .Values.agent.name | quote }}
spec:
  containers:
  - name: agent
    image: "{{ .Values.global.hub }}/agent:1"
    env:
    - name: WORKLOAD
      value: {{ .DeploymentMeta.Name | quote }}
`;
const webhook = (name: string, tag?: string) => ({
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "MutatingWebhookConfiguration",
  metadata: { name, labels: { app: "sidecar-injector", "istio.io/rev": "1-29", ...(tag && { "istio.io/tag": tag }) } },
  webhooks: [{ name: "rev.namespace.sidecar-injector.istio.io" }],
});
/** What the chart of 1.29 installs with the values revision, revisionTags and a template of one's own. */
const ISTIOD = [
  {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "istio-sidecar-injector-1-29", namespace: "istio-system", labels: { "istio.io/rev": "1-29" } },
    data: {
      config: JSON.stringify({
        policy: "enabled",
        defaultTemplates: ["sidecar", "agent"],
        templates: { agent: TEMPLATE },
      }),
      values: JSON.stringify({ revision: "1-29", global: { hub: "registry.example/istio" }, agent: { name: "blue" } }),
    },
  },
  webhook("istio-sidecar-injector-1-29"),
  webhook("istio-revision-tag-prod", "prod"),
  webhook("istio-revision-tag-stable", "stable"),
];

describe("the first hour", { timeout: 240_000 }, () => {
  let lab: CliLab;
  beforeEach(async () => {
    lab = await openCliLab(await readSourceTree("templates"));
  });
  afterEach(() => lab.close());

  /** A command that a page shows, with names of one's own: its first words are on the page. */
  async function follow(shown: string, ...more: readonly string[]) {
    expect(SHOWN).toContain(shown);
    return lab.run(...shown.split(" ").slice(1), ...more);
  }

  it("of an operator who moves from Istio: every namespace that was served is served, by its revision and its tags", async () => {
    for (const name of ["1-29", "prod", "stable"]) lab.namespace(`by-${name}`, { "istio.io/rev": name });
    lab.write("istiod.yaml", ISTIOD.map((object) => JSON.stringify(object)).join("\n---\n"));
    const imported = await lab.run("import", "-f", "istiod.yaml", "-o", "my-templates");
    expect(imported.code).toBe(0);
    const [, line = ""] = /(outrigger register --cluster CLUSTER .*)/.exec(imported.out) ?? [];
    expect(line).toBe("outrigger register --cluster CLUSTER --revision 1-29 --tag prod --tag stable");
    expect((await follow("outrigger lint my-templates")).code).toBe(0);
    expect((await follow("outrigger publish --dir my-templates")).err).not.toContain("Cannot");
    const options = line.split(" ").slice(4);
    expect((await lab.register(...options)).code).toBe(0);
    expect((await lab.register("--revision", "1-29", "--phase", "cluster")).code).toBe(0);
    lab.write(
      "pod.yaml",
      "kind: Pod\napiVersion: v1\nmetadata: {name: web}\nspec: {containers: [{name: web, image: web}]}\n",
    );
    for (const name of ["1-29", "prod", "stable"]) {
      const cluster = ["--kubeconfig", "kubeconfig", "--context", "eks"];
      const { out, err } = await lab.run("explain", "-f", "pod.yaml", "-n", `by-${name}`, ...cluster);
      expect(err).toBe("");
      expect(out).toContain("  Sent to the webhook: ");
      expect(out).toContain("  Added containers: agent");
      expect(out).toMatch(/Result: injected with sidecar, agent\n$/);
      expect(out).not.toContain("Check this");
    }
  });

  it("of a developer whose pod has no sidecar: each explanation names the next mistake, until there is none", async () => {
    const deployment = (metadata: string, template: string) =>
      `apiVersion: apps/v1\nkind: Deployment\nmetadata: ${metadata}\nspec: {template: {metadata: ${template}, spec: {containers: [{name: web, image: web}]}}}\n`;
    const explained = async (text: string) => {
      lab.write("deployment.yaml", text);
      return (await follow("outrigger explain -f deployment.yaml --namespace-label team=shop")).out;
    };
    const asks = 'labels: {sidecar.istio.io/inject: "true"}';
    expect(await explained(deployment("{name: web}", "{}"))).toContain(
      'label the pod template sidecar.istio.io/inject: "true"',
    );
    expect(await explained(deployment(`{name: web, ${asks}}`, "{}"))).toContain(
      "move it to spec.template.metadata.labels",
    );
    const verbose = await explained(
      deployment("{name: web}", `{${asks}, annotations: {sidecar.istio.io/logLevel: verbose}}`),
    );
    expect(verbose).toContain('Warning: sidecar.istio.io/logLevel is "verbose": use trace, debug, info');
    const sound = await explained(
      deployment("{name: web}", `{${asks}, annotations: {sidecar.istio.io/logLevel: debug}}`),
    );
    expect(sound).not.toMatch(/Warning|Check this/);
    expect(sound).toMatch(/Result: injected with sidecar\n$/);
  });

  it("of the author of an OAuth2 sidecar: from a template to a tested release", async () => {
    const template = (image: string) => `spec:
  containers:
  - name: oauth2-proxy
    image: ${image}
    args:
    - --upstream=http://127.0.0.1:{{default 8080 metadata.annotations.upstream}}
    ports:
    - {name: oauth2, containerPort: 4180}
    readinessProbe: {httpGet: {path: /ping, port: oauth2} }
`;
    lab.write("my-templates/config.yaml", "defaultTemplates: [sidecar, oauth2-proxy]\n");
    lab.write("my-templates/templates/oauth2-proxy.hbs", template("{{values.oauth.imag}}"));
    lab.write("my-templates/values/50-oauth.yaml", "oauth: {image: quay.io/oauth2-proxy/oauth2-proxy:v7}\n");
    const misspelt = await follow("outrigger lint my-templates");
    expect([misspelt.code, misspelt.out]).toEqual([
      1,
      expect.stringContaining('"values.oauth.imag" is not in the values, did you mean "image"'),
    ]);
    lab.write("my-templates/templates/oauth2-proxy.hbs", template("{{values.oauth.image}}"));
    expect((await follow("outrigger lint my-templates")).code).toBe(0);
    lab.write(
      "pod.yaml",
      "kind: Pod\napiVersion: v1\nmetadata: {name: web}\nspec: {containers: [{name: web, image: web}]}\n",
    );
    const { out } = await follow("outrigger explain -f pod.yaml --dir my-templates");
    expect(out).toContain("    oauth2-proxy: templates/oauth2-proxy (yours)\n");
    expect(out).not.toContain("Warning");
    expect((await follow("outrigger new test web --dir my-templates")).code).toBe(0);
    expect((await follow("outrigger test my-templates --update")).code).toBe(0);
    expect((await follow("outrigger test my-templates")).code).toBe(0);
  });
});
