import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fakeAws, SHIPPED } from "../../../test/cli/fake-aws.ts";
import { fakeCli } from "../../../test/cli/fake-cli.ts";

const POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: web, image: web}]}\n";
const AGENT = "spec:\n  containers:\n  - name: agent\n    image: agent:1\n";

describe("outrigger explain and render", () => {
  let aws: ReturnType<typeof fakeAws>;
  let cli: ReturnType<typeof fakeCli>;
  beforeEach(() => {
    aws = fakeAws();
    cli = fakeCli(aws.connect, SHIPPED);
    cli.write("web.yaml", POD);
    cli.write("tree/partials/proxy-image.hbs", "image: mine/proxy:{{revision}}\n");
    cli.write("tree/templates/agent.hbs", AGENT);
  });
  afterEach(() => cli.remove("."));

  it("prints the decision, its reason, the templates, their origin and what they add", async () => {
    const { code, out, err } = await cli.run("explain -f web.yaml --dir tree");
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/^Release [0-9a-f]{12} \(tree\/\)\n/);
    expect(out.slice(out.indexOf("\n\n") + 2)).toContain(
      [
        "web.yaml, namespace default",
        "  Not known whether it is sent: the namespace's labels are not known",
        '  Injected (policy-enabled): the policy is "enabled", and nothing of the pod decides otherwise',
        "  Templates, by defaultTemplates of the config:",
        "    sidecar: templates/sidecar (shipped)",
        "      partials/proxy-image (yours, in place of the shipped one)",
        "  Added containers: istio-proxy",
      ].join("\n"),
    );
  });

  it("says that the shipped tree is explained where none is named", async () => {
    const firstLine = async (line: string) => (await cli.run(line)).out.split("\n")[0];
    expect(await firstLine("explain -f web.yaml")).toMatch(/ \(shipped: name your own with --dir or --from\)$/);
    expect(await firstLine("explain -f web.yaml --from shipped")).toMatch(/ \(shipped\)$/);
  });

  it("says why a pod gets a default template that is for some pods only, or does not", async () => {
    const config = (first: string) =>
      `defaultTemplates:\n${first}- name: agent\n  match: {podLabels: {logs: "yes"} }\n- {name: other, match: {namespaces: [till]} }\n`;
    cli.write("tree/config.yaml", config("- sidecar\n"));
    cli.write("tree/templates/other.hbs", AGENT.replace("name: agent", "name: other"));
    cli.write("logged.yaml", POD.replace("{name: web}", '{name: web, labels: {logs: "yes"} }'));
    const { out } = await cli.run("explain -f logged.yaml --dir tree");
    expect(out).toContain("    agent, as labels.logs is yes: templates/agent (yours)\n");
    expect(out).toContain("  Not other, as the namespace is not till\n");
    expect((await cli.run("explain -f web.yaml --dir tree")).out).toContain("  Not agent, as labels.logs is not yes\n");
    cli.write("tree/config.yaml", config(""));
    const none = await cli.run("explain -f web.yaml --dir tree");
    expect(none.out).toContain(
      [
        "  Not injected (no-template): no default template is for such a pod, and it names none",
        "  Not agent, as labels.logs is not yes",
        "  Not other, as the namespace is not till",
      ].join("\n"),
    );
    const { pods } = await cli.json("explain -f logged.yaml --dir tree");
    expect(pods[0]).toMatchObject({
      templates: [{ name: "agent", as: "labels.logs is yes" }],
      unmatched: [{ name: "other", as: "the namespace is not till" }],
    });
    const { out: manifest, err } = await cli.run("inject -f web.yaml --dir tree");
    expect(manifest).toBe(POD);
    expect(err).toContain(
      'Skipping injection because Pod "web" gets no template: no default template is for such a pod',
    );
  });

  it("prints the injected pod with who wrote each line", async () => {
    const { code, out } = await cli.run("explain -f web.yaml --dir tree --lines");
    expect(code).toBe(0);
    const writerOf = (text: RegExp) =>
      out
        .split("\n")
        .find((line) => text.test(line))
        ?.split(" ")[0];
    expect(writerOf(/\| .* image: .*mine\/proxy/)).toBe("partials/proxy-image:1");
    expect(writerOf(/\| .* image: web$/)).toBe("");
    expect(writerOf(/\| +sidecar\.istio\.io\/status: /)).toBe("injection-record");
    const { pods } = await cli.json("explain -f web.yaml --dir tree --lines");
    expect(pods[0].lines).toContainEqual(expect.objectContaining({ path: "partials/proxy-image", line: 1 }));
    expect(pods[0].lines).toContainEqual({ text: "    name: web" });
  });

  it("ends with the verdict where no webhook is called, and says what would be injected before it", async () => {
    const { out } = await cli.run("explain -f web.yaml --dir tree --namespace-label team=shop");
    expect(out.slice(out.indexOf("\n\n") + 2)).toMatch(
      new RegExp(
        [
          "^web.yaml, namespace default",
          "  Not sent to any webhook:",
          "    revision default, rev.namespace \\(for namespaces labelled istio.io/rev\\): .*",
          "(?:.*\n)+  If it were sent:",
          "    Injected \\(policy-enabled\\): .*",
          "(?:.*\n)+  Result: no sidecar, because no webhook is called\n$",
        ].join("\n"),
      ),
    );
    const { out: sent } = await cli.run("explain -f web.yaml --namespace-label istio-injection=enabled");
    expect(sent).toContain(
      "Sent to the webhook: revision default, namespace (for namespaces labelled istio-injection)\n",
    );
    expect(sent).toMatch(/\n {2}Result: injected with sidecar\n$/);
    expect((await cli.run("explain -f web.yaml")).out).toMatch(
      /\n {2}Result: injected with sidecar, if a webhook is called: /,
    );
  });

  it("names a namespace's tag that is not served, and how it is registered", async () => {
    const { out } = await cli.run("explain -f web.yaml --namespace-label istio.io/rev=prod");
    expect(out).toContain(
      "\n  Check this: istio.io/rev of the namespace is prod, which is not registered (there is default): correct the label, or outrigger register --revision prod, or --tag prod if it names another revision\n",
    );
    const { out: own } = await cli.run("explain -f web.yaml --revision prod --namespace-label istio.io/rev=prod");
    expect(own).not.toContain("Check this");
    expect((await cli.run("explain -f web.yaml")).out).toContain("\n  Not known whether it is sent: ");
  });

  it("names the usual mistakes without the namespace's labels, too", async () => {
    const own = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, labels: {istio.io/rev: prod}}\n";
    const template = "{metadata: {labels: {istio-injection: enabled}}, spec: {containers: [{name: web, image: web}]}}";
    cli.write("web.yaml", `${own}spec: {template: ${template}}\n`);
    const { out } = await cli.run("explain -f web.yaml");
    expect(out).toContain(
      [
        "  Not known whether it is sent: the namespace's labels are not known",
        "  Check this: The label istio.io/rev is on the Deployment and not on its pod template: move it to spec.template.metadata.labels",
        "",
      ].join("\n"),
    );
    expect(out.match(/label istio-injection is for namespaces/g)).toHaveLength(1);
  });

  it("names a label of a workload that is written without quotes, too", async () => {
    const own =
      "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, labels: {sidecar.istio.io/inject: true}}\n";
    cli.write("web.yaml", `${own}spec: {template: {metadata: {}, spec: {containers: [{name: web, image: web}]}}}\n`);
    const { out } = await cli.run("explain -f web.yaml");
    expect(out).toContain(
      "Check this: The label sidecar.istio.io/inject is on the Deployment and not on its pod template",
    );
  });

  it("names the annotation that a misspelt one is near, as inject does", async () => {
    cli.write("odd.yaml", POD.replace("{name: web}", "{name: web, annotations: {sidecar.istio.io/proxyImagee: a/b}}"));
    const warning =
      "metadata.annotations['sidecar.istio.io/proxyImagee'] is not read by any template or step: did you mean sidecar.istio.io/proxyImage?";
    expect((await cli.run("explain -f odd.yaml")).out).toContain(`\n  Warning: ${warning}\n`);
    const { code, err } = await cli.run("inject -f odd.yaml");
    expect([code, err]).toEqual([0, `Warning: odd.yaml: ${warning}\n`]);
  });

  it("says why a pod is skipped, and why one is denied", async () => {
    cli.write("host.yaml", POD.replace("spec: {", "spec: {hostNetwork: true, "));
    const { out: skipped } = await cli.run("explain -f host.yaml");
    expect(skipped).toContain("  Not injected (host-network): the pod uses the host's");
    expect(skipped).toMatch(/\n {2}Result: no sidecar, because the pod uses the host's network.*\n$/);
    cli.write("odd.yaml", POD.replace("{name: web}", "{name: web, annotations: {inject.istio.io/templates: gone}}"));
    const { code, out } = await cli.run("explain -f odd.yaml");
    expect(code).toBe(0);
    expect(out).toContain('  Refused (template-unknown): Cannot inject template "gone" named in annotation');
    expect(out).toMatch(/\n {2}Result: the pod is denied: Cannot inject template "gone" named in annotation.*\n$/);
  });

  it("takes every pod of a manifest from standard input, and JSON out", async () => {
    cli.write("two.yaml", `${POD}---\n${POD.replace("{name: web}", "{name: web, namespace: kube-system}")}`);
    const { pods } = await cli.json("explain -f two.yaml");
    expect(pods.map(({ pod, decision, reason }: Record<string, string>) => [pod, decision, reason])).toEqual([
      ["two.yaml, pod 1", "injected", "policy-enabled"],
      ["two.yaml, pod 2", "skipped", "system-namespace"],
    ]);
  });

  it("explains what a registered cluster is served", async () => {
    await cli.run("publish --dir tree");
    await cli.run("publish --channel canary");
    const record = { revisions: { default: "canary", blue: "canary" }, arn: "", tokens: [] };
    await aws.put(aws.layout.cluster("shop"), JSON.stringify(record));
    expect((await cli.run("explain -f web.yaml --cluster shop")).out).toContain("(canary)\n");
    expect((await cli.run("inject -f web.yaml --cluster shop --revision blue --overlay")).out).toContain(
      "image: mine/proxy:blue",
    );
    expect((await cli.run("inject -f web.yaml --cluster shop --revision blue")).out).toContain(
      "image: mine/proxy:blue",
    );
    expect((await cli.run("inject -f web.yaml --from canary")).out).toContain("image: mine/proxy:");
    expect((await cli.run("explain -f web.yaml --cluster shop --revision red")).err).toBe(
      "Cannot find revision red of cluster shop: it has default, blue\n",
    );
    expect((await cli.run("explain -f web.yaml --cluster ../x")).err).toContain("Cannot find cluster ../x");
    expect((await cli.run("explain -f web.yaml --cluster shop --dir tree")).code).toBe(2);
  });

  it("says that it cannot tell whose a template is when the texts of a release are not kept", async () => {
    await cli.run("publish --dir tree");
    await aws.remove("partials/proxy-image", "templates/agent");
    expect((await cli.run("explain -f web.yaml --from stable")).out).toContain(
      "templates/sidecar (whose, is not kept)",
    );
  });

  it("renders the overlay as it is before the merge, of the templates of the pod or of the one that is named", async () => {
    expect(await cli.run("inject -f web.yaml --dir tree --overlay")).toEqual({
      code: 0,
      out: "# sidecar, for web.yaml\nspec:\n  containers:\n  - image: mine/proxy:default\n    name: istio-proxy\n",
      err: "",
    });
    expect((await cli.run("inject -f web.yaml --dir tree --overlay agent")).out).toBe(
      "# agent, for web.yaml\nspec:\n  containers:\n  - image: agent:1\n    name: agent\n",
    );
    expect(await cli.json("inject -f web.yaml --dir tree --overlay agent")).toEqual([
      { pod: "web.yaml", template: "agent", overlay: { spec: { containers: [{ name: "agent", image: "agent:1" }] } } },
    ]);
  });

  it("renders nothing, and says why, when the pod is not injected", async () => {
    cli.write("host.yaml", POD.replace("spec: {", "spec: {hostNetwork: true, "));
    const { code, out, err } = await cli.run("inject -f host.yaml --overlay");
    expect([code, out]).toEqual([0, ""]);
    expect(err).toMatch(/^host\.yaml: not injected: the pod uses the host's network/);
  });

  it.each<[string, number, string]>([
    ["inject -f web.yaml --overlay gone", 2, 'Cannot render template "gone": there are sidecar'],
    ["inject -f gone.yaml --overlay", 3, "Cannot read gone.yaml: there is no such file or directory"],
    ["explain -f shipped/config.yaml", 1, "Cannot find a pod in shipped/config.yaml"],
    ["explain", 2, "Required option '-f, --filename <file>' not specified"],
  ])("refuses %s", async (line, code, message) => {
    const ran = await cli.run(line);
    expect([ran.code, ran.out]).toEqual([code, ""]);
    expect(ran.err).toContain(message);
  });
});
