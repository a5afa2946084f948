// Where a template and a pod's author can write the same: an edit that goes out by itself fails no pod as an API server sends it, and one
// that would is held.
import { guardedInjection, parseGuardrails } from "@outrigger/guardrails";
import { compileRelease, loadRelease, type SourceTree } from "@outrigger/injector";
import { expect, it } from "vitest";
import { reviewPods } from "../../../test/pod-validation/admitted-pods.ts";
import { SHIPPED } from "../../../test/support/attacks.ts";
import { publisherSetup } from "../../../test/support/publisher-setup.ts";
import { compareReleases } from "../effect/compare-releases.ts";
import type { Hold } from "../effect/effects.ts";
import { judgeEdit } from "../effect/judge-edit.ts";

const treeOf = (text: string): SourceTree => ({
  config: "defaultTemplates: [sidecar, own]\n",
  "templates/own": text,
});
const BEFORE = treeOf("metadata: {labels: {mesh.example/a: b}}\n");

/** The classes that hold an edit by itself. */
function heldBy(hold: Hold, tree: SourceTree): readonly string[] {
  const layers = [SHIPPED, tree];
  const before = { release: compileRelease([SHIPPED, BEFORE]) };
  const after = { release: compileRelease(layers) };
  const { held } = judgeEdit({ before, after, digest: "new", layers }, {}, { hold });
  return held.map(({ name }) => name);
}

const [first, ...rest] = reviewPods();
const dnsConfig = { options: [{ name: "timeout", value: "1" }] };
/** None of the recorded ones has options of DNS. */
const PODS =
  first === undefined
    ? rest
    : [first, ...rest, { ...first, pod: { ...first.pod, spec: { containers: [], ...first.pod.spec, dnsConfig } } }];

/** The pods that are not injected. */
function failing(tree: SourceTree): number {
  const injector = loadRelease(compileRelease([SHIPPED, tree]));
  const inject = guardedInjection(parseGuardrails("baseline"));
  return PODS.filter(({ pod, namespace }) => {
    try {
      inject(injector, { pod, namespace, parameters: {} });
      return false;
    } catch {
      return true;
    }
  }).length;
}

const mountsOf = (volumes: string) => `spec:
  containers:
  - name: own
    image: registry.example/own:1
    volumeMounts:
    - {name: scratch, mountPath: /scratch}
    {{#each ${volumes}}}
    - name: {{name}}
      mountPath: /all/{{name}}
    {{/each}}
  volumes:
  - {name: scratch, emptyDir: {} }
`;

const GRACE = "spec:\n  terminationGracePeriodSeconds: 60\n";
const NDOTS = 'spec:\n  dnsConfig:\n    options:\n    - name: ndots\n      value: "2"\n';
const within = (condition: string, text: string) =>
  `spec:\n{{#${condition}}}\n${text.replace("spec:\n", "")}{{/${condition.split(" ")[0]}}}\n`;

it.each([
  ["a grace period", GRACE, "author-changed"],
  ["a grace period behind a label", within('if (lookup metadata.labels "app")', GRACE), "author-changed"],
  ["an option of DNS", NDOTS, "author-changed"],
  ["a policy of DNS", "spec:\n  dnsPolicy: Default\n", "pod-may-not-run"],
  ["all the author's volumes", mountsOf("spec.volumes"), "identity-used"],
])("%s is held, by its class and as no everyday change", (_what, text, name) => {
  expect(failing(treeOf(text))).toBeGreaterThan(0);
  expect(heldBy("powers", treeOf(text))).toContain(name);
  expect(heldBy("everyday", treeOf(text))).toEqual(expect.arrayContaining([name, "unlisted"]));
});

it.each([
  ["a grace period where the author wrote none", within("if (eq spec.terminationGracePeriodSeconds 30)", GRACE)],
  ["an option of DNS where the author wrote none", within("unless spec.dnsConfig", NDOTS)],
  ["a volume of its own", mountsOf("(list)")],
])("%s goes out by its classes, and fails no pod", (_what, text) => {
  expect(heldBy("powers", treeOf(text))).toEqual([]);
  expect(failing(treeOf(text))).toBe(0);
});

it("a line that a person has accepted is not held again by its class", () => {
  const layers = [SHIPPED, treeOf(GRACE.replace("60", "90"))];
  const before = { release: compileRelease([SHIPPED, treeOf(GRACE)]) };
  const edit = { before, after: { release: compileRelease(layers) }, digest: "new", layers };
  expect(judgeEdit(edit, {}, { hold: "powers" }).held).toEqual([]);
  expect(judgeEdit(edit, {}, { hold: "everyday" }).held.map(({ name }) => name)).toEqual(["unlisted"]);
});

it.each(["labels", "annotations"])("publication says which %s of pods keep them from being injected", async (part) => {
  const setup = publisherSetup({ shipped: SHIPPED, compile: compileRelease, compare: compareReleases });
  const guardrails = parseGuardrails("baseline");
  await setup.edit("config", "defaultTemplates: [sidecar, own]\n");
  await setup.edit("templates/own", `metadata:\n  ${part}:\n    cost-center: mesh\n`);
  const message = `templates/own:3: Pods that have ${part} "cost-center" of their own are not injected: write it behind <%#unless (lookup metadata.${part} "cost-center")%>`;
  const said = message.replaceAll("<%", "{{").replaceAll("%>", "}}");
  expect(await setup.run({ action: "publish" }, { guardrails })).toMatchObject({
    ok: true,
    warnings: expect.arrayContaining([said]),
  });
  expect(await setup.run({ action: "publish" })).toMatchObject({ ok: true, warnings: [] });
});
