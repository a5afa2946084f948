// The Terraform modules against the schemas of the providers, the template and the chart that they use. Terraform itself needs
// the providers, which are only in its own registry.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { findPython } from "../support/find-python.ts";
import { goldenTemplate } from "./support/template.ts";
import { readModule, type TerraformModule } from "./support/terraform-module.ts";

interface Schema {
  readonly required: readonly string[];
  readonly optional: readonly string[];
  readonly attributes: readonly string[];
}

const schemas: Readonly<Record<string, Schema>> = JSON.parse(readFileSync("test/infra/facts/terraform.json", "utf8"));
const hcl = findPython("python-hcl2");
const terraform = spawnSync("terraform", ["version"], { timeout: 20_000 }).status === 0;

/** Returns the schema of a block such as `data.aws_region.current`. */
const schemaOf = (block: string) => schemas[block.slice(0, block.lastIndexOf("."))];

function mistakes(module: TerraformModule): readonly string[] {
  const { blocks, variables, locals, expressions } = module;
  const text = expressions.join("\n");
  const named = (pattern: RegExp) => new Set([...text.matchAll(pattern)].map(([, name = ""]) => name));
  const used = { variables: named(/\bvar\.(\w+)/g), locals: named(/\blocal\.(\w+)/g) };
  const references = [...text.matchAll(/\b((?:data\.)?(?:aws|helm)_\w+\.\w+)\.(\w+)/g)];
  return [
    ...[...blocks].flatMap(([name, given]) => {
      const schema = schemaOf(name);
      if (schema === undefined) return [`${name} is of no known type`];
      const known = new Set([...schema.required, ...schema.optional]);
      return [
        ...Object.keys(given).filter((argument) => !known.has(argument)),
        ...schema.required.filter((argument) => given[argument] === undefined),
      ].map((argument) => `${name} ${argument}`);
    }),
    ...[...used.variables].filter((name) => !variables.has(name)).map((name) => `var.${name} is not declared`),
    ...[...variables.keys()].filter((name) => !used.variables.has(name)).map((name) => `var.${name} is not used`),
    ...[...used.locals].filter((name) => locals[name] === undefined).map((name) => `local.${name} is not defined`),
    ...references.flatMap(([all, block = "", attribute = ""]) =>
      blocks.has(block) && schemaOf(block)?.attributes.includes(attribute) ? [] : [`${all} does not exist`],
    ),
  ];
}

describe.skipIf(hcl.lacking !== undefined)(`infra/terraform (${hcl.lacking ?? "python-hcl2"})`, () => {
  const read = (name: string) => readModule(hcl.python, `infra/terraform/${name}`);

  it.each(["deployment", "cluster"])("%s uses what the providers have, and declares what it uses", (name) => {
    const module = read(name);
    expect(mistakes(module)).toEqual([]);
    for (const [, given] of [...module.variables, ...module.outputs]) expect(given["description"]).toBeTruthy();
  });

  it("would find an argument, an attribute and a variable that do not exist", () => {
    const module = read("deployment");
    const wrong = { ...module.blocks.get("aws_cloudformation_stack.outrigger"), capability: "x" };
    const expressions = [...module.expressions, "data.aws_region.current.nome + var.none"];
    const blocks = new Map([...module.blocks, ["aws_cloudformation_stack.outrigger", wrong]]);
    expect(mistakes({ ...module, blocks, expressions })).toEqual([
      "aws_cloudformation_stack.outrigger capability",
      "var.none is not declared",
      "data.aws_region.current.nome does not exist",
    ]);
  });

  it("finds the template where outrigger package puts it, and outputs that it has", () => {
    const { locals, expressions, blocks } = read("deployment");
    expect(locals["template_key"]).toMatch(
      /^"outrigger\/template-\$\{filesha256\("\$\{var\.package\}\/template\.json"\)\}\.json"$/,
    );
    const outputs = [...expressions.join("\n").matchAll(/outputs\["(\w+)"\]/g)].map(([, name = ""]) => name);
    expect(outputs.length).toBeGreaterThan(2);
    expect(Object.keys(goldenTemplate("http").Outputs)).toEqual(expect.arrayContaining(outputs));
    expect(blocks.get("aws_cloudformation_stack.outrigger")?.["name"]).toMatch(
      /^"outrigger-\$\{local\.configuration\.Tags\.stage\}"$/,
    );
  });

  it("sets values that the chart has", () => {
    const { blocks } = read("cluster");
    const [, given = ""] =
      /merge\(var\.values, \{([\s\S]*?)\}\)/.exec(JSON.stringify(blocks.get("helm_release.outrigger"))) ?? [];
    const names = [...given.matchAll(/(\w+)(?:\\"|"|\s)*[=:]/g)].map(([, name = ""]) => name);
    const { properties } = JSON.parse(readFileSync("infra/chart/values.schema.json", "utf8"));
    expect(names).toContain("safetyNet");
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(names));
  });
});

it.skipIf(!terraform)(
  `infra/terraform is formatted as terraform fmt does (${terraform ? "terraform" : "no terraform"})`,
  () => {
    const { status, stdout } = spawnSync("terraform", ["fmt", "-check", "-recursive", "infra/terraform"], {
      encoding: "utf8",
    });
    expect([status, stdout]).toEqual([0, ""]);
  },
);
