// What an API server rejects, behind a condition that no sample takes: lint names the line, and no pod is denied for it.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MISTAKEN_OVERLAYS, REJECTED_OVERLAYS } from "../../../test/support/wrong-overlays.ts";
import { lintTree } from "../release/compile-release.ts";

const SAMPLE = "kind: Pod\nmetadata: {name: web, namespace: default}\nspec: {containers: [{name: web, image: web}]}\n";

/** The lines of a template that lint names. */
function namedLines(template: string, severity: "error" | "warning"): readonly (number | undefined)[] {
  const tree = { config: "defaultTemplates: [agent]\n", "templates/agent": template, "samples/web": SAMPLE };
  return lintTree([tree]).findings.flatMap((each) => (each.severity === severity ? [each.line] : []));
}

/** The template behind conditions, one inside the other. Each takes a line. */
function behind(conditions: readonly string[], template: string): string {
  const ends = conditions.map((condition) => `{{/${condition.startsWith("{{#unless") ? "unless" : "if"}}}\n`);
  return `${conditions.map((condition) => `${condition}\n`).join("")}${template.trimEnd()}\n${ends.toReversed().join("")}`;
}

const LABELLED = '{{#if (eq (lookup metadata.labels "acme.io/ship") "true")}}';

const MISTAKES = [
  ...REJECTED_OVERLAYS.map(({ what, overlay, line }) => ({ what, overlay, line })),
  ...MISTAKEN_OVERLAYS.map(([what, overlay]) => {
    const line = overlay.split("\n").findIndex((each) => each.endsWith("#!")) + 1;
    return { what, overlay: overlay.replace(/ #!$/m, ""), line };
  }),
  { what: "no list of containers", overlay: "spec:\n  containers: null\n", line: 2 },
  { what: "an unknown field", overlay: "spec:\n  containers:\n  - name: web\n    imagee: a\n", line: 4 },
  { what: "an unknown field of the pod", overlay: "spec:\n  sidecars: []\n", line: 2 },
];

/** What only a pod decides: its name, the namespace of its request, and its containers. */
const OF_THE_POD = [
  "a label that is too long once rendered",
  "another namespace",
  "an AppArmor annotation for no container",
];

/** What a pod may bring: a warning, because nobody knows all pods. */
const BROUGHT = [
  "no image",
  "a mount without its volume",
  "a claim that the pod does not have",
  "a CSI volume without a driver",
  "a claim without a name",
  "an ephemeral volume without a size",
];

/** Conditions over fields of pods. Samples have none of what they ask for, and real pods may. */
const CONDITIONS = [
  LABELLED,
  "{{#if metadata.labels.ship}}",
  '{{#if (lookup metadata.annotations "acme.io/ship")}}',
  '{{#if (eq metadata.namespace "shop")}}',
  '{{#if (eq spec.serviceAccountName "ship")}}',
  "{{#if spec.hostPID}}",
  "{{#if spec.runtimeClassName}}",
  '{{#if (eq spec.dnsPolicy "Default")}}',
  '{{#if (eq spec.restartPolicy "Never")}}',
  "{{#if (gt spec.terminationGracePeriodSeconds 100)}}",
  "{{#if spec.initContainers}}",
  '{{#if (and metadata.labels.app (eq metadata.labels.tier "front"))}}',
  "{{#unless spec.enableServiceLinks}}",
  "{{#unless spec.tolerations}}",
];

/** How many are tried: `OUTRIGGER_BRANCH_MISTAKES=300` for a long run, and `OUTRIGGER_PROPERTY_SEED` for another one. */
const RUNS = Number(process.env["OUTRIGGER_BRANCH_MISTAKES"] ?? 12);
const SEED = Number(process.env["OUTRIGGER_PROPERTY_SEED"] ?? 57);

const JUDGED = MISTAKES.filter(({ what }) => !OF_THE_POD.includes(what));
const severityOf = (what: string) => (BROUGHT.includes(what) ? "warning" : "error");

describe("a mistake in a branch that no sample takes", () => {
  it("is one of more than were ever found at once", () => expect(JUDGED.length).toBeGreaterThanOrEqual(14));

  it.each(JUDGED)("is named with its line: $what", ({ what, overlay, line }) => {
    expect(namedLines(behind([LABELLED], overlay), severityOf(what))).toContain(line + 1);
  });

  it("is named with its line behind random conditions over random fields of pods", () => {
    const conditions = fc.uniqueArray(fc.constantFrom(...CONDITIONS), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(fc.constantFrom(...JUDGED), conditions, ({ what, overlay, line }, outer) => {
        expect(namedLines(behind(outer, overlay), severityOf(what))).toContain(line + outer.length);
      }),
      { numRuns: RUNS, seed: SEED },
    );
  });
});
