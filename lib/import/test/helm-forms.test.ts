// The forms in which charts write values, against what Helm renders of them.

import { compileRelease, injectedText, loadRelease, type SourceTree, samplePods } from "@outrigger/injector";
import { formatYaml } from "@outrigger/yaml";
import { beforeAll, describe, expect, it } from "vitest";
import { HELM_FORMS, HELM_VALUES } from "../../../test/import/foreign-texts.ts";
import { shippedTree } from "../../../test/support/shipped-tree.ts";
import { importTemplate } from "../templates/import-template.ts";

const CONFIG = "defaults: none\ndefaultTemplates: [helper]\n";

describe("importTemplate() of the forms of Helm's charts", () => {
  let shipped: SourceTree = {};
  beforeAll(async () => {
    shipped = await shippedTree();
  });

  const compiled = (template: string, partials: Readonly<Record<string, string>> = {}) => {
    const named = Object.entries(partials).map(([name, text]) => [`partials/${name}`, text]);
    const base = Object.fromEntries(Object.entries(shipped).filter(([path]) => !path.startsWith("samples/")));
    const tree = { "templates/helper": template, "values/10": formatYaml(HELM_VALUES), config: CONFIG };
    return compileRelease([base, { ...tree, ...Object.fromEntries(named) }]);
  };
  const injected = (template: string, partials?: Readonly<Record<string, string>>): string => {
    const [sample] = samplePods([shipped]);
    return injectedText(loadRelease(compiled(template, partials)), (sample as NonNullable<typeof sample>).request);
  };

  it("are thirty and more", () => expect(HELM_FORMS.length).toBeGreaterThanOrEqual(30));

  it.each(HELM_FORMS)("reads $name as Helm does, or says where it cannot", ({ template, gives, refused, warned }) => {
    const { text = "", partials, findings } = importTemplate("helper", template, "go");
    const errors = findings.filter(({ severity }) => severity === "error");
    const warnings = findings.filter(({ severity }) => severity === "warning").map(({ message }) => message);
    if (refused === undefined) {
      expect(errors).toEqual([]);
      expect(warnings).toEqual(warned === undefined ? [] : [expect.stringContaining(warned)]);
      expect(injected(text, partials)).toBe(injected(formatYaml(gives ?? null)));
      return;
    }
    const refusal = { line: expect.any(Number), message: expect.stringContaining(refused) };
    expect(errors).toContainEqual(expect.objectContaining(refusal));
    // What is written in its place does not pass for a template.
    expect(() => compiled(text, partials)).toThrow(/notTranslated/);
  });
});
