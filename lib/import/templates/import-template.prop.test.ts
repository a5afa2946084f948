// Go templates against what Istio's own injector makes of them: the import is equal in effect, or refused with a finding.

import { compileRelease, loadRelease, type SourceTree } from "@outrigger/injector";
import { beforeAll, describe, expect, it } from "vitest";
import { CUSTOM_TEMPLATES, PUBLIC_TEMPLATES } from "../../../test/import/foreign-texts.ts";
import { generateTemplate } from "../../../test/import/generate-templates.ts";
import { readGoTemplates } from "../../../test/import/read-go-templates.ts";
import { compareObjects } from "../../../tools/conformance/compare-objects.ts";
import type { ConformanceCase } from "../../../tools/conformance/conformance-case.ts";
import { releaseOfCase, throughInjector } from "../../../tools/conformance/entry-points.ts";
import { judgeCase } from "../../../tools/conformance/judge-case.ts";
import type { ImportFinding } from "../documents/read-documents.ts";
import { importTemplate } from "./import-template.ts";

/** All of them with OUTRIGGER_PROPERTY_RUNS=300. */
const numRuns = Number(process.env["OUTRIGGER_PROPERTY_RUNS"] ?? 60);
const cases = readGoTemplates();
const byName = new Map(cases.map((each) => [each.name, each]));
const BASE = { "templates/sidecar": "spec: {}\n" };

function treeOf(template: string): SourceTree {
  const { text, partials } = importTemplate("custom", template, "go");
  const named = Object.entries(partials).map(([name, body]) => [`partials/${name}`, body]);
  return { "templates/custom": text, config: "defaultTemplates: [custom]\n", ...Object.fromEntries(named) };
}

const goOf = ({ config }: ConformanceCase) => config.templates?.["custom"] as string;

const isError = ({ severity }: ImportFinding) => severity === "error";

/** Returns the differences from the reference's pod; undefined where the import refuses: what it writes then does not compile. */
async function differencesOf(each: ConformanceCase): Promise<readonly string[] | undefined> {
  const { text, partials, findings } = importTemplate("custom", goOf(each), "go");
  const { expect: _, ...input } = each;
  const custom = { ...input, config: { ...input.config, templates: { custom: text } } };
  const named = Object.entries(partials).map(([name, body]) => [`partials/${name}`, body]);
  const compiled = () => releaseOfCase({ ...BASE, ...Object.fromEntries(named) }, custom);
  if (findings.some(isError)) {
    expect(compiled).toThrow();
    return undefined;
  }
  const release = compiled();
  return judgeCase(each, await throughInjector(custom, loadRelease(release)), compareObjects);
}

describe("importTemplate() of customised templates", () => {
  it.each([...CUSTOM_TEMPLATES, ...PUBLIC_TEMPLATES])(
    "translates $name, or names what it cannot",
    async ({ name, template, refused, differs }) => {
      const { findings } = importTemplate("custom", template, "go");
      const errors = findings.filter(isError).map(({ message }) => message);
      if (refused === undefined) expect(errors).toEqual([]);
      else expect(errors.join("\n")).toContain(refused);
      if (refused !== undefined) expect(() => compileRelease([BASE, treeOf(template)])).toThrow();
      const each = byName.get(name);
      // Go itself does not render every template that is refused.
      if (each === undefined && refused !== undefined) return;
      expect(goOf(each as ConformanceCase)).toBe(template);
      const differences = await differencesOf(each as ConformanceCase);
      if (differs !== undefined) expect(differences).toEqual([expect.stringContaining(differs)]);
      else expect(differences).toEqual(refused === undefined ? [] : undefined);
    },
  );
});

describe("the templates in use elsewhere", () => {
  it("are from more than thirty places, none of them written twice", () => {
    expect(PUBLIC_TEMPLATES.length).toBeGreaterThan(30);
    expect(new Set([...CUSTOM_TEMPLATES, ...PUBLIC_TEMPLATES].map(({ template }) => template)).size).toBe(
      CUSTOM_TEMPLATES.length + PUBLIC_TEMPLATES.length,
    );
  });
});

describe("importTemplate() of generated templates", () => {
  const generated = cases.filter(({ name }) => name.startsWith("generated ")).slice(0, numRuns);
  let refusals = 0;
  beforeAll(() => {
    refusals = 0;
  });

  it("has the templates that the generator makes", () => {
    expect(cases.length).toBeGreaterThan(300);
    expect(goOf(generated[7] as ConformanceCase)).toBe(generateTemplate(7).template);
  });

  it.each(generated)("$name gives what Go gives, or is refused", async (each) => {
    const differences = await differencesOf(each);
    if (differences === undefined) refusals += 1;
    expect(differences ?? []).toEqual([]);
  });

  it("refuses few of them", () => expect(refusals).toBeLessThan(generated.length / 20));
});
