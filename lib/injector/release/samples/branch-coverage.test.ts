import { describe, expect, it } from "vitest";
import { injectPod } from "../../inject-pod.ts";
import { compileRelease } from "../compile-release.ts";
import { loadRelease } from "../load-release.ts";
import { branchCoverage } from "./branch-coverage.ts";

const TEMPLATE = `metadata:
  labels:
    {{#if metadata.labels.app}}
    has-app: "yes"
    {{/if}}
    {{#each metadata.labels}}
    copy-{{@key}}: {{this}}
    {{/each}}
    {{#unless metadata.labels.none}}
    no-none: "yes"
    {{/unless}}
`;

describe("branchCoverage()", () => {
  const release = compileRelease([
    {
      config: "defaultTemplates: [x]\n",
      "templates/x": TEMPLATE,
      "samples/web":
        "kind: Pod\nmetadata: {name: web, labels: {app: a}}\nspec: {containers: [{name: web, image: web}]}\n",
    },
  ]);
  const missedWith = (...labels: readonly Readonly<Record<string, string>>[]) => {
    const coverage = branchCoverage(release, loadRelease(release), new Set(["templates/x"]));
    for (const each of labels) {
      const pod = { metadata: { name: "web", labels: each }, spec: { containers: [{ name: "web", image: "web" }] } };
      injectPod(coverage.injector, { pod, namespace: "shop", parameters: {} });
    }
    const { taken, all } = coverage.count();
    return [`${taken} of ${all}`, ...coverage.missed().map(({ line, message }) => `${line} ${message}`)];
  };

  it("names each branch that no injection took, in the words of its block and its condition", () => {
    expect(missedWith({ app: "a" })).toEqual([
      "3 of 6",
      "3 the branch {{#if}} at line 3 was never false in any test",
      "6 the branch {{#each}} at line 6 always had an item in any test",
      "9 the branch {{#unless}} at line 9 was never true in any test",
    ]);
    expect(missedWith({})).toEqual([
      "3 of 6",
      "3 the branch {{#if}} at line 3 was never true in any test",
      "6 the branch {{#each}} at line 6 had no item in any test",
      "9 the branch {{#unless}} at line 9 was never true in any test",
    ]);
  });

  it("is complete when all were taken, and counts the given paths only", () => {
    expect(missedWith({ app: "a", none: "b" }, {})).toEqual(["6 of 6"]);
    const none = branchCoverage(release, loadRelease(release), new Set());
    expect([none.count(), none.missed()]).toEqual([{ taken: 0, all: 0 }, []]);
  });
});
