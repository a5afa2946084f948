// Guardrails on the shipped templates: what passes, and what no way of writing it gets through.
import { loadRelease, type SourceTree } from "@outrigger/injector";
import { beforeAll, describe, expect, it } from "vitest";
import { compileUntried, shippedTree } from "../../../test/support/shipped-tree.ts";
import { guardedInjection, guardRelease, parseGuardrails } from "../index.ts";

let shipped: SourceTree;
beforeAll(async () => {
  shipped = await shippedTree();
});

const BASELINE = parseGuardrails("baseline");
const releaseOf = (tree: SourceTree) => compileUntried([shipped, tree]);
const findings = (tree: SourceTree, guardrails = BASELINE) =>
  guardRelease(guardrails, releaseOf(tree), [shipped, tree]);
const app = { name: "app", image: "registry.example/app:1" };
const inject = (
  tree: SourceTree,
  annotations: Record<string, string> = {},
  guardrails = BASELINE,
  spec: object = {},
) => {
  const pod = { metadata: { name: "a", annotations }, spec: { containers: [app], ...spec } };
  return guardedInjection(guardrails)(loadRelease(releaseOf(tree)), {
    pod,
    namespace: "shop",
    parameters: {},
  } as never);
};

describe("the shipped templates", () => {
  it.each(["baseline", "restricted"])("pass %s, CNI or not", (level) => {
    const guardrails = parseGuardrails(level);
    for (const values of ["{}", "pilot: {cni: {enabled: true}}", "global: {proxy: {tracer: zipkin}}"]) {
      expect(findings({ "values/a": values }, guardrails)).toEqual([]);
    }
  });

  it.each([["global: {proxy: {privileged: true}}", "privileged"]])(
    "do not with %s, and the line is named",
    (values, what) => {
      expect(findings({ "values/a": values })[0]).toMatchObject({
        message: expect.stringContaining(`it adds to pods: ${what}`),
        path: expect.stringMatching(/^(templates|partials)\//),
        line: expect.any(Number),
      });
    },
  );

  it("are not asked anything where guardrails are off", () => {
    expect(findings({ "values/a": "global: {proxy: {privileged: true}}" }, parseGuardrails(""))).toEqual([]);
  });
});

/** All that the level restricted asks of a container, and a capability. */
const adding = (capability: string) =>
  `    securityContext: {runAsNonRoot: true, allowPrivilegeEscalation: false, seccompProfile: {type: RuntimeDefault}, ` +
  `readOnlyRootFilesystem: true, capabilities: {drop: [ALL], add: [${capability}]}}\n`;

describe("what an entry decides", () => {
  const AGENT = (image: string, more = "") => ({
    config: "defaultTemplates: [sidecar, agent]",
    "templates/agent": `spec:\n  containers:\n  - name: agent\n    image: ${image}\n${more}`,
  });

  it.each<[string, SourceTree, number]>([
    ["baseline", AGENT("evil.example/miner:1"), 0],
    ["baseline,image:registry.istio.io/*", AGENT("evil.example/miner:1"), 1],
    ["baseline,image:registry.istio.io/*,image:good.example/*", AGENT("good.example/agent:1"), 0],
    ["baseline,image:*,imageDigest", AGENT("good.example/agent:1"), 2],
    ["baseline", AGENT("a/b:1", "  volumes:\n  - name: v\n    hostPath: {path: /run/agent}\n"), 1],
    ["baseline,hostPath:/run/*", AGENT("a/b:1", "  volumes:\n  - name: v\n    hostPath: {path: /run/agent}\n"), 0],
    ["baseline,hostPath:/run/*", AGENT("a/b:1", "  volumes:\n  - name: v\n    hostPath: {path: /etc}\n"), 1],
    ["baseline", AGENT("a/b:1", "  volumes:\n  - name: v\n    secret: {secretName: db}\n"), 0],
    ["baseline,secret:mesh-*", AGENT("a/b:1", "  volumes:\n  - name: v\n    secret: {secretName: db}\n"), 1],
    ["baseline,audience:istio-ca,audience:vault", AGENT("a/b:1"), 0],
    ["baseline,audience:vault", AGENT("a/b:1"), 1],
    ["restricted", AGENT("a/b:1"), 1],
    ["baseline", AGENT("a/b:1", adding("CHOWN")), 0],
    ["baseline", AGENT("a/b:1", adding("NET_ADMIN")), 1],
    ["restricted", AGENT("a/b:1", adding("NET_BIND_SERVICE")), 0],
    ["restricted", AGENT("a/b:1", adding("CHOWN")), 1],
    ["baseline,cpu:100m", AGENT("a/b:1", "    resources: {limits: {cpu: '3'} }\n"), 1],
    ["baseline,cpu:8", AGENT("a/b:1", "    resources: {limits: {cpu: '3'} }\n"), 0],
    ["baseline,ephemeral-storage:1Gi", AGENT("a/b:1", "    resources: {limits: {ephemeral-storage: 2Gi} }\n"), 1],
    ["baseline,ephemeral-storage:4Gi", AGENT("a/b:1", "    resources: {limits: {ephemeral-storage: 2Gi} }\n"), 0],
  ])("%s: %#", (text, tree, least) => {
    const found = findings(tree, parseGuardrails(text));
    if (least === 0) expect(found).toEqual([]);
    else expect(found.length).toBeGreaterThanOrEqual(least);
  });

  it.each<[string, string, boolean]>([
    ["baseline,container:agent hostPath:/var/log", "agent", true],
    ["baseline,container:agent image:a/* hostPath:/var/log", "agent", true],
    ["baseline,image:a/* hostPath:/var/log", "agent", true],
    ["baseline,image:b/* hostPath:/var/log", "agent", false],
    ["baseline,container:agent image:b/* hostPath:/var/log", "agent", false],
    ["baseline,container:other hostPath:/var/log", "agent", false],
    ["baseline,container:agent hostPath:/var/log", "agent, other", false],
    ["baseline,container:agent hostPath:/var/log,container:other hostPath:/var/log", "agent, other", true],
    ["baseline,container:agent hostPath:/var/log", "", false],
  ])("%s allows a path to %s: %s", (text, names, isAllowed) => {
    const containers = ["agent", "other"].map((name) => {
      const mounts = names.split(", ").includes(name) ? "volumeMounts: [{name: v, mountPath: /v}]" : "tty: false";
      return `  - {name: ${name}, image: 'a/${name}:1', ${mounts}}\n`;
    });
    const tree = {
      config: "defaultTemplates: [sidecar, agent]",
      "templates/agent": `spec:\n  containers:\n${containers.join("")}  volumes:\n  - {name: v, hostPath: {path: /var/log} }\n`,
    };
    const guardrails = parseGuardrails(text);
    if (isAllowed) expect(inject(tree, {}, guardrails)).toMatchObject({ injected: true });
    else expect(() => inject(tree, {}, guardrails)).toThrow("hostPath /var/log");
  });

  it.each(["capability:SYS_PTRACE", "hostPort:9100", "privileged"])(
    "allows %s to the container that it names",
    (entry) => {
      const containers = (name: string) => `spec:
  containers:
  - name: ${name}
    image: a/b:1
    ports: [{containerPort: 9100, hostPort: ${entry.startsWith("hostPort") ? 9100 : 0}}]
    securityContext:
      privileged: ${entry === "privileged"}
      capabilities: {add: [${entry.startsWith("capability") ? "SYS_PTRACE" : ""}]}
`;
      const tree = (name: string) => ({
        config: "defaultTemplates: [sidecar, agent]",
        "templates/agent": containers(name).replace("add: []", "drop: [ALL]").replace(", hostPort: 0", ""),
      });
      const guardrails = parseGuardrails(`baseline,container:agent ${entry}`);
      expect(inject(tree("agent"), {}, guardrails)).toMatchObject({ injected: true });
      expect(() => inject(tree("evil"), {}, guardrails)).toThrow("guardrails");
    },
  );

  it("names in its advice the containers that have it", () => {
    const mounts =
      "    volumeMounts: [{name: v, mountPath: /v}]\n  volumes:\n  - name: v\n    hostPath: {path: /run/agent}\n";
    expect(findings(AGENT("a/b:1", mounts))[0]?.message).toContain(" add container:agent hostPath:/run/agent to ");
  });

  it("names the container with which a bound is exceeded", () => {
    const tree = AGENT("a/b:1", "    resources: {limits: {cpu: '3'} }\n");
    expect(() => inject(tree, {}, parseGuardrails("baseline,cpu:100m"))).toThrow(
      /more than 100m cpu in all \(spec\.(initContainers|containers)\[\d+\]\.resources\)/,
    );
  });

  it("refuses to delete what the author wrote", () => {
    const tree = {
      config: "defaultTemplates: [sidecar, evil]",
      "templates/evil": "spec:\n  containers:\n  - name: app\n    $patch: delete\n",
    };
    expect(() => inject(tree, {}, BASELINE, { containers: [app, { ...app, name: "other" }] })).toThrow(
      /deletion container app/,
    );
  });

  it.each([
    ["securityContext: {seccompProfile: {type: Unconfined}}", "unconfined"],
    ["securityContext: {seLinuxOptions: {user: system_u}}", "seLinux system_u"],
    ["securityContext: {sysctls: [{name: kernel.msgmax, value: '1'}]}", "sysctl kernel.msgmax"],
    ["securityContext: {runAsUser: 0}", "field spec.securityContext.runAsUser"],
    ["automountServiceAccountToken: true", "automountServiceAccountToken"],
  ])("refuses %s for a pod that has a security context, and says nothing of its token", (text, what) => {
    const tree = { config: "defaultTemplates: [sidecar, evil]", "templates/evil": `spec:\n  ${text}\n` };
    expect(() => inject(tree, {}, BASELINE, { securityContext: { fsGroup: 1 } })).toThrow(what);
  });

  it.each([
    ["{{lookup metadata.labels 'team'}}-oauth2", "secret:*-oauth2"],
    ["{{owner.name}}", "secret:*"],
    ["mesh-{{owner.name}}-{{owner.name}}", "secret:mesh-*-*"],
    ["db", "secret:db"],
  ])("advises for the Secret %s what the template says of it", (name, entry) => {
    const tree: SourceTree = {
      config: "defaultTemplates: [sidecar, agent]",
      "templates/agent": `spec:\n  volumes:\n  - name: keys\n    secret:\n      secretName: "${name}"\n`,
    };
    expect(findings(tree, parseGuardrails("baseline,secret:none"))).toEqual([
      expect.objectContaining({
        path: "templates/agent",
        line: 5,
        message: expect.stringContaining(` add ${entry} to `),
      }),
    ]);
  });

  it("advises for a variable of an author's containers an entry for all of them", () => {
    const tree: SourceTree = {
      config: "defaultTemplates: [sidecar, agent]",
      "templates/agent":
        "spec:\n  containers:\n  {{#each spec.containers}}\n  - name: {{name}}\n    env: [{name: NODE_OPTIONS, value: a}]\n  {{/each}}\n",
    };
    const messages = findings(tree).map(({ message }) => message);
    expect(messages).toEqual([expect.stringContaining(" add field:spec.containers[*].env[NODE_OPTIONS] to ")]);
  });

  it("judges no pod by what its author wrote or asked for", () => {
    const own = { hostPID: true, volumes: [{ name: "v", hostPath: { path: "/" } }] };
    expect(inject({}, {}, BASELINE, own)).toMatchObject({ injected: true });
    const asked = {
      "sidecar.istio.io/proxyImage": "mine.example/proxy:1",
      "sidecar.istio.io/userVolume": '[{"name": "mine", "hostPath": {"path": "/run/mine"}}]',
    };
    const images = "baseline,image:docker.io/*,image:registry.istio.io/*";
    expect(inject({}, asked, parseGuardrails(images))).toMatchObject({ injected: true });
    expect(() => inject({}, asked, parseGuardrails(`${images},boundedAnnotations`))).toThrow("mine");
  });

  it("judges none of what its author wrote for the injected container, and all of what it is given besides", () => {
    const own = { name: "istio-proxy", image: "auto", envFrom: [{ secretRef: { name: "mine" } }] };
    const ports = [{ containerPort: 15090, hostPort: 15090 }];
    const limited = parseGuardrails("baseline,secret:none");
    const injected = (tree: SourceTree) => inject(tree, {}, limited, { containers: [app, { ...own, ports }] });
    expect(injected({})).toMatchObject({ injected: true });
    const agent = (text: string) => ({
      config: "defaultTemplates: [sidecar, agent]",
      "templates/agent": `spec:\n  containers:\n  - name: istio-proxy\n    ${text}\n`,
    });
    expect(() => injected(agent("env: [{name: A, valueFrom: {secretKeyRef: {name: other, key: a}}}]"))).toThrow(
      "secret other",
    );
    expect(() => injected(agent("ports: [{containerPort: 7, hostPort: 7}]"))).toThrow("hostPort 7");
  });

  it("lets a later release take away, and replace, what an earlier one has added", () => {
    const agent = (image: string) =>
      `spec:\n  containers:\n  - name: agent\n    image: ${image}\n  volumes:\n  - name: agent\n    emptyDir: {}\n`;
    const tree = { config: "defaultTemplates: [sidecar, agent]" };
    const first = inject({ ...tree, "templates/agent": agent("a:1") });
    const pod = first.injected ? (first.pod as { readonly metadata: object; readonly spec: object }) : undefined;
    for (const text of [agent("a:2"), ""]) {
      const later = loadRelease(releaseOf({ ...tree, "templates/agent": text }));
      const again = guardedInjection(BASELINE)(later, { pod, namespace: "shop", parameters: {} } as never);
      expect(again).toMatchObject({ injected: true });
    }
  });

  it.each<[string, Record<string, string>, string | undefined]>([
    ["sidecar.istio.io/proxyImage", { "sidecar.istio.io/proxyImage": "mine.example/proxy:1" }, undefined],
    [
      "sidecar.istio.io/userVolume",
      { "sidecar.istio.io/userVolume": '{"a": {"hostPath": {"path": "/a"} } }' },
      undefined,
    ],
    ["sidecar.istio.io/interceptionMode: TPROXY", { "sidecar.istio.io/interceptionMode": "TPROXY" }, undefined],
    ["sidecar.istio.io/capNetBindService", { "sidecar.istio.io/capNetBindService": "true" }, undefined],
    [
      "IPTABLES_TRACE_LOGGING in proxy.istio.io/config",
      { "proxy.istio.io/config": "proxyMetadata: {IPTABLES_TRACE_LOGGING: 'true'}" },
      "privileged",
    ],
  ])("of Istio's annotations that reach powerful fields, has an answer to %s", (_what, annotations, refused) => {
    if (refused === undefined) expect(inject({}, annotations)).toMatchObject({ injected: true });
    else expect(() => inject({}, annotations)).toThrow(refused);
    expect(inject({}, annotations, parseGuardrails("baseline,privileged"))).toMatchObject({ injected: true });
  });

  it("bounds the volumes and the image that annotations name with boundedAnnotations", () => {
    const bounded = parseGuardrails("baseline,image:docker.io/*,image:registry.istio.io/*,boundedAnnotations");
    expect(() => inject({}, { "sidecar.istio.io/proxyImage": "mine.example/proxy:1" }, bounded)).toThrow("image mine");
    const volume = { "sidecar.istio.io/userVolume": '{"a": {"hostPath": {"path": "/a"} } }' };
    expect(() => inject({}, volume, bounded)).toThrow("hostPath /a");
    const mount = { "sidecar.istio.io/userVolumeMount": '{"own": {"mountPath": "/own"} }' };
    const own = { volumes: [{ name: "own", hostPath: { path: "/run/own" } }] };
    expect(inject({}, mount, BASELINE, own)).toMatchObject({ injected: true });
    expect(() => inject({}, mount, bounded, own)).toThrow("hostPath /run/own");
  });

  it("lets an injected pod be injected again", () => {
    const once = inject({});
    const pod = once.injected ? once.pod : undefined;
    const again = guardedInjection(BASELINE)(loadRelease(releaseOf({})), {
      pod,
      namespace: "shop",
      parameters: {},
    } as never);
    expect(again).toMatchObject({ injected: true });
  });
});
