// Runs the examples of every helper, and holds docs/helpers.md against what the helpers say of themselves: UPDATE_GOLDEN=1 writes it.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defaultMeshConfig } from "@outrigger/mesh";
import { examineTemplates, type Helper, type HelperTable, LOOKUP_DOC, loadTemplates } from "@outrigger/template";
import { parseYaml } from "@outrigger/yaml";
import { describe, expect, it } from "vitest";
import { describeDoc, describeHelpers } from "./describe-helpers.ts";
import { injectionHelpers } from "./injection-helpers.ts";

const PAGE = fileURLToPath(new URL("../../../docs/helpers.md", import.meta.url));
const TABLE: HelperTable = injectionHelpers;

const POD = `metadata:
  namespace: shop
  labels: {app: web, version: v1}
  annotations: {sidecar.istio.io/logLevel: debug}
spec:
  containers:
  - name: web
    ports: [{containerPort: 8080}]
  - name: istio-proxy
    ports: [{containerPort: 15090}]
`;

const DATA = {
  ...(parseYaml(POD, "pod") as object),
  owner: { namespace: "shop" },
  proxyConfig: { ...defaultMeshConfig.defaultConfig, concurrency: 2 },
  meshConfig: {
    extensionProviders: [{ opentelemetry: { serviceAttributeEnrichment: "OTEL_SEMANTIC_CONVENTIONS" } }],
  },
};

describe("the documentation of a helper", () => {
  const docs = [
    ...Object.entries(TABLE).map(([name, { doc }]) => [name, doc] as const),
    ["lookup", LOOKUP_DOC] as const,
  ];

  it.each(docs)("has examples of %s that give what they say", (name, { examples }) => {
    for (const example of examples) {
      const [call, result] = "fails" in example ? [example.call] : example;
      expect(call).toMatch(new RegExp(`^\\(${name}[ )]`));
      const { compiled, findings } = examineTemplates(
        { templates: { t: `a: {{${call.slice(1, -1)}}}\n` }, partials: {} },
        TABLE,
      );
      expect(findings.filter(({ code }) => code !== "needless-helper")).toEqual([]);
      const { render } = loadTemplates(compiled, { helpers: TABLE, constants: {}, defaults: {} });
      if ("fails" in example) expect(() => render("t", DATA)).toThrow(example.fails);
      else expect([call, render("t", DATA)["a"]]).toEqual([call, result]);
    }
  });

  it.each(docs)("says what %s gives in a sentence, and its type", (name, { text, result, examples }) => {
    expect([name, text]).toEqual([name, expect.stringMatching(/^[A-Z].*\.$/)]);
    for (const example of examples)
      if (!("fails" in example)) expect([name, typesOf(example[1])]).toEqual([name, expect.arrayContaining([result])]);
  });
});

/** The types of results that a value may have. */
function typesOf(value: unknown): readonly string[] {
  if (Array.isArray(value))
    return ["any", "list", ...(value.every((item) => typeof item === "string") ? ["texts"] : [])];
  return ["any", typeof value === "string" ? "text" : typeof value === "object" ? "map" : typeof value];
}

describe("docs/helpers.md", () => {
  it("has every helper", () => {
    if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(PAGE, page());
    expect(readFileSync(PAGE, "utf8")).toBe(page());
  });
});

function page(): string {
  const rows = [...describeHelpers()].map(([name, { signature, args }]) => {
    const { text, examples } = (TABLE[name] as Helper).doc;
    const meanings = args.map(([argument, , meaning]) => `\`${argument.replace("?", "")}\`: ${meaning}`);
    const [, ...calls] = describeDoc({ text: "", examples }).split(/^ /);
    const cells = [text, meanings.join("; "), ...calls].filter((cell) => cell !== "");
    return `| \`${signature}\` | ${cells.join("<br>").replaceAll("|", "\\|")} |\n`;
  });
  return `# Helpers

<!-- Made from the helpers' own documentation by lib/injector/render/describe-helpers.test.ts: UPDATE_GOLDEN=1 npx vitest run --project unit lib/injector/render/describe-helpers.test.ts -->

*Reference, for template authors.*

\`outrigger print helpers\` prints the same, \`outrigger print helpers NAME\` one with its arguments, and the [studio](studio.md) shows it as you type. Names
and the order of arguments are those of Istio and Sprig. An argument in brackets may be left out; \`…\` marks one that may be given
several times. The examples are calls for this pod, in a mesh with a tracing provider that enriches attributes, and with a proxy
configuration that has \`concurrency: 2\`:

\`\`\`yaml
${POD}\`\`\`

| helper | what it gives, its arguments and examples |
|---|---|
${rows.join("")}`;
}
