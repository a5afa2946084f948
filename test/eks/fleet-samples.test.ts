// `outrigger samples`, through the command line: samples of pods that a cluster runs, in a source tree.
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type CliLab, openCliLab } from "./cli-lab.ts";
import { deployedPods } from "./deployed-pods.ts";

const KUBECONFIG = ["--kubeconfig", "kubeconfig", "--context", "eks"];

const AGENT = `spec:
  containers:
  - name: agent
    image: agent:1
    {{#if (lookup metadata.annotations "agent.example.com/port")}}
    ports:
    - containerPort: {{int (lookup metadata.annotations "agent.example.com/port")}}
    {{/if}}
    {{#if (eq metadata.labels.tier "batch")}}
    args: [--once]
    {{/if}}
    {{#if (hasPrefix "team-" metadata.labels.owner)}}
    workingDir: /team
    {{/if}}
    {{#each spec.volumes}}
    {{#if secret}}
    env:
    - name: HAS_SECRET
      value: "true"
    {{/if}}
    {{/each}}
`;

/** Texts of which none may be in a sample. */
const CANARIES = {
  variable: "canary-of-a-variable",
  argument: "--password=canary-of-an-argument",
  command: "canary-of-a-command",
  secret: "canary-of-a-secret",
  key: "canary-of-a-key",
  header: "canary-of-a-header",
  host: "canary-host.internal",
  address: "10.77.66.55",
};

describe("outrigger samples", { timeout: 180_000 }, () => {
  let lab: CliLab;
  beforeEach(async () => {
    lab = await openCliLab();
    lab.namespace("shop", { "istio-injection": "enabled" });
    lab.namespace("plain");
    lab.write("mine/config.yaml", "defaultTemplates: [sidecar, agent]\n");
    lab.write("mine/templates/agent.hbs", AGENT);
    expect(await lab.run("publish", "--dir", "mine")).toMatchObject({ code: 0 });
    expect((await lab.register("--phase", "cluster")).code).toBe(0);
  });
  afterEach(() => lab.close());

  const run = deployedPods(() => lab, { podIP: CANARIES.address });
  const samples = (...argv: readonly string[]) => lab.run("samples", "mine", ...argv, ...KUBECONFIG);
  const folder = () => join(lab.cwd, "mine/samples");
  const files = () => (existsSync(folder()) ? readdirSync(folder()).sort() : []);
  const textOf = (file: string) => readFileSync(join(folder(), file), "utf8");
  const tree = () => Object.fromEntries(files().map((file) => [file, textOf(file)]));

  it("writes as few samples as take every branch that the pods take, with which lint and publish are content", async () => {
    await run("web");
    await run("web");
    await run("port", { annotations: { "agent.example.com/port": "9100" } });
    await run("both", { annotations: { "agent.example.com/port": "9200" }, labels: { tier: "batch" } });
    await run("job", { namespace: "plain" });
    const before = lab.api.calls.length;
    const { code, out, err } = await samples();
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain("5 pods of shop take ");
    expect(out).toMatch(
      /\nWrote samples\/shop-both\.yaml: \d+ branches more, from shop\/Deployment\/both \(1 pod in 1 workload\)\n/,
    );
    expect(out).toMatch(/\nLook at them, then: outrigger lint mine\n$/);
    expect(files()).toEqual(["shop-both.yaml"]);
    const calls = lab.api.calls.slice(before);
    expect(calls.filter((call) => !call.startsWith("GET "))).toEqual([]);
    // Webhooks, namespaces and pods: each list once.
    expect(calls.length).toBeLessThanOrEqual(4);
    expect(await lab.run("lint", "mine", "--strict")).toMatchObject({ code: 0 });
    expect(await lab.run("publish", "--dir", "mine")).toMatchObject({ code: 0 });
  });

  it("has nothing of a pod that no condition needs, and says what it has", async () => {
    const { variable, argument, command, secret, key, header, host, address } = CANARIES;
    await run("web", {
      labels: { tier: "batch", owner: "team-acme", region: "acme-west" },
      annotations: { "acme.example.com/contact": "people@acme.example.com", "agent.example.com/port": "9100" },
      spec: {
        serviceAccountName: "acme-web",
        hostAliases: [{ ip: address, hostnames: [host] }],
        imagePullSecrets: [{ name: secret }],
        containers: [
          {
            name: "app",
            image: "111122223333.dkr.ecr.eu-west-1.amazonaws.com/acme/web:7",
            command: [command],
            args: [argument, "acme-argument"],
            env: [
              { name: "ACME_KEY", value: variable },
              { name: "ACME_SECRET", valueFrom: { secretKeyRef: { name: secret, key } } },
              { name: "ACME_POD", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
            ],
            envFrom: [{ secretRef: { name: secret } }],
            ports: [{ name: "acme-http", containerPort: 8080 }],
            readinessProbe: {
              httpGet: { host, port: "acme-http", path: "/acme", httpHeaders: [{ name: "X", value: header }] },
            },
            resources: { limits: { memory: "1Gi" } },
            volumeMounts: [{ name: "acme", mountPath: "/etc/acme" }],
          },
        ],
        volumes: [{ name: "acme", secret: { secretName: secret } }],
      },
    });
    const { code, out } = await samples();
    expect(code).toBe(0);
    expect(out).toContain("\n  It has values of the pod that conditions need: metadata.labels.owner\n");
    const text = textOf("shop-web.yaml");
    for (const canary of Object.values(CANARIES)) expect(text).not.toContain(canary);
    expect(text.replaceAll("team-acme", "")).not.toContain("acme-");
    expect(text).not.toMatch(/people|111122223333|kube-api-access|istio-proxy|terminationMessagePath/);
    // The shape is the pod's, and the words that the tree has itself are in it.
    expect(text.slice(text.indexOf("spec:"))).toBe(`spec:
  containers:
  - args:
    - value
    - value
    command:
    - value
    env:
    - name: variable-1
      value: value
    - name: variable-2
      valueFrom:
        secretKeyRef:
          key: secret-2
          name: secret-1
    - name: variable-3
      valueFrom:
        fieldRef:
          fieldPath: metadata.name
    envFrom:
    - secretRef:
        name: secret-1
    image: registry.example/image-1:1
    name: app
    ports:
    - containerPort: 8080
      name: port-1
    readinessProbe:
      httpGet:
        host: host-1
        httpHeaders:
        - name: header-1
          value: value
        path: /path-1
        port: port-1
    resources:
      limits:
        memory: 1Gi
      requests:
        memory: 1Gi
    volumeMounts:
    - mountPath: /path-2
      name: volume-1
  hostAliases:
  - hostnames:
    - host-1
    ip: 192.0.2.1
  imagePullSecrets:
  - name: secret-1
  serviceAccountName: value-1
  volumes:
  - name: volume-1
    secret:
      secretName: secret-1
`);
  });

  it("changes only what changed when it is run again", async () => {
    await run("web");
    await run("port", { annotations: { "agent.example.com/port": "9100" } });
    expect((await samples()).code).toBe(0);
    const first = tree();
    expect((await samples()).out).toContain("\nNothing to write\n");
    expect(tree()).toEqual(first);
    await run("batch", { labels: { tier: "batch" } });
    const { out } = await samples("--dry-run");
    expect(out).toMatch(/\nWould write samples\/shop-batch\.yaml: 1 branch more/);
    expect(tree()).toEqual(first);
    expect((await samples()).out).toMatch(/\nWrote samples\/shop-batch\.yaml: 1 branch more/);
    expect(tree()).toMatchObject(first);
    // What people wrote is theirs, and makes a sample needless that was made.
    lab.write("mine/samples/own.yaml", textOf("shop-batch.yaml").replace(/^#.*\n/, ""));
    expect((await samples()).out).toContain("\nRemoved samples/shop-batch.yaml: other samples take its branches\n");
    expect(files()).toContain("own.yaml");
    expect(Object.keys(first).every((file) => files().includes(file))).toBe(true);
  });

  it("leaves what no pod takes now, and removes it with --prune", async () => {
    await run("web");
    await run("batch", { labels: { tier: "batch" } });
    expect((await samples()).code).toBe(0);
    const [file] = files().filter((name) => name.includes("batch"));
    for (const path of [...lab.api.objects.keys()]) if (path.includes("/pods/batch-")) lab.api.objects.delete(path);
    expect((await samples()).out).toContain(
      `\nLeft samples/${file}: no pod takes its branches now; --prune removes it\n`,
    );
    expect(files()).toContain(file);
    expect((await samples("--prune")).out).toContain(`\nRemoved samples/${file}: no pod takes its branches now\n`);
    expect(files()).not.toContain(file);
  });

  it("names the branches that no sample can take: of pods that would be denied, and of values that are never written", async () => {
    await run("web");
    await run("high", { annotations: { "agent.example.com/probe": "70000" } });
    lab.write("mine/templates/agent.hbs", AGENT.replaceAll("agent.example.com/port", "agent.example.com/probe"));
    const denied = await samples();
    expect(denied.out).toMatch(
      /\nNo sample takes templates\/agent:5:5 true: the pods that take it would not be made: .*agent\.example\.com\/probe/,
    );
    lab.write(
      "mine/templates/agent.hbs",
      `spec:\n  containers:\n  - name: agent\n    image: agent:1\n    {{#each spec.containers}}\n    {{#each env}}\n    {{#if (hasPrefix "canary" value)}}\n    args: [a]\n    {{/if}}\n    {{/each}}\n    {{/each}}\n`,
    );
    await run("var", {
      spec: { containers: [{ name: "app", image: "app:1", env: [{ name: "A", value: CANARIES.variable }] }] },
    });
    const { out } = await samples();
    expect(out).toMatch(/\nNo sample takes templates\/agent:7:5 true: it depends on a value that no sample has/);
    for (const text of Object.values(tree())) expect(text).not.toContain(CANARIES.variable);
  });

  it("is what outrigger check asks for where samples do not take the branches that pods take, and no finding of it", async () => {
    await run("web");
    await run("batch", { labels: { tier: "batch" } });
    await run("batch", { labels: { tier: "batch" } });
    const sampled = async () => {
      const { out } = await lab.run("check", ...KUBECONFIG, "-o", "json");
      return JSON.parse(out).checks.find(({ id }: { readonly id: string }) => id === "sampled");
    };
    expect(await sampled()).toMatchObject({
      level: "untried",
      seen: expect.stringMatching(
        /^2 pods in 1 workload take branches that no sample takes: templates\/agent:9:5 true; outrigger samples --cluster shop writes samples$/,
      ),
    });
    expect((await samples()).code).toBe(0);
    expect(await lab.run("publish", "--dir", "mine")).toMatchObject({ code: 0 });
    expect(await sampled()).toMatchObject({
      level: "ok",
      seen: "samples take every branch of the templates that 3 pods take",
    });
  });

  it("prints JSON with what it wrote", async () => {
    await run("web");
    await run("batch", { labels: { tier: "batch" } });
    const value = JSON.parse((await samples("-o", "json", "--dry-run")).out);
    expect(value).toMatchObject({
      dryRun: true,
      clusters: [{ cluster: "shop", pods: 2, served: 2 }],
      written: [{ file: "samples/shop-batch.yaml", workload: "shop/Deployment/batch", pods: 1, kept: [] }],
      removed: [],
      left: [],
    });
    expect(value.branches.sampled).toBe(value.branches.taken);
    rmSync(join(lab.cwd, "mine/samples"), { recursive: true, force: true });
  });

  it("refuses to begin without a cluster, with a tree that has errors, and where pruning would be a guess", async () => {
    expect(await lab.run("samples", "mine")).toMatchObject({
      code: 2,
      err: "Name the cluster whose pods are read, with --cluster or --context, or several with --clusters\n",
    });
    expect(await samples("--prune", "-n", "shop")).toMatchObject({
      code: 2,
      err: "Cannot use --prune with --namespace: whether any pod needs a sample, only all of them say\n",
    });
    lab.write("mine/templates/agent.hbs", "{{#if}}");
    const { code, err } = await samples();
    expect(code).toBe(1);
    expect(err).toContain("templates/agent");
  });
});
