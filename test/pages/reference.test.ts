// Makes docs/reference/ from the code, and fails when a page is behind it: UPDATE_GOLDEN=1 npx vitest run --project unit
// test/pages/reference writes it. Names, defaults, types, rules and outcomes come from the code; the sentences are in ./reference/.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  annotationRules,
  type ErrorCode,
  errorKinds,
  isObject,
  type JsonObject,
  type JsonValue,
  type MetadataKey,
  metadataKeys,
  metadataKeyTable,
  OutriggerError,
  objectOf,
  once,
} from "@outrigger/base";
import { EXIT_CODES, exitCodeOf } from "@outrigger/cli";
import { compileRelease, injectPod, lintSource, loadRelease, publishChannel, valuesSchema } from "@outrigger/injector";
import { readSourceTree } from "@outrigger/publisher";
import { outcomeOf } from "@outrigger/serving";
import { TEMPLATE_ROOTS } from "@outrigger/template";
import { objectKeys, objectKeyTable } from "@outrigger/webhook";
import { parseYaml } from "@outrigger/yaml";
import { beforeAll, describe, expect, it } from "vitest";
import { SETTINGS } from "../../infra/settings/schema.ts";
import { emittedMetrics } from "../infra/support/emitted-metrics.ts";
import { settingsTable } from "../infra/support/settings-table.ts";
import { goldenTemplate } from "../infra/support/template.ts";
import { placeOfRunbook } from "../support/runbooks.ts";
import { ROOT } from "./code-blocks.ts";
import { CONFIG, METRICS, NOT_KEYS, ROOTS, SETTING_SENTENCES } from "./reference/tables.ts";

const FOLDER = join(ROOT, "docs/reference");

const head = (title: string, reader: string, text: string) =>
  `# ${title}\n\n<!-- Made from the code by test/pages/reference.test.ts: UPDATE_GOLDEN=1 npx vitest run --project unit test/pages/reference -->\n\n*Reference, for ${reader}.*\n\n${text}\n\n`;

const table = (headings: readonly string[], rows: readonly (readonly string[])[]) =>
  [
    headings,
    headings.map(() => "---"),
    ...rows.map((row) => row.map((cell) => cell.replaceAll("|", "\\|").replaceAll("\n", " "))),
  ]
    .map((row) => `| ${row.join(" | ")} |\n`)
    .join("");

const code = (value: unknown) => {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text === "" || text === undefined ? "empty" : `\`${text}\``;
};

/** The files, below lib, whose tables declare keys. */
const KEY_TABLES: readonly string[] = ["base/metadata-keys.ts", "webhook/object-keys.ts"];

const keyEntries: readonly MetadataKey[] = [...Object.values(metadataKeyTable), ...Object.values(objectKeyTable)];

let values: JsonObject;
let metrics: ReadonlySet<string>;

/** The text of each generated file. */
const PAGES: Readonly<Record<string, () => string>> = {
  "README.md": () =>
    `${head("Reference", "everyone", "Each page is made from the code, and a test fails when a page is behind it.")}${table(
      ["page", "what"],
      [
        ["[Command line](../cli.md)", "every command and option, exit codes"],
        ["[Annotations and labels](annotations.md)", "every key that is read or written"],
        ["[Template data](template-data.md)", "what a template finds"],
        ["[Helpers](../helpers.md)", "what a template may call"],
        ["[Config](config.md)", "the keys of `config.yaml`"],
        ["[Values](values.md)", "every shipped value: type, default, what it may be"],
        ["[Settings of a deployment](settings.md)", "`outrigger.<stage>.yml`"],
        ["[Errors](errors.md)", "every error code: cause, fix, HTTP status, exit code"],
        ["[Metrics and alarms](metrics.md)", "what is measured, and when people are called"],
        ["[Typical mistakes](../mistakes.md)", "and what `outrigger lint` says about them"],
        ["[Istio's documentation](../istio-behaviour.md)", "by which tests and cases each behaviour is shown"],
      ],
    )}`,
  "annotations.md": annotationsPage,
  "settings.md": () =>
    `${head("Settings", "deployment operators", "The settings of `outrigger.<stage>.yml`. [How they are read and changed](../deploy.md#settings)")}${settingsTable()}`,
  "template-data.md": () =>
    `${head("Template data", "template authors", "The names that a template may use at the start of a path. [The language](../templates.md) · [Helpers](../helpers.md)")}${table(
      ["name", "what it is"],
      TEMPLATE_ROOTS.map((root) => [code(root), ROOTS[root] ?? ""]),
    )}`,
  "config.md": configPage,
  "values.md": () =>
    `${head("Values", "template authors", "Every value of the shipped layer. Yours are laid over it, in the order of the names of your files; `null` removes a value.\n`outrigger print schema` prints the same as a JSON Schema for editors.")}${table(
      ["value", "type", "default", "must be"],
      valueRows(valuesSchema(values), ""),
    )}`,
  "errors.md": errorsPage,
  "metrics.md": metricsPage,
};

function annotationsPage(): string {
  const groups: readonly (readonly [title: string, includes: (on: string) => boolean])[] = [
    ["Annotations of a pod", (on) => on === "pod annotation"],
    ["Labels of a pod", (on) => on === "pod label"],
    ["Namespaces", (on) => on.startsWith("namespace")],
    ["Objects that Outrigger makes in a cluster", (on) => on === "object in the cluster"],
  ];
  const used = usedKeys();
  const sections = groups.map(([title, includes]) => {
    const rows = keyEntries.flatMap(({ key, doc }) =>
      includes(doc.on) ? [[code(key), doc.use, doc.meaning, ruleOf(key), (used.get(key) ?? []).join(", ") || "–"]] : [],
    );
    const isPod = title.includes("pod");
    const headings = ["key", "", "what it does", "must be", "templates and partials"];
    return `## ${title}\n\n${
      isPod
        ? table(headings, rows)
        : table(
            headings.slice(0, 3),
            rows.map((row) => row.slice(0, 3)),
          )
    }`;
  });
  return (
    head(
      "Annotations and labels",
      "workload owners",
      "Every key that injection reads or writes. Keys that a template of your own reads are yours.",
    ) + sections.join("\n")
  );
}

/** Returns what a value must be, in the words of the error that a wrong value gives. */
function ruleOf(key: string): string {
  const pod = {
    metadata: { annotations: { [key]: "\u0000 !" } },
    spec: { containers: [{ name: "web", image: "web" }] },
  };
  try {
    injectPod(injector(), { pod, namespace: "shop", parameters: {} });
    return "–";
  } catch (error) {
    if (!(error instanceof OutriggerError)) throw error;
    if (error.code !== "annotation-invalid") return "–";
    const [, rule = ""] = /": (?:use )?(.*)$/s.exec(error.message) ?? [];
    if (key === metadataKeys.proxyConfig) return "a valid ProxyConfig, as YAML";
    return rule === "" ? "–" : rule;
  }
}

/** An injector without a template that reads an annotation. */
const injector = once(() => loadRelease(compileRelease([{ "templates/sidecar": "spec: {}" }])));

/** Keys at the start of a line of a template: what it adds to the pod. */
function writtenKeys(): ReadonlySet<string> {
  const folders = ["templates/templates", "templates/partials"];
  const texts = folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder)).map((file) => readFileSync(join(ROOT, folder, file), "utf8")),
  );
  return new Set(texts.flatMap((text) => [...text.matchAll(/^ *([\w.-]+\/[\w.-]+): /gm)].map(([, key = ""]) => key)));
}

/** Key that a text of the packages or of the templates names → the templates and partials that name it. */
const usedKeys = once(findUsedKeys);

function findUsedKeys(): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const folder of ["lib", "templates"]) {
    for (const file of readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).sort()) {
      if (!/\.(?:ts|hbs)$/.test(file) || /\.test\.ts$|^(?:import|fake-aws)\/|^releases\//.test(file)) continue;
      if (KEY_TABLES.includes(file)) continue;
      const text = readFileSync(join(ROOT, folder, file), "utf8");
      const name = /^(?:templates|partials)\/(.*)\.hbs$/.exec(file)?.[1];
      for (const [key] of text.matchAll(
        /\b(?:(?:[a-z0-9-]+\.)+(?:io|com|sh)|(?<=["`])outrigger)\/[A-Za-z][\w.-]*\w|(?<=")istio-injection(?=")/g,
      )) {
        if (NOT_KEYS.some((pattern) => pattern.test(key))) continue;
        const users = found.get(key) ?? [];
        found.set(key, name === undefined || users.includes(code(name)) ? users : [...users, code(name)]);
      }
    }
  }
  return found;
}

/** The keys that the code reads from the tables: `metadataKeys.revision`. */
function namedKeys(): readonly string[] {
  const tables: Readonly<Record<string, Readonly<Record<string, string>>>> = { metadataKeys, objectKeys };
  const files = ["lib", "cli"].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((file) => join(ROOT, folder, file)),
  );
  const texts = files.flatMap((file) => (/(?<!\.test)\.ts$/.test(file) ? [readFileSync(file, "utf8")] : []));
  const found = texts.flatMap((text) => [...text.matchAll(/\b((?:metadata|object)Keys)\.(\w+)/g)]);
  return found.flatMap(([, table = "", name = ""]) => tables[table]?.[name] ?? []);
}

function configPage(): string {
  const shipped = parseYaml(readFileSync(join(ROOT, "templates/config.yaml"), "utf8"), "config");
  const defaults: Readonly<Record<string, unknown>> = objectOf(shipped);
  return `${head("Config", "template authors", "The keys of `config.yaml`. [What decides about a pod](../configuration.md)")}${table(
    ["key", "shipped", "what it means"],
    configKeys().map((key) => [
      code(key),
      code(defaults[key] ?? OWN_DEFAULTS[key] ?? (key === "compatibility" ? "safe" : "")),
      CONFIG[key] ?? "",
    ]),
  )}`;
}

/** Defaults of keys that the shipped config does not set. */
const OWN_DEFAULTS: Readonly<Record<string, unknown>> = {
  ...compileRelease([{}]).config,
  publishTo: publishChannel([{}]),
  defaults: "shipped",
};

/** Returns the keys of the config, from the error for a key that does not exist. */
function configKeys(): readonly string[] {
  try {
    publishChannel([{ config: "noSuchKey: 1" }]);
  } catch (error) {
    const [, keys = ""] = /it is not known; use ([\w, ]+)/.exec(String(error)) ?? [];
    return keys.split(", ");
  }
  return [];
}

/** What switches must be, in the words of the errors about text that is never right. */
const allowedValues = once((): ReadonlyMap<string, string> => {
  const wrong = (value: JsonValue): JsonValue => {
    if (typeof value === "string") return "\u0000 !";
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, wrong(inner as JsonValue)]));
  };
  const layers = [values, wrong(values)].map((layer) => ({ "values/10-a": JSON.stringify(layer) }));
  const said = lintSource(layers).findings.map(({ message }) => /: values\.(\S+) must be (.*)$/s.exec(message));
  return new Map(said.flatMap((found) => (found ? [[found[1] ?? "", found[2] ?? ""] as const] : [])));
});

function valueRows(schema: JsonObject, path: string): readonly (readonly string[])[] {
  const { properties } = schema;
  if (isObject(properties)) {
    return Object.entries(properties).flatMap(([key, child]) =>
      valueRows(objectOf(child), path === "" ? key : `${path}.${key}`),
    );
  }
  const types = [schema["type"] ?? "string"].flat().filter((type) => type !== "null");
  return [
    [
      code(path),
      types.join(" or "),
      code(schema["default"] ?? (types[0] === "array" ? "[]" : types[0] === "object" ? "{}" : "")),
      String(schema["description"] ?? objectOf(schema["items"])["description"] ?? allowedValues().get(path) ?? "–"),
    ],
  ];
}

function errorsPage(): string {
  const kinds = Object.values(errorKinds).flatMap((codes) => Object.entries(codes));
  const rows = kinds.map(([name, { doc }]) => {
    const error = new OutriggerError(name as ErrorCode, "");
    const outcome = outcomeOf(error);
    const answer =
      outcome.kind === "denied"
        ? `denied (${outcome.code})`
        : `HTTP ${outcome.status}${outcome.retryAfter === undefined ? "" : ", with `Retry-After`"}`;
    return [code(name), doc.cause, doc.fix, answer, String(exitCodeOf(error))];
  });
  const codes = EXIT_CODES.map(([exit, meaning]) => `- ${exit}: ${meaning}`).join("\n");
  return `${head("Errors", "everyone", `Codes are stable: logs, metrics and the publisher's answers have them. The message of an error names the place and the fix.\n\nThe webhook answers with the HTTP status, and \`failurePolicy\` decides about the pod; a denied pod is rejected, with the message.\nA command ends with the exit code:\n\n${codes}\n\nA file that cannot be read or written ends a command with 3, whatever the code.`)}${table(
    ["code", "cause", "fix", "webhook", "exit code"],
    rows,
  )}${WHOSE_FAULT}`;
}

const WHOSE_FAULT = `
## Whose fault it is

A pod is denied for a mistake of its author only. If an API server would reject the injected pod, that is a value that the author wrote

- in an annotation or label that is [documented](annotations.md), or that a template reads by its key and writes, or
- in a field of an injected container that the pod names, or by having that name in the wrong list of containers,

and the pod would be accepted without it. Everything else is the template's fault, \`overlay-invalid\`:

- a value that a template has as it is, also behind a label or annotation that opens a branch or chooses the templates;
- a value that it takes from elsewhere in the pod, such as the pod's name;
- a clash of what it writes with what the pod has anyway: a port of the node, the size of all annotations together.

A pod that an API server rejects as its author sent it is left to the API server.
`;

interface Metric {
  readonly name: string;
  readonly dimensions: string;
}

/** Every combination of a metric of our own and its dimensions. */
function ownMetrics(): readonly Metric[] {
  const found = [...metrics].flatMap((key) => {
    const [, name = "", dimensions = ""] = /^Outrigger (\w+) \[([^\]]*)\]$/.exec(key) ?? [];
    return name === "" ? [] : [{ name, dimensions: dimensions.replaceAll(",", ", ") }];
  });
  return found.sort((one, other) => (`${one.name} ${one.dimensions}` < `${other.name} ${other.dimensions}` ? -1 : 1));
}

function metricsPage(): string {
  const rows = ownMetrics().map(({ name, dimensions }) => [code(name), dimensions, METRICS[name] ?? ""]);
  const alarms = Object.values(goldenTemplate("domain").Resources).flatMap(({ Type, Properties = {} }) => {
    if (Type !== "AWS::CloudWatch::Alarm") return [];
    const name = String(Properties["AlarmName"]).replace("outrigger-dev-", "");
    const text = String(Properties["AlarmDescription"]).replace(/\.? docs\/operations\.md.*$/, "");
    return [[`[${name}](${placeOfRunbook(name)?.replace("docs/", "../")})`, text, whenOf(Properties)]];
  });
  return `${head("Metrics and alarms", "deployment operators", "The namespace is `Outrigger`. Each combination of dimensions is a metric of its own, which CloudWatch charges for:\n[cost](../cost.md#metrics-are-most-of-it).")}${table(["metric", "dimensions", "what it measures"], rows)}
## Alarms

Each is named \`outrigger-<stage>-<name>\` and leads to its runbook. A registered cluster has one more,
[no-calls](../runbooks/endpoint.md#no-calls).

${table(["alarm", "what it says", "when"], alarms)}`;
}

/** Returns when an alarm fires: `at least 1, in 2 of 5 periods` */
function whenOf(alarm: JsonObject): string {
  const { Threshold, EvaluationPeriods, DatapointsToAlarm = EvaluationPeriods, ComparisonOperator } = alarm;
  const compare = COMPARISONS[String(ComparisonOperator)] ?? String(ComparisonOperator);
  return `${compare} ${String(Threshold ?? "the limit")}, in ${String(DatapointsToAlarm)} of ${String(EvaluationPeriods)} periods`;
}

const COMPARISONS: Readonly<Record<string, string>> = {
  GreaterThanOrEqualToThreshold: "at least",
  GreaterThanThreshold: "more than",
  LessThanThreshold: "less than",
  LessThanOrEqualToThreshold: "at most",
};

describe("docs/reference", () => {
  beforeAll(async () => {
    values = compileRelease([await readSourceTree(join(ROOT, "templates"))]).values;
    // The last is of a command, wherever it runs.
    metrics = new Set([...(await emittedMetrics(goldenTemplate("http"))), "Outrigger RestartStopped [Stage]"]);
  });

  it("documents the annotations and labels that the code uses, and no others", () => {
    const keys: readonly string[] = keyEntries.map(({ key }) => key);
    expect([...usedKeys().keys()].filter((key) => !keys.includes(key))).toEqual([]);
    const named = new Set(namedKeys());
    const unused = keys.filter((key) => !named.has(key) && !usedKeys().has(key) && !annotationRules.has(key));
    expect(unused).toEqual([]);
  });

  it("says of every key that a shipped template writes that it is written", () => {
    const written = keyEntries.filter(({ key }) => writtenKeys().has(key));
    expect(written.length).toBeGreaterThan(10);
    expect(written.filter(({ doc }) => doc.use === "read")).toEqual([]);
  });

  it("documents every root of the template data, every key of the config, every metric and every setting", () => {
    expect(Object.keys(ROOTS).sort()).toEqual([...TEMPLATE_ROOTS].sort());
    expect(Object.keys(CONFIG).sort()).toEqual([...configKeys()].sort());
    expect([...new Set(ownMetrics().map(({ name }) => name))].sort()).toEqual(Object.keys(METRICS).sort());
    expect(SETTINGS.map(({ name }) => name)).toEqual(Object.keys(SETTING_SENTENCES));
  });

  it.each(Object.entries(PAGES))("%s is what the code says", (name, page) => {
    const text = page();
    mkdirSync(FOLDER, { recursive: true });
    if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(join(FOLDER, name), text);
    expect(readFileSync(join(FOLDER, name), "utf8")).toBe(text);
  });

  it("has no page that nothing makes", () => {
    const pages = readdirSync(FOLDER).filter((file) => file.endsWith(".md"));
    expect(pages.sort()).toEqual(Object.keys(PAGES).sort());
  });
});
