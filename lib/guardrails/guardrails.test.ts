// Guardrails on the shipped templates: what passes, and what no way of writing it gets through.
import type { JsonObject, JsonValue } from "@outrigger/base";
import { compileRelease, loadRelease, type SourceTree } from "@outrigger/injector";
import { beforeAll, describe, expect, it } from "vitest";
import { shippedTree } from "../../test/support/shipped-tree.ts";
import { guardBranches } from "./guard-branches.ts";
import { guardRelease } from "./guard-release.ts";
import { injectionPowers } from "./injection-powers.ts";
import { guardedInjection, refused } from "./judge-injection.ts";
import { parseGuardrails, remedyOf } from "./parse-guardrails.ts";

let shipped: SourceTree;
beforeAll(async () => {
  shipped = await shippedTree();
});

const BASELINE = parseGuardrails("baseline");
const releaseOf = (tree: SourceTree) => compileRelease([shipped, tree]);
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

describe("parseGuardrails()", () => {
  it.each([
    "",
    "off",
    "baseline",
    "restricted,capability:SYS_PTRACE,image:a/*,image:b",
    "privileged,cpu:2,memory:4Gi,imageDigest",
  ])("takes %j", (text) => expect(parseGuardrails(text).level).toBe(text.split(",")[0] || "off"));

  it.each([
    ["basline", 'did you mean "baseline"'],
    ["baseline,hostpath:/x", 'did you mean "hostPath"'],
    ["baseline,image", "write image: and what is allowed"],
    ["baseline,", '"" is not known'],
  ])("refuses %j, and says what is wrong", (text, why) => {
    expect(() => parseGuardrails(text)).toThrow(why);
  });
});

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

const branch = (text: string) =>
  `{{#if (eq (lookup metadata.annotations "evil.example/now") "yes")}}\n${text}{{/if}}\n`;

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

  it("names the container with which a bound is exceeded", () => {
    const tree = AGENT("a/b:1", "    resources: {limits: {cpu: '3'} }\n");
    expect(() => inject(tree, {}, parseGuardrails("baseline,cpu:100m"))).toThrow(
      /more than 100m cpu in all \(spec\.(initContainers|containers)\[\d+\]\.resources\)/,
    );
  });

  it.each([
    ["preStop", "/app-lifecycle/app/prestopz", 0],
    ["postStart", "/app-lifecycle/app/poststartz", 0],
    ["preStop", "/app-lifecycle/other/prestopz", 1],
    ["other", "/app-lifecycle/app/prestopz", 1],
  ])("takes a hook of the author's, %s, only as asked of the agent for its container: %s", (hook, path, count) => {
    const withHook = (handler: object) =>
      ({ metadata: {}, spec: { containers: [{ ...app, lifecycle: { [hook]: handler } }] } }) as unknown as JsonObject;
    const [own, agent] = [
      withHook({ httpGet: { path: "/x", port: 80 } }),
      withHook({ httpGet: { path, port: 15020 } }),
    ];
    expect(injectionPowers(own, agent)).toHaveLength(count);
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

  it("judges what an injected container has in place of something of another type", () => {
    const podOf = (securityContext: object | null) => ({
      spec: { containers: [{ name: "istio-proxy", image: "auto", securityContext }] },
    });
    const powers = injectionPowers(podOf(null) as JsonObject, podOf({ privileged: true }) as JsonObject);
    expect(powers.map(({ kind }) => kind)).toContain("privileged");
  });

  it("closes a list of the pod's to what is no object", () => {
    const podOf = (...volumes: JsonValue[]): JsonObject => ({ spec: { containers: [], volumes } });
    const powers = injectionPowers(podOf({ name: "own", emptyDir: {} }), podOf({ name: "own", emptyDir: {} }, "x"));
    expect(powers.map(({ value }) => value)).toContain("spec.volumes[1]");
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

describe("remedyOf()", () => {
  it.each([
    ["secret", "*-oauth2", "secret:*-oauth2"],
    ["secret", "web-oauth2", "secret:web-oauth2"],
    ["configMap", "*", "configMap:*"],
    ["claim", "data-*", "claim:data-*"],
    ["serviceAccountName", "*", "serviceAccountName:*"],
    ["audience", "vault", "audience:vault"],
    ["audience", "", "audience:*"],
    ["image", "registry.example:5000/a/b:1.2", "image:registry.example:5000/a/b:*"],
    ["image", `a/b@sha256:${"0".repeat(64)}`, "image:a/b@sha256:*"],
    ["field", "spec.containers[*].env[A]", "field:spec.containers[*].env[A]"],
    ["field", "metadata.annotations[a, b]", "field:metadata.annotations[a*b]"],
    ["hostPath", "/run/web", "hostPath:/run/web"],
    ["deletion", "container web", "deletion:container*web"],
    ["root", "a user that may be root", "root"],
    ["escalation", "allowPrivilegeEscalation", "escalation"],
    ["privileged", "", "privileged"],
    ["seLinux", "spc_t", "seLinux:spc_t"],
    ["capability", "SYS_ADMIN", "capability:SYS_ADMIN"],
    ["sysctl", "kernel.msgmax", "sysctl:kernel.msgmax"],
  ])("advises for %s %j an entry that admits it: %s", (kind, value, entry) => {
    expect(remedyOf({ kind, value })).toContain(` add ${entry} to `);
    const guardrails = parseGuardrails(`restricted,${entry}`);
    expect(refused(guardrails, { kind, value, at: [] })).toEqual([]);
  });

  it("advises nothing that the setting does not have", () => {
    expect(remedyOf({ kind: "imageWithoutDigest", value: "a/b:1" })).toBe("change it");
    expect(remedyOf({ kind: "imageReference", value: "a b" })).toBe("change it");
  });
});

describe("guardBranches()", () => {
  const found = (tree: SourceTree, text = "baseline") =>
    guardBranches(parseGuardrails(text), releaseOf(tree), tree).map(({ path, line, message }) => ({
      place: `${path}:${line}`,
      what: /may: (.*?) \(/.exec(message)?.[1],
    }));
  const EVIL =
    "spec:\n  containers:\n  - name: evil\n    image: evil.example/a:1\n    securityContext:\n      privileged: true\n";

  it("finds constants behind branches that no sample takes, with their line", () => {
    expect(found({ "templates/evil": branch(EVIL) })).toEqual([{ place: "templates/evil:7", what: "privileged" }]);
    expect(found({ "templates/evil": branch("{{> evil}}\n"), "partials/evil": EVIL })).toEqual([
      { place: "partials/evil:6", what: "privileged" },
    ]);
    expect(found({ "templates/evil": branch(EVIL) }, "privileged,image:docker.io/*")).toEqual([
      { place: "templates/evil:5", what: "image evil.example/a:1" },
    ]);
  });

  it("judges a host path wherever it leads, and nothing else that a pod decides", () => {
    const path = branch('spec:\n  volumes:\n  - name: a\n    hostPath: {path: "{{metadata.name}}"}\n');
    expect(found({ "templates/evil": path })).toMatchObject([{ place: "templates/evil:5" }]);
    expect(found({ "templates/evil": path }, "baseline,hostPath:/run/*")).toEqual([]);
    const host = branch("spec:\n  hostPID: {{metadata.labels.x}}\n");
    expect(found({ "templates/evil": host })).toEqual([]);
  });

  it("finds what takes away whatever a pod has there", () => {
    const gone = branch("spec:\n  volumes:\n  - $patch: replace\n");
    expect(found({ "templates/evil": gone })).toContainEqual({
      place: "templates/evil:4",
      what: 'field spec.volumes[0]["$patch"]',
    });
  });

  it("says of a name that a pod decides in part what the template says of it, and nothing of one that it decides all of", () => {
    const secret = (name: string) => branch(`spec:\n  volumes:\n  - name: a\n    secret: {secretName: ${name}}\n`);
    const half = '"{{lookup metadata.labels "team"}}-oauth2"'.replaceAll('"team"', "'team'");
    for (const [name, setting, remedy] of [
      [half, "baseline,secret:mesh-*", "secret:*-oauth2"],
      [half, "baseline,secret:web-oauth2", "secret:*-oauth2"],
      [half, "baseline,secret:*-oauth2", undefined],
      [half, "baseline", undefined],
      ["'{{owner.name}}'", "baseline,secret:mesh-*", undefined],
    ] as const) {
      const tree = { "templates/evil": secret(name) };
      const messages = guardBranches(parseGuardrails(setting), releaseOf(tree), tree).map(({ message }) => message);
      expect(messages).toEqual(remedy === undefined ? [] : [expect.stringContaining(` add ${remedy} to `)]);
    }
    const image = branch("spec:\n  containers:\n  - name: a\n    image: 'evil.example/a:{{metadata.labels.tag}}'\n");
    expect(found({ "templates/evil": image }, "baseline,image:registry.example/*")).toMatchObject([
      { place: "templates/evil:5", what: "image evil.example/a:*" },
    ]);
    expect(found({ "templates/evil": image }, "baseline,image:evil.example/*")).toEqual([]);
    const claim = branch("spec:\n  volumes:\n  - name: a\n    persistentVolumeClaim: {claimName: '{{owner.name}}'}\n");
    expect(found({ "templates/evil": claim })).toMatchObject([{ place: "templates/evil:5", what: "claim *" }]);
  });

  it.each([
    ["a label", "metadata: {labels: {team: mesh}}\n", 1],
    ["an annotation", "metadata:\n  annotations:\n    note: mesh\n", 1],
    ["a key with a prefix", "metadata: {labels: {mesh.example/team: mesh}}\n", 0],
    [
      "one that is guarded",
      'metadata:\n  labels:\n{{#unless (lookup metadata.labels "team")}}\n    team: mesh\n{{/unless}}\n    mesh.example/a: b\n',
      0,
    ],
  ])("names what a pod may have of its own: %s", (_what, text, count) => {
    const tree = { "templates/mark": text };
    const messages = guardBranches(BASELINE, releaseOf(tree), tree).map(({ message }) => message);
    expect(messages).toHaveLength(count);
    for (const message of messages)
      expect(message).toMatch(/write it behind \{\{#unless \(lookup metadata\.(labels|annotations) "/);
  });

  it("says nothing of the shipped templates, of branches that values rule out, and where guardrails are off", () => {
    expect(found({})).toEqual([]);
    expect(found({}, "restricted")).toEqual([]);
    expect(found({ "templates/evil": `{{#if values.global.proxy.privileged}}\n${EVIL}{{/if}}\n` })).toEqual([]);
    expect(found({ "templates/evil": branch(EVIL) }, "off")).toEqual([]);
  });
});
