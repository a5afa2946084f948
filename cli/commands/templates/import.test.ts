import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fakeAws } from "../../../test/cli/fake-aws.ts";
import { fakeCli } from "../../../test/cli/fake-cli.ts";

const INJECTOR = `apiVersion: v1
kind: ConfigMap
metadata:
  name: istio-sidecar-injector-canary
  namespace: istio-system
  labels:
    istio.io/rev: canary
data:
  values: |-
    {"global": {"logAgent": {"image": "registry.example/log-agent:1", "resources": {"limits": {"cpu": "1"}}}},
     "pilot": {"env": {"ENABLE_NATIVE_SIDECARS": "false"}}}
  config: |-
    policy: enabled
    defaultTemplates: [log-agent]
    injectedAnnotations: {}
    aliases:
      both: [sidecar, log-agent]
    templates:
      log-agent: |
        labels:
          team: {{ .DeploymentMeta.Name }}
        spec:
          containers:
          {{- if .Values.global.logAgent }}
          - name: log-agent
            image: "{{ .Values.global.logAgent.image }}"
            resources:
              {{ toYaml .Values.global.logAgent.resources | indent 6 }}
            securityContext:
              runAsUser: {{ .Values.global.user | default "1000" }}
          {{- end }}
`;
const MESH = `apiVersion: v1
kind: ConfigMap
metadata: {name: istio, labels: {istio.io/rev: canary}}
data:
  mesh: |
    trustDomain: example.org # ours
`;
const PROXY_CONFIG = `apiVersion: networking.istio.io/v1beta1
kind: ProxyConfig
metadata: {name: few, namespace: shop}
spec: {concurrency: 1}
`;
const POD = `apiVersion: v1
kind: Pod
metadata: {name: hello, namespace: shop}
spec:
  containers:
  - {name: hello, image: registry.example/hello:1}
`;

describe("outrigger import", () => {
  let cli: ReturnType<typeof fakeCli>;
  beforeEach(() => {
    cli = fakeCli(fakeAws().connect);
  });
  afterEach(() => cli.remove("."));

  it("leaves the Go source of templates out of the values, so that lint finds nothing in them", async () => {
    // Each fits a parameter, and both together do not.
    const source = `spec: {} # ${"x".repeat(5000)}\n`;
    const templates = { own: source, other: source };
    const values = JSON.stringify({ global: {}, sidecarInjectorWebhook: { templates } });
    const config = JSON.stringify({ policy: "enabled", defaultTemplates: ["own"], templates });
    const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "i" }, data: { config, values } };
    cli.write("istio.yaml", JSON.stringify(map));
    expect((await cli.run("import -f istio.yaml -o tree")).code).toBe(0);
    expect(cli.read("tree/values/10-imported.yaml")).not.toContain("xxx");
    expect((await cli.run("lint tree")).out).not.toContain("10-imported");
  });

  it("is not complete where Parameter Store would refuse a template, and says which", async () => {
    const templates = { own: `spec: {} # ${"x".repeat(9000)}\n` };
    const config = JSON.stringify({ policy: "enabled", defaultTemplates: ["own"], templates });
    const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "i" }, data: { config, values: "{}" } };
    cli.write("istio.yaml", JSON.stringify(map));
    const { code, out, err } = await cli.run("import -f istio.yaml -o tree");
    expect([code, err]).toEqual([1, expect.stringContaining("fix the tree in tree and run outrigger lint")]);
    expect(out).toMatch(/Cannot store templates\/own: it has \d+ bytes, and a parameter holds 8192; split it in two/);
    expect(cli.read("tree/templates/own.hbs")).toContain("xxx");
  });

  it("takes mesh configuration with flow maps, whose braces end together", async () => {
    const data = { mesh: '{"defaultConfig":{"discoveryAddress":"istiod.istio-system.svc:15012"}}' };
    cli.write("mesh.yaml", JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "istio" }, data }));
    const { code, out, err } = await cli.run("import -f mesh.yaml -o tree");
    expect([code, err]).toEqual([0, ""]);
    expect(out).not.toContain("error");
  });

  it("makes a tree that injects as the configuration says", async () => {
    cli.write("istio.yaml", [INJECTOR, MESH, PROXY_CONFIG, POD].join("---\n"));
    const { code, out, err } = await cli.run("import -f istio.yaml -o tree");
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain(
      "Wrote 6 files to tree: config.yaml, mesh.yaml, proxyconfigs.yaml, samples/hello.yaml, templates/log-agent.hbs, values/10-imported.yaml\n",
    );
    expect(out).toContain("serve the same namespaces with: outrigger register --cluster CLUSTER --revision canary\n");
    expect(cli.read("tree/config.yaml")).toBe(
      "aliases:\n  both:\n  - sidecar\n  - log-agent\ndefaultTemplates:\n- log-agent\ndefaults: none\nnativeSidecars: false\npolicy: enabled\nrevision: canary\n",
    );
    expect(cli.read("tree/mesh.yaml")).toBe("trustDomain: example.org # ours\n");
    cli.write("pod.yaml", POD);
    const injected = await cli.run("inject -f pod.yaml --dir tree");
    expect([injected.code, injected.err]).toEqual([0, ""]);
    expect(injected.out).toContain("image: registry.example/log-agent:1");
    expect(injected.out).toContain("runAsUser: 1000");
    expect(injected.out).toContain("team: hello");
    expect(injected.out).toMatch(/limits:\s+cpu: "1"/);
  });

  it("names the line in the file of what it cannot translate, writes the rest and exits 1", async () => {
    const broken = INJECTOR.replace(
      '"{{ .Values.global.logAgent.image }}"',
      '"{{ .Values.global.logAgent.image | genPrivateKey }}"',
    );
    cli.write("istio.yaml", `${broken}---\n${MESH}`);
    const { code, out, err } = await cli.run("import -f istio.yaml -o tree");
    const line = broken.split("\n").findIndex((text) => text.includes("genPrivateKey")) + 1;
    expect(out).toContain(`istio.yaml:${line}:`);
    expect(out).toContain("error: Cannot translate this: the function genPrivateKey has no counterpart");
    expect(code).toBe(1);
    // That the container has no image now follows from it.
    expect(out.match(/: error: /g)).toHaveLength(1);
    expect(err).toMatch(/^The import is not complete: there is 1 error/);
    expect(cli.read("tree/templates/log-agent.hbs")).toContain("name: log-agent");
  });

  it("takes the ConfigMaps of the revision that is named", async () => {
    cli.write(
      "istio.yaml",
      `${INJECTOR}---\n${INJECTOR.replaceAll("canary", "default").replace("log-agent:1", "log-agent:2")}`,
    );
    expect((await cli.run("import -f istio.yaml -o tree --revision canary")).out).toContain(
      "note: Skipped ConfigMap istio-system/istio-sidecar-injector-default: it is of revision default, not canary",
    );
    expect(cli.read("tree/values/10-imported.yaml")).toContain("log-agent:1");
  });

  it("reads Helm values and an IstioOperator", async () => {
    cli.write("values.yaml", "global: {hub: registry.example/istio}\nmeshConfig: {trustDomain: example.org}\n");
    cli.write(
      "operator.yaml",
      "apiVersion: install.istio.io/v1alpha1\nkind: IstioOperator\nspec:\n  tag: 1.30.0\n  values: {global: {meshID: m}}\n  components: {base: {enabled: true}}\n",
    );
    const { code, out } = await cli.run("import -f values.yaml -f operator.yaml -o tree");
    expect(code).toBe(0);
    expect(out).toContain(
      "operator.yaml:1: note: Left out spec.components.base of the IstioOperator: it changes no injected pod",
    );
    expect(cli.read("tree/values/10-imported.yaml")).toBe(
      "global:\n  hub: registry.example/istio\n  meshID: m\n  tag: 1.30.0\n",
    );
    expect(cli.read("tree/mesh.yaml")).toBe("defaultConfig:\n  meshId: m\ntrustDomain: example.org\n");
  });

  it("asks certificates and configuration of the same istiod, the one of the values' revision and namespace", async () => {
    cli.write("values.yaml", "revision: canary\nglobal: {istioNamespace: mesh-system}\n");
    cli.write("pod.yaml", POD);
    const { code, out } = await cli.run("import -f values.yaml -o tree");
    expect(code).toBe(0);
    expect(out).toContain(
      "values.yaml:1: note: discoveryAddress is istiod-canary.mesh-system.svc:15012: Helm values do not name the namespace of their release",
    );
    const injected = await cli.run("inject -f pod.yaml --dir tree");
    expect(injected.out).toContain("value: istiod-canary.mesh-system.svc:15012");
    expect(injected.out).toContain('"discoveryAddress":"istiod-canary.mesh-system.svc:15012"');
    await cli.run("import -f values.yaml -n elsewhere -o other");
    expect(cli.read("other/mesh.yaml")).toContain("discoveryAddress: istiod-canary.elsewhere.svc:15012\n");
  });

  it("names the tags that a revision is registered with, and which namespaces it is for", async () => {
    cli.write(
      "values.yaml",
      "revisionTags: [prod, stable]\nsidecarInjectorWebhook: {enableNamespacesByDefault: true}\nglobal: {meshID: m}\n",
    );
    expect((await cli.run("import -f values.yaml -o tree")).out).toContain(
      "with: outrigger register --cluster CLUSTER --tag prod --tag stable --enable-namespaces-by-default\n",
    );
  });

  it("names the value of which it cannot derive the mesh, and exits 1", async () => {
    cli.write("values.yaml", "global: {proxy: {tracer: lightstep}}\n");
    const { code, out } = await cli.run("import -f values.yaml -o tree");
    expect(code).toBe(1);
    expect(out).toContain(
      "values.yaml:1: error: Cannot derive the mesh configuration: global.tracer.lightstep.address is missing",
    );
  });

  it("warns of no value that counts in config.yaml or that Istio knows, and keeps what an own template reads", async () => {
    cli.write(
      "values.yaml",
      `global: {proxy: {autoInject: enabled}, configValidation: true, waypoint: {tolerations: [{key: a}]}, typo: 1}
sidecarInjectorWebhook:
  defaultTemplates: [sidecar]
  reinvocationPolicy: IfNeeded
  templates:
    mine: |
      spec:
        tolerations:
        {{- range .Values.global.waypoint.tolerations }}
        - key: {{ .key }}
        {{- end }}
pilot: {env: {ENABLE_NATIVE_SIDECARS: "false", PILOT_A: "1"}}
`,
    );
    const { code, out } = await cli.run("import -f values.yaml -o tree");
    expect([code, out.match(/.*: warning: .*/g)]).toEqual([
      0,
      [
        "templates/mine.hbs:2:3: warning: Every pod comes with spec.tolerations: this value takes their place, and guardrails from baseline up refuse to inject it; leave the field to the pod",
        "values/10-imported.yaml:2:3: warning: values.global.typo is not known: no template reads it",
      ],
    ]);
    expect(out).toContain(
      "values.yaml: note: Left out values that change no injected pod: global.configValidation, sidecarInjectorWebhook.reinvocationPolicy, pilot.env.PILOT_A\n",
    );
    expect(cli.read("tree/values/10-imported.yaml")).toContain("waypoint:");
    expect(cli.read("tree/config.yaml")).toContain("nativeSidecars: false\npolicy: enabled\n");
  });

  it("does not warn of a chart's values for what Outrigger's own templates ask beyond them", async () => {
    const shipped = readFileSync("templates/values/00-default.yaml", "utf8");
    const beyond =
      /^ *(?:capNetBindService|holdApplicationUntilProxyStarts|lifecycle|trustDomain|trustBundleName|crlConfigMapName):.*\n/gm;
    const values = shipped.replace(beyond, "").replace(/^(?=.)/gm, "    ");
    cli.write(
      "istio.yaml",
      `apiVersion: v1\nkind: ConfigMap\ndata:\n  config: "policy: enabled"\n  values: |\n${values}---\n${MESH}`,
    );
    expect((await cli.run("import -f istio.yaml -o tree")).out).not.toContain("warning");
  });

  it("reads several files that are separated with commas, and lays each over those before it", async () => {
    cli.write("values.yaml", "global: {hub: registry.example/first, logLevel: a, meshID: a}\n");
    cli.write("mesh.yaml", MESH);
    cli.write("second.yaml", "global: {hub: registry.example/second, logLevel: b}\n");
    cli.write("third.yaml", "global: {hub: registry.example/third}\n");
    const command = "import -f values.yaml,mesh.yaml,second.yaml -f third.yaml -o tree";
    expect(await cli.run(command)).toMatchObject({ code: 0, err: "" });
    expect(cli.read("tree/mesh.yaml")).toContain("trustDomain: example.org\n");
    expect(cli.read("tree/values/10-imported.yaml")).toBe(
      "global:\n  hub: registry.example/third\n  logLevel: b\n  meshID: a\n",
    );
  });

  it("leaves out the tag of the release itself, so that moving the release moves the images", async () => {
    const complete = INJECTOR.replace('{"global": {', '{"global": {"hub": "registry.example/istio", "tag": "1.30.3", ');
    cli.write("istio.yaml", complete);
    const { code, out } = await cli.run("import -f istio.yaml -o tree");
    expect(code).toBe(0);
    expect(out).toContain('note: Left out global.tag 1.30.3: it is that of istio: "1.30"');
    const values = cli.read("tree/values/10-imported.yaml");
    expect(values).toContain("hub: registry.example/istio");
    expect(values).not.toContain("tag:");
  });

  it("keeps an older patch's tag, and says what moving the release needs", async () => {
    cli.write("values.yaml", "global: {tag: 1.30.1}\n");
    const { code, out } = await cli.run("import -f values.yaml -o tree");
    expect(code).toBe(0);
    expect(out).toContain(
      'values/10-imported.yaml: note: global.tag stays 1.30.1, while istio: "1.30" has 1.30.3: remove it before you move istio',
    );
    cli.write("tree/config.yaml", 'istio: "1.31"\n');
    expect(await cli.run("lint tree")).toMatchObject({
      code: 0,
      out: expect.stringContaining(
        "values/10-imported.yaml:2:3: warning: global.tag 1.30.1 is not of Istio 1.31, the release of the config: remove the tag",
      ),
    });
    expect((await cli.run("lint tree --strict")).code).toBe(1);
  });

  it("refuses a directory with files, and files with nothing of Istio's", async () => {
    cli.write("tree/config.yaml", "policy: enabled\n");
    cli.write("pod.yaml", "apiVersion: v1\nkind: Service\nmetadata: {name: a}\n");
    expect((await cli.run("import -f pod.yaml -o tree")).err).toMatch(
      /^Cannot import into tree: the directory is not empty/,
    );
    const { code, err } = await cli.run("import -f pod.yaml -o other");
    expect(code).toBe(2);
    expect(err).toContain("pod.yaml:1: note: Skipped Service a: ");
  });
});
