// What an editor may try on the pods of others: each as an edit and as an injection. An edit that no
// person accepted is held, whether a sample takes its branch or not, and `baseline` refuses the pod.
import { guardedInjection, parseGuardrails } from "@outrigger/guardrails";
import { compileRelease, loadRelease, type SourceTree, samplePods } from "@outrigger/injector";
import { describe, expect, it } from "vitest";
import {
  AUTHOR,
  annotation,
  CAPTURE,
  CASES,
  COMPARED,
  hidden,
  KEPT,
  label,
  own,
  plainly,
  proxy,
  SHIPPED,
  spec,
  token,
} from "../../../test/support/attacks.ts";
import { compareReleases } from "../effect/compare-releases.ts";
import { HELD_BY_DEFAULT } from "../effect/effects.ts";

const HARMLESS = compileRelease([SHIPPED, plainly("")]);

/** The classes that hold an edit. */
function heldOf(tree: SourceTree): readonly string[] {
  const layers = [SHIPPED, tree];
  const effects = compareReleases(HARMLESS, compileRelease(layers), layers);
  return effects.map(({ name }) => name).filter((name) => HELD_BY_DEFAULT.includes(name));
}

/** Whether a pod has that label or annotation, or a volume of that name, is known when it is injected. */
const UNKNOWABLE = [label("team"), annotation("team"), spec("volumes: [{name: keys, secret: {secretName: other}}]")];

describe(`${CASES.length} edits of an author's pods`, () => {
  it("are more than were ever found at once", () => expect(CASES.length).toBeGreaterThanOrEqual(192));

  it.each(CASES)("$name holds $text", ({ name, text }) => expect(heldOf(plainly(text))).toContain(name));

  it.each(CASES.filter(({ text }) => !UNKNOWABLE.includes(text)))("is held behind a branch: $text", ({ text }) =>
    expect(heldOf(hidden(text))).not.toEqual([]),
  );

  it.each(CASES.filter(({ text }) => !COMPARED.test(text) && !KEPT.includes(text)))(
    "is refused by baseline: $text",
    ({ text }) => expect(() => inject(text)).toThrow("guardrails"),
  );

  it.each(KEPT)("leaves to a pod what it has: %s", (text) => {
    const { author, injected } = inject(text);
    expect(injected).toContainEqual(author);
  });
});

describe("traffic past the proxy", () => {
  it.each(CAPTURE)("is held, on a sample and behind a branch: %s", (text) => {
    for (const tree of [plainly(text), hidden(text)]) expect(heldOf(tree)).toContain("capture-changed");
  });

  it.each(CAPTURE)("is not held again where another branch has it already: %s", (text) => {
    const tree = hidden(text);
    const more = { ...tree, "templates/evil": `${tree["templates/evil"]}{{#if spec.tolerations}}\n${text}{{/if}}\n` };
    const effects = compareReleases(compileRelease([SHIPPED, tree]), compileRelease([SHIPPED, more]), [SHIPPED, more]);
    const branches = effects.filter(({ example }) => example.startsWith("templates/evil:"));
    expect(branches.map(({ name }) => name)).not.toContain("capture-changed");
  });
});

describe("what no level of the guardrails says of the proxy", () => {
  const proxy = (fields: string) => spec(`initContainers: [{name: istio-proxy, restartPolicy: Always, ${fields}}]`);

  it.each([
    ["control-plane-address", proxy("env: [{name: TRUST_DOMAIN, value: other.example}]")],
    ["control-plane-address", proxy("env: [{name: CA_ADDR, value: 'ca.example:15012'}]")],
    ["control-plane-address", proxy("volumeMounts: [{name: keys, mountPath: /var/run/secrets/istio}]")],
    ["capture-changed", "metadata:\n  labels:\n    istio.io/dataplane-mode: ambient\n"],
    ["pod-may-not-run", proxy("imagePullPolicy: Never")],
    ["privileges-widened", proxy("securityContext: {runAsUser: 0}")],
  ])("is held as %s, on a sample and behind a branch: %s", (name, text) => {
    for (const tree of [plainly(text), hidden(text)]) expect(heldOf(tree)).toContain(name);
  });

  it("is no change of what is there in a container that is added", () => {
    const added = "image: registry.example/own:1, imagePullPolicy: Never, securityContext: {runAsUser: 0}";
    const text = spec(`containers: [{name: own, ${added}}]`);
    for (const tree of [plainly(text), hidden(text)]) expect(heldOf(tree)).toEqual([]);
  });
});

it.each([plainly, hidden])("a second container with what a person has accepted for the first is held", (write) => {
  const privileged = (names: readonly string[]) =>
    spec(
      `containers: [${names.map((name) => `{name: ${name}, image: registry.example/own:1, securityContext: {privileged: true} }`)}]`,
    );
  const layers = [SHIPPED, write(privileged(["own", "other"]))];
  const effects = compareReleases(
    compileRelease([SHIPPED, write(privileged(["own"]))]),
    compileRelease(layers),
    layers,
  );
  expect(effects.map(({ name }) => name)).toContain("privileges-widened");
});

/** The author's container, and those of the injected pod. */
const SETTING = "baseline,secret:mesh-*,secret:istio.*,secret:regcred,csi:csi.spiffe.io";

function inject(text: string, setting = SETTING) {
  const release = loadRelease(compileRelease([SHIPPED, hidden(text)]));
  const asking = AUTHOR.replace("{team: shop}", '{team: shop, evil: "yes"}');
  const [sample] = samplePods([{ "samples/web": asking }]);
  const inject = guardedInjection(parseGuardrails(setting));
  const result = inject(release, sample?.request as never);
  return { author: sample?.request.pod.spec?.containers[0], injected: result.injected && result.pod.spec?.containers };
}

describe("images by the grammar of references", () => {
  const guardrails = parseGuardrails("baseline,image:registry.istio.io/*,image:registry.example/*");
  const attempt = (image: string) => {
    const text = `spec:\n  containers:\n  - name: own\n    image: ${JSON.stringify(image)}\n`;
    const release = loadRelease(compileRelease([SHIPPED, hidden(text)]));
    const pod = {
      metadata: { name: "a", annotations: { evil: "yes" } },
      spec: { containers: [{ name: "a", image: "a" }] },
    };
    return guardedInjection(guardrails)(release, { pod, namespace: "shop", parameters: {} } as never);
  };

  it.each([
    "registry.istio.io/../evil/x",
    "registry.istio.io/x:1 evil",
    "registry.istio.io//x",
    "registry.istio.io/x@evil",
    "evil.example/x",
  ])("refuse %j", (image) => expect(() => attempt(image)).toThrow());

  it.each(["registry.istio.io/release/proxyv2:1.31.0", `registry.istio.io/x:1@sha256:${"0".repeat(64)}`])(
    "admit %j",
    (image) => expect(attempt(image)).toMatchObject({ injected: true }),
  );
});

describe("a Secret by its name, in a container of the injection's", () => {
  const mounted = (volume: string) =>
    own("volumeMounts: [{name: own, mountPath: /own}]", `\n  volumes: [{name: own, ${volume}}]`);
  const cases = (name: string) => [
    own(`envFrom: [{secretRef: {name: ${name}}}]`),
    own(`env: [{name: A, valueFrom: {secretKeyRef: {name: ${name}, key: a}}}]`),
    mounted(`secret: {secretName: ${name}}`),
    mounted(`projected: {sources: [{secret: {name: ${name}}}]}`),
    mounted(`csi: {driver: secrets-store.csi.k8s.io, nodePublishSecretRef: {name: ${name}}}`),
  ];

  it.each(cases("payments-db"))("is held, on a sample and behind a branch: %s", (text) => {
    for (const tree of [plainly(text), hidden(text)]) expect(heldOf(tree)).toContain("identity-used");
  });

  it.each(cases("payments-db"))("is refused by a setting that names Secrets, and admitted by an entry: %s", (text) => {
    expect(() => inject(text, "baseline,secret:none")).toThrow("secret payments-db");
    expect(() => inject(text, "baseline,secret:payments-*")).not.toThrow();
  });
});

describe("an edit of every day", () => {
  const telemetry = `spec:
  containers:
  {{#each spec.containers}}
  - name: {{name}}
    env: [{name: OTEL_EXPORTER_OTLP_ENDPOINT, value: 'http://localhost:4317'}]
  {{/each}}
`;
  const agent = (image: string) => own("").replace("registry.example/own:1, ", image);
  it.each([
    ["another tag of the proxy", spec("containers: [{name: istio-proxy, image: registry.example/proxyv2:2}]")],
    ["a mirror", spec("containers: [{name: istio-proxy, image: mirror.example/proxyv2:1}]")],
    ["resources", proxy("resources: {limits: {cpu: '2', memory: 1Gi}, requests: {cpu: 10m}}")],
    ["a log level", proxy("args: [proxy, '--proxyLogLevel=debug']")],
    ["a variable of the proxy", proxy("env: [{name: ISTIO_META_A, value: b}]")],
    ["a probe of the proxy", proxy("readinessProbe: {httpGet: {path: /healthz/ready, port: 15021}}")],
    ["a label of its own", label("part-of")],
    ["a label of Istio's", label("topology.istio.io/network")],
    ["a label that names its application", label("app.kubernetes.io/part-of")],
    ["an annotation of its own", annotation("note")],
    ["an annotation of Istio's", annotation("sidecar.istio.io/logLevel", "info")],
    ["an annotation of Prometheus'", annotation("prometheus.io/scheme", "http")],
    ["a variable with a value of its own", proxy("env: [{name: GODEBUG, value: 'fips140=only'}]")],
    ["a pause before the proxy ends", proxy("lifecycle: {preStop: {exec: {command: [sleep, '5']}}}")],
    ["a sidecar", agent("registry.example/agent:1")],
    ["a Secret of Istio's", own("env: [{name: A, valueFrom: {secretKeyRef: {name: istio.default, key: a}}}]")],
    [
      "a sidecar with a volume",
      own("volumeMounts: [{name: own, mountPath: /own}]", "\n  volumes: [{name: own, emptyDir: {}}]"),
    ],
    [
      "a sidecar with a ConfigMap",
      own("volumeMounts: [{name: own, mountPath: /own}]", "\n  volumes: [{name: own, configMap: {name: own}}]"),
    ],
    ["a sidecar with a token for its own", token(", audience: vault")],
    ["an endpoint of telemetry", telemetry],
    ["a pull secret", spec("imagePullSecrets: [{name: regcred}]")],
    [
      "a grace period where the author wrote none",
      "spec:\n{{#if (eq spec.terminationGracePeriodSeconds 30)}}\n  terminationGracePeriodSeconds: 60\n{{/if}}\n",
    ],
    [
      "an option of DNS where the author wrote none",
      "spec:\n{{#unless spec.dnsConfig}}\n  dnsConfig: {options: [{name: ndots, value: '2'}]}\n{{/unless}}\n",
    ],
  ])("is neither held nor refused: %s", (_what, text) => {
    expect(heldOf(plainly(text))).toEqual([]);
    expect(() => inject(text)).not.toThrow();
  });
});
