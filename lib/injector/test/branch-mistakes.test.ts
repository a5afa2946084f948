// What an API server rejects, behind a condition that no sample takes: lint names the line, and no pod is denied for it.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MISTAKEN_OVERLAYS, REJECTED_OVERLAYS } from "../../../test/support/wrong-overlays.ts";
import { lintTree } from "../release/compile-release.ts";

const SAMPLE = "kind: Pod\nmetadata: {name: web, namespace: default}\nspec: {containers: [{name: web, image: web}]}\n";

/** The lines of the errors of a template. */
function errorLines(template: string): readonly (number | undefined)[] {
  const tree = { config: "defaultTemplates: [agent]\n", "templates/agent": template, "samples/web": SAMPLE };
  const { findings } = lintTree([tree]);
  return findings.filter(({ severity }) => severity === "error").map(({ line }) => line);
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
];

/** What only a pod decides: its name, the namespace of its request, and its containers. */
const OF_THE_POD = [
  "a label that is too long once rendered",
  "another namespace",
  "an AppArmor annotation for no container",
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

/** How many are tried: `BRANCH_MISTAKES=300` for a long run, and `BRANCH_SEED` for another one. */
const RUNS = Number(process.env["BRANCH_MISTAKES"] ?? 12);
const SEED = Number(process.env["BRANCH_SEED"] ?? 57);

describe("a mistake in a branch that no sample takes", () => {
  it.each(MISTAKES.filter(({ what }) => !OF_THE_POD.includes(what)))(
    "is an error with its line: $what",
    ({ overlay, line }) => {
      expect(errorLines(behind([LABELLED], overlay))).toContain(line + 1);
    },
  );

  it("is an error with its line behind random conditions over random fields of pods", () => {
    const mistake = fc.constantFrom(...MISTAKES.filter(({ what }) => !OF_THE_POD.includes(what)));
    const conditions = fc.uniqueArray(fc.constantFrom(...CONDITIONS), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(mistake, conditions, ({ overlay, line }, outer) => {
        expect(errorLines(behind(outer, overlay))).toContain(line + outer.length);
      }),
      { numRuns: RUNS, seed: SEED },
    );
  });
});
