// Guardrails on the shipped templates: what passes, and what no way of writing it gets through.
import { OutriggerError } from "@outrigger/base";
import { compileRelease, loadRelease, type SourceTree } from "@outrigger/injector";
import { beforeAll, describe, expect, it } from "vitest";
import { shippedTree } from "../../test/support/shipped-tree.ts";
import { guardBranches } from "./guard-branches.ts";
import { guardRelease } from "./guard-release.ts";
import { guardedInjection } from "./guarded-injection.ts";
import { parseGuardrails } from "./parse-guardrails.ts";

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

/** Fields that give power, below a container. */
const CONTAINER: readonly string[] = [
  "securityContext: {privileged: true}",
  "securityContext: {capabilities: {add: [SYS_ADMIN]}}",
  "securityContext: {capabilities: {add: [NET_ADMIN]}}",
  "securityContext: {capabilities: {add: [ALL]}}",
  "securityContext: {procMount: Unmasked}",
  "securityContext: {seccompProfile: {type: Unconfined}}",
  "securityContext: {appArmorProfile: {type: Unconfined}}",
  "securityContext: {windowsOptions: {hostProcess: true}}",
  "ports: [{containerPort: 80, hostPort: 80} ]",
];

/** The same, below the pod. */
const SPEC: readonly string[] = [
  "hostPID: true",
  "hostIPC: true",
  "hostNetwork: true",
  "shareProcessNamespace: true",
  "serviceAccountName: admin",
  "volumes: [{name: node, hostPath: {path: /} } ]",
  "volumes: [{name: run, hostPath: {path: /var/run/docker.sock} } ]",
  "securityContext: {sysctls: [{name: kernel.msgmax, value: '1'} ] }",
  "securityContext: {seccompProfile: {type: Unconfined} }",
  "securityContext: {windowsOptions: {hostProcess: true} }",
];

/** Ways in which a template comes to render a text: for all pods, or for one annotation that no sample has. */
const WAYS: readonly (readonly [string, (text: string) => SourceTree, Record<string, string>])[] = [
  ["in plain sight", (text) => ({ "templates/evil": text }), {}],
  ["behind a branch", (text) => ({ "templates/evil": branch(text) }), { "evil.example/now": "yes" }],
  [
    "in a partial",
    (text) => ({ "templates/evil": "{{> evil}}", "partials/evil": branch(text) }),
    { "evil.example/now": "yes" },
  ],
  [
    "in a partial of a branch",
    (text) => ({
      "templates/evil": '{{#if (eq (lookup metadata.annotations "evil.example/now") "yes")}}{{> evil}}{{/if}}',
      "partials/evil": text,
    }),
    { "evil.example/now": "yes" },
  ],
];
const branch = (text: string) =>
  `{{#if (eq (lookup metadata.annotations "evil.example/now") "yes")}}\n${text}{{/if}}\n`;

const LISTS = ["containers", "initContainers"];
const ATTACKS: readonly (readonly [string, string])[] = [
  ...SPEC.map((field) => [field, `spec:\n  ${field}\n`] as const),
  ...CONTAINER.flatMap((field) =>
    LISTS.flatMap((list) =>
      ["evil", "istio-proxy", "app"]
        .filter((name) => list === "containers" || name !== "app")
        .filter((name) => !(field.includes("NET_ADMIN") && name === "istio-proxy"))
        .map(
          (name) =>
            [
              `${field} in ${list} ${name}`,
              `spec:\n  ${list}:\n  - name: ${name}\n    image: registry.example/a:1\n    ${field}\n`,
            ] as const,
        ),
    ),
  ),
];

describe(`${ATTACKS.length} attacks`, () => {
  it.each(WAYS)("reach no pod when they are written %s", (_way, write, annotations) => {
    const through: string[] = [];
    let tried = 0;
    for (const [name, text] of ATTACKS) {
      const tree = { config: "defaultTemplates: [sidecar, evil]", ...write(text) };
      let release: ReturnType<typeof releaseOf>;
      try {
        release = releaseOf(tree);
      } catch {
        // The gate before it has refused the tree.
        continue;
      }
      tried++;
      if (guardRelease(BASELINE, release, [shipped, tree]).length > 0) continue;
      try {
        inject(tree, annotations);
        through.push(name);
      } catch (error) {
        // Refused, or denied: nothing was injected.
        expect(error, name).toBeInstanceOf(OutriggerError);
      }
    }
    expect(through).toEqual([]);
    expect(tried).toBeGreaterThan(ATTACKS.length / 2);
  });
});

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
    ["baseline,cpu:100m", AGENT("a/b:1", "    resources: {limits: {cpu: '3'} }\n"), 1],
    ["baseline,cpu:8", AGENT("a/b:1", "    resources: {limits: {cpu: '3'} }\n"), 0],
  ])("%s: %#", (text, tree, least) => {
    const found = findings(tree, parseGuardrails(text));
    if (least === 0) expect(found).toEqual([]);
    else expect(found.length).toBeGreaterThanOrEqual(least);
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

  it("says nothing of the shipped templates, of branches that values rule out, and where guardrails are off", () => {
    expect(found({})).toEqual([]);
    expect(found({}, "restricted")).toEqual([]);
    expect(found({ "templates/evil": `{{#if values.global.proxy.privileged}}\n${EVIL}{{/if}}\n` })).toEqual([]);
    expect(found({ "templates/evil": branch(EVIL) }, "off")).toEqual([]);
  });
});
