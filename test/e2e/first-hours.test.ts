// The first hour of three people with the packed command line in an empty folder, on one fake cluster, one after the other: an operator
// who moves from Istio's chart with a revision, tags and a template; a developer whose pods do not start; the author of a sidecar. Each
// command is on a page, with names of their own in it. Each commit follows one of them.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { load } from "js-yaml";
import { afterAll, beforeAll, describe, expect, it as test, vi } from "vitest";
import { ROOT, textOf } from "../pages/code-blocks.ts";
import { inTurn, turnOf } from "../support/in-turn.ts";
import { istiodOfChart } from "./istiod-of-chart.ts";
import { blocksOf, hasKubectl, installPacked, type Newcomer, newcomer } from "./newcomer.ts";

type Names = Readonly<Record<string, string>>;

const MOVE = "docs/tasks/move-from-istio.md";
const WHY = "docs/tasks/why-not-injected.md";
const ADD = "docs/tasks/add-a-sidecar.md";
const CANARY = "docs/tasks/canary-release.md";
const EDITING = "docs/editing.md";

const REVISION = "1-29";
/** Namespaces by what they are labelled with. */
const SERVED = { shop: "istio-injection=enabled", payments: "istio.io/rev=prod", search: "istio.io/rev=1-29" };
const AGENT = `metadata:
  labels:
    agent: {{ .Values.agent.name | quote }}
spec:
  containers:
  - name: agent
    image: "{{ .Values.global.hub }}/agent:1"
    env:
    - name: WORKLOAD
      value: {{ .DeploymentMeta.Name | quote }}
    {{- range $key, $value := .Values.agent.env }}
    - name: {{ $key | upper }}
      value: {{ $value | toString | quote }}
    {{- end }}
`;

// The last share is without-mesh.test.ts.
const TURN = turnOf("First hours", 4);
const it = inTurn(test, TURN);
/** Whether the operator's hour comes first. The others begin on a cluster that has been moved without templates of its own. */
const isMoved = TURN.has(0);

describe.runIf(hasKubectl)("the first hour", { timeout: 280_000 }, () => {
  let place: string;
  let person: Newcomer;
  beforeAll(async () => {
    place = mkdtempSync(join(tmpdir(), "outrigger-installed-"));
    person = await newcomer(installPacked(place));
    if (isMoved) return;
    await person.done("kubectl delete mutatingwebhookconfigurations -l app=sidecar-injector");
    await person.done("outrigger register --cluster shop --phase cluster");
  });
  afterAll(async () => {
    await person?.close();
    rmSync(place, { recursive: true, force: true });
  });

  const write = (file: string, text: string) => {
    const path = join(person.folder, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  /** A line of a page, or a command in its text, with the person's own names in it. */
  const step = (page: string, shown: string, names: Names = {}) => person.run(withNames(ofPage(page, shown), names));
  const follow = async (page: string, shown: string, names: Names = {}) => {
    const { code, output } = await step(page, shown, names);
    expect(code, `${shown}\n${output}`).toBe(0);
    return output;
  };

  it("of an operator who moves from Istio: every namespace that was served is served", async () => {
    const values = load(readFileSync(join(ROOT, "templates/values/00-default.yaml"), "utf8")) as Record<string, object>;
    const istiod = istiodOfChart({
      revision: REVISION,
      tags: ["default", "prod"],
      values: {
        ...values,
        revision: REVISION,
        global: { ...values["global"], hub: "registry.example/istio", tag: "1.29.6" },
        agent: { name: "blue", env: { team: "shop", retries: 3 } },
      },
      config: { policy: "enabled", defaultTemplates: ["sidecar", "agent"], templates: { agent: AGENT } },
    });
    write("istiod.json", JSON.stringify(istiod));
    await person.done("kubectl delete mutatingwebhookconfigurations -l app=sidecar-injector");
    await person.done("kubectl delete configmap -n istio-system istio istio-sidecar-injector");
    await person.done("kubectl create --validate=false -f istiod.json");
    await person.done("kubectl label namespace staging istio-injection-");
    for (const [name, label] of Object.entries(SERVED))
      if (name !== "shop") await person.done(`kubectl create --validate=false -f - <<< '${namespace(name, label)}'`);

    expect(await follow(MOVE, "kubectl get namespaces -L istio-injection,istio.io/rev")).toMatch(/payments .* prod\n/);
    const imported = await follow(MOVE, "outrigger import --context prod -o my-templates\n", {
      "--context prod": `--context prod --revision ${REVISION}`,
    });
    const [, options = ""] = /outrigger register --cluster CLUSTER (.*)/.exec(imported) ?? [];
    expect(options).toBe("--revision 1-29 --tag default --tag prod");
    expect(await follow(MOVE, "outrigger lint my-templates\n")).not.toMatch(/: (error|warning):/);
    await follow(MOVE, "outrigger test my-templates\n");
    const held = await step(MOVE, "outrigger publish --dir my-templates");
    const [accept = ""] = /outrigger publish --accept [a-z,-]+[a-z]/.exec(held.output) ?? [];
    expect([held.code, accept]).toEqual([3, expect.stringContaining("control-plane-address")]);
    await follow(MOVE, "outrigger publish --dir my-templates", { "outrigger publish": accept });

    const again = { "--cluster shop": `--cluster shop --revision ${REVISION}` };
    await follow(MOVE, "outrigger register --deployment prod --cluster shop --tag prod", { "--tag prod": options });
    await follow(MOVE, "--phase namespace --namespace checkout", { ...again, checkout: "payments" });
    await follow(MOVE, "--phase cluster", again);
    await follow(MOVE, "kubectl get mutatingwebhookconfigurations -l app=sidecar-injector");
    await follow(MOVE, "kubectl delete mutatingwebhookconfigurations", { "rev=default": `rev=${REVISION}` });
    // "Once a tag is registered, delete its webhook too."
    for (const tag of ["default", "prod"])
      await person.done(`kubectl delete mutatingwebhookconfiguration istio-revision-tag-${tag}`);
    await follow(MOVE, "--phase enforce", again);
    const left = await follow(MOVE, "kubectl get mutatingwebhookconfigurations -l app=sidecar-injector");
    expect(left).not.toContain("istio-");
    for (const name of Object.keys(SERVED)) {
      const pod = await follow(MOVE, "kubectl run web -n shop", { "-n shop": `-n ${name}` });
      for (const part of ["agent: blue", "image: registry.example/istio/agent:1", "proxyv2:1.29.6", "value: shop"])
        expect(pod, name).toContain(part);
      expect(pod, name).toMatch(/name: RETRIES\n +value: "3"/);
    }
    for (const name of ["checkout", "staging"])
      expect(await follow(MOVE, "kubectl run web -n shop", { "-n shop": `-n ${name}` })).not.toContain("istio-proxy");
    await follow(MOVE, "kubectl rollout restart deployment -n shop");
    const all = async () =>
      expect(await person.run(ofPage(MOVE, "outrigger pods --state missing"))).toMatchObject({ code: 0 });
    await vi.waitFor(all, { timeout: 60_000, interval: 2000 });
  });

  it("of a developer whose pods do not start: each explanation names the next mistake, until they do", async () => {
    await person.done(`kubectl create --validate=false -f - <<< '${namespace("orders", "team=orders")}'`);
    const deployment = (metadata: string, image = "registry.example/api:1") =>
      write(
        "api.yaml",
        `apiVersion: apps/v1
kind: Deployment
metadata: {name: api, namespace: orders}
spec:
  replicas: 2
  selector: {matchLabels: {app: api}}
  template:
    metadata: {labels: {app: api${metadata}}
    spec: {containers: [{name: api, image: ${image}}]}
`,
      );
    const apply = "kubectl apply -f api.yaml";
    /** Repeats the command until its output has the parts, which takes until the controller has tried. */
    const explained = (...parts: readonly (string | RegExp)[]) =>
      vi.waitFor(
        async () => {
          const output = await follow(WHY, "outrigger explain deploy/web -n shop", {
            web: "api",
            "-n shop": "-n orders",
          });
          for (const part of parts) expect(output).toMatch(part);
          return output;
        },
        { timeout: 60_000, interval: 1000 },
      );

    deployment("}");
    await person.done(apply);
    const unlabelled = await explained(/Result: no sidecar, because no webhook is called/);
    const [label = ""] = /kubectl label namespace orders [\w=-]+/.exec(unlabelled.replaceAll(/\s+/g, " ")) ?? [];
    await person.done(label);

    deployment(`}, annotations: {traffic.sidecar.istio.io/excludeInboundPorts: "70000"}`);
    await person.done(apply);
    await explained(
      /Refused \(annotation-invalid\)/,
      /Result: the pod is denied: Annotation \S+excludeInboundPorts cannot be "70000": use ports\s+from 0 to 65535/,
      /denied the request/,
    );

    deployment(`}, annotations: {proxy.istio.io/config: "tracin: {}"}`, "registry.example/crash:1");
    await person.done(apply);
    await explained(/Warning: proxy.istio.io\/config: tracin is not known/, /its own container api: CrashLoopBackOff/);

    deployment(`}, annotations: {sidecar.istio.io/logLevel: debug}`);
    await person.done(apply);
    const sound = await explained(/Running: 2 pods, 2 with a sidecar/);
    expect(sound).not.toMatch(/Warning|Check this|Refused/);
    expect(sound).toMatch(isMoved ? /Result: injected with sidecar, agent\n$/ : /Result: injected with sidecar\n$/);
  });

  it("of the author of an OAuth2 sidecar: from a template to a canary, and back", async () => {
    const template = (image: string, end: string) => `spec:
  containers:
  - name: oauth2-proxy
    image: ${image}
    args:
    - --upstream=http://127.0.0.1:{{default 8080 metadata.annotations.upstream}}
    {{#each (sorted values.oauth.options)}}
    - --{{@key}}={{this}}
    {{/each}}
    ports:
    - {name: oauth2, containerPort: 4180}
    readinessProbe: {httpGet: {path: /ping, port: oauth2${end}
`;
    await follow(EDITING, "outrigger pull my-templates");
    write("my-templates/templates/oauth2-proxy.hbs", template("{{values.oauth.imag}}", "}}"));
    write(
      "my-templates/values/50-oauth.yaml",
      "oauth: {image: quay.io/oauth2-proxy/oauth2-proxy:v7, options: {provider: oidc}}\n",
    );
    const wrong = await step(ADD, "outrigger lint my-templates\n");
    for (const part of [
      '"values.oauth.imag" is not in the values, did you mean "image"',
      "put a space between the two",
    ])
      expect([wrong.code, wrong.output]).toEqual([1, expect.stringContaining(part)]);
    write("my-templates/templates/oauth2-proxy.hbs", template("{{values.oauth.image}}", "} }"));
    await follow(ADD, "outrigger lint my-templates\n");
    write(
      "pod.yaml",
      `apiVersion: v1\nkind: Pod\nmetadata: {name: web, namespace: shop, annotations: {inject.istio.io/templates: "sidecar,oauth2-proxy"}}
spec: {containers: [{name: web, image: web}]}\n`,
    );
    const explained = await follow(ADD, "outrigger explain -f pod.yaml --dir my-templates");
    expect(explained).toContain("    oauth2-proxy: templates/oauth2-proxy (yours)\n");
    expect(explained).not.toContain("Warning");
    await follow(ADD, "outrigger new test web --dir my-templates");
    await follow(ADD, "outrigger test my-templates --update");
    await follow(ADD, "outrigger test my-templates\n");

    await follow(CANARY, "outrigger channel edits canary");
    await follow(CANARY, 'outrigger push my-templates --publish -m "Debug image"', { "Debug image": "OAuth2" });
    expect(await follow(CANARY, "outrigger diff stable canary")).toContain("templates/oauth2-proxy");
    await follow(CANARY, 'outrigger promote canary stable --share 5 -m "Five per cent"');
    await follow(CANARY, 'outrigger promote canary stable -m "A week without complaints"');
    const served = async () => {
      const output = await person.done(`kubectl create -f pod.yaml --dry-run=server -o yaml`);
      expect(output).toContain("--provider=oidc");
    };
    await vi.waitFor(served, { timeout: 60_000, interval: 1000 });
    expect(await follow(CANARY, 'outrigger rollback stable -m "Pods do not start"')).toContain("pinned");
  });
});

/** The command of a page that begins where it is shown: to the end of its line, or of its code in text. */
function ofPage(page: string, shown: string): string {
  const lines = blocksOf(page).flatMap((block) => block.split("\n"));
  const line = lines.find((each) => `${each}\n`.includes(shown));
  if (line !== undefined) return line.replace(/^\$ /, "");
  expect(textOf(page), page).toContain(`\`${shown.trim()}`);
  return shown;
}

function withNames(command: string, names: Names): string {
  return Object.entries(names).reduce((text, [shown, own]) => text.replaceAll(shown, own), command);
}

function namespace(name: string, label: string): string {
  const [key = "", value = ""] = label.split("=");
  return JSON.stringify({ apiVersion: "v1", kind: "Namespace", metadata: { name, labels: { [key]: value } } });
}
