// `outrigger new`: starts a template or a test of a source tree, or a tree from an example.
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isObject, type JsonValue, OutriggerError, objectOf, suggestName, usageError } from "@outrigger/base";
import { readExamples } from "@outrigger/publisher";
import type { Command } from "commander";
import { inputFault } from "../../manifests/input-fault.ts";
import { parseLabels } from "../../options/names.ts";
import { optionTable, takes } from "../../options/option.ts";
import { resultOptions } from "../../options/shared-options.ts";
import { makeFolder } from "../../project/make-folder.ts";
import { podFile } from "../../project/project-files.ts";
import type { Io } from "../../terminal/io.ts";
import { printResult, table } from "../../terminal/print.ts";
import { directoryOf, directoryTree, shippedTree } from "../../tree/read-trees.ts";
import { isThere, writeFileInPlace } from "../../tree/source-files.ts";
import { guardrailEntries, isOnShelf, takeExample } from "../../tree/take-example.ts";

const NOTES = `
Examples:
  outrigger new template log-agent --dir my-templates
  outrigger new template --from pgbouncer --dir my-templates
  outrigger new template --from log-shipper --pod-label logs=yes --dir my-templates
  outrigger new test web --dir my-templates
  outrigger new example log-shipper --dir my-templates`;

const TEMPLATE = (name: string) => `{{! config.yaml says who gets it: defaultTemplates }}
spec:
  containers:
  - name: ${name.replaceAll(".", "-")}
    image: {{default "registry.example/${name}:1" values.${camelCase(name)}.image}}
    env:
    - name: WORKLOAD
      value: {{owner.name}}
`;

const NEW_OPTIONS = optionTable({
  dir: { argument: "<dir>", about: "the directory of the source tree (default: the current one)" },
});

export function addNewCommand(program: Command, io: Io): void {
  const parent = program
    .command("new")
    .description("start a source tree, a template or a test")
    .addHelpText("afterAll", NOTES);
  const add = (
    kind: string,
    description: string,
    run: (name: string, options: { readonly dir?: string }) => Promise<void>,
  ) =>
    takes(parent.command(kind), NEW_OPTIONS)
      .description(description)
      .argument("<name>", "letters, digits, dots and dashes")
      .action(run);
  addNewExampleCommand(parent, io);
  addNewTemplateCommand(parent, io);
  add("test", "write tests/NAME/pod.yaml", (name, { dir }) =>
    write(name, dir, `tests/${name}/pod.yaml`, podFile(name), `test${dir === undefined ? "" : ` ${dir}`} --update`, io),
  );
}

const TEMPLATE_OPTIONS = optionTable({
  ...NEW_OPTIONS,
  from: {
    argument: "<example>",
    about: "a sidecar of the shelf, with its values, samples and tests, in place of a name",
  },
  podLabel: {
    argument: "<key=value>",
    about: "with --from: only pods with this label get it, and its samples and tests have it; repeatable",
    isRepeatable: true,
  },
});

function addNewTemplateCommand(parent: Command, io: Io): void {
  takes(parent.command("template"), TEMPLATE_OPTIONS)
    .description("write templates/NAME.hbs, or take a sidecar of the shelf into the tree")
    .argument("[name]", "letters, digits, dots and dashes")
    .action(async (name, { dir, from, podLabel }) => {
      if ((name === undefined) === (from === undefined)) {
        throw usageError(
          "Cannot tell what to write: give a name, or --from and one of the examples (outrigger new example)",
        );
      }
      if (from !== undefined)
        return takeFromShelf(from, podLabel && parseLabels(podLabel, "--pod-label", "logs=yes"), dir, io);
      if (podLabel !== undefined)
        throw usageError("Cannot use --pod-label without --from: config.yaml says who gets it");
      const own = name ?? "";
      await write(own, dir, `templates/${own}.hbs`, TEMPLATE(own), `lint${dir === undefined ? "" : ` ${dir}`}`, io);
    });
}

async function takeFromShelf(
  name: string,
  podLabels: Readonly<Record<string, string>> | undefined,
  dir: string | undefined,
  io: Io,
): Promise<void> {
  const directory = directoryOf(dir, io);
  const shelf = (await readExamples(io.examples)).filter(isOnShelf);
  const example = shelf.find((one) => one.name === name);
  if (example === undefined) {
    const names = shelf.map((one) => one.name);
    throw usageError(
      `Cannot find ${JSON.stringify(name)} on the shelf${suggestName(name, names)}; there are ${names.join(", ")}`,
    );
  }
  const { fresh, edited, entries } = takeExample(example, await directoryTree(directory), podLabels);
  await writeNew(directory, fresh, "it is in the tree already, or rename yours");
  for (const [file, text] of Object.entries(edited)) await writeFileInPlace(directory, file, text);
  const place = dir ?? ".";
  const files = [...Object.keys(fresh), ...Object.keys(edited)].map((file) => join(dir ?? "", file));
  const allowed = guardrailEntries(example, await shippedTree(io));
  io.stdout.write(`Wrote ${files.join(", ")}\n`);
  for (const entry of entries) io.stdout.write(`config.yaml gives ${whoGets(entry)}\n`);
  io.stdout.write(`With guardrails in the deployment's settings, add: ${allowed.join(",")}\n`);
  io.stdout.write(`Edit its values, then: outrigger lint ${place}, and outrigger test ${place}\n`);
}

/** `log-shipper to pods with logs=yes`. */
function whoGets(entry: JsonValue): string {
  if (!isObject(entry)) return `${String(entry)} to every pod; to choose, write a match there, or use --pod-label`;
  const labels = Object.entries(objectOf(objectOf(entry["match"])["podLabels"]));
  return `${String(entry["name"])} to pods with ${labels.map(([key, value]) => `${key}=${String(value)}`).join(" and ")}`;
}

/** @param next the command that looks at what was written */
async function write(name: string, dir: string | undefined, file: string, text: string, next: string, io: Io) {
  if (!/^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/.test(name) || name.includes("..")) {
    throw usageError(`Cannot make ${JSON.stringify(name)}: use lower-case letters, digits, dots and dashes`);
  }
  await writeNew(directoryOf(dir, io), { [file]: text }, "choose another name");
  io.stdout.write(`Wrote ${join(dir ?? "", file)}\nEdit it, then: outrigger ${next}\n`);
}

function camelCase(name: string): string {
  return name.replaceAll(/[.-]+(.)/g, (_, letter: string) => letter.toUpperCase()).replace(/^[0-9]/, "_$&");
}

// `outrigger new example`: starts a source tree from one that is known to work.
const EXAMPLE_OPTIONS = optionTable({
  ...resultOptions,
  dir: { argument: "<dir>", about: "the directory to write to (default: the current one)" },
});

function addNewExampleCommand(parent: Command, io: Io): void {
  takes(parent.command("example"), EXAMPLE_OPTIONS)
    .description("write a source tree to start from, with its tests; without a name, list them")
    .argument("[example]", "its name")
    .action(async (name, { dir, json }) => {
      const examples = await readExamples(io.examples);
      if (name === undefined) {
        const list = examples.map(({ name, title, summary }) => ({ name, title, summary }));
        const rows = list.map(({ name, summary }) => [name, summary]);
        return printResult(io, json, list, table(["NAME", "WHAT"], rows));
      }
      const example = examples.find((one) => one.name === name);
      if (example === undefined) {
        const names = examples.map((one) => one.name);
        const near = suggestName(name, names);
        throw usageError(`Cannot find example ${JSON.stringify(name)}${near}: "outrigger new example" lists them`);
      }
      await writeNew(directoryOf(dir, io), example.files, "choose another directory with --dir");
      const place = dir ?? ".";
      io.stdout.write(`Wrote ${Object.keys(example.files).length} files to ${place}\n`);
      io.stdout.write(`Read ${join(place, "README.md")}, then: outrigger test ${place}\n`);
    });
}

/** Writes nothing if one of the files exists. */
async function writeNew(directory: string, files: Readonly<Record<string, string>>, wayOut: string): Promise<void> {
  for (const path of Object.keys(files)) {
    if (await isThere(join(directory, path)))
      throw usageError(`Cannot write ${path}: it exists already; ${wayOut}`, { path });
  }
  for (const [path, text] of Object.entries(files)) {
    const target = join(directory, path);
    try {
      await makeFolder(dirname(target));
      await writeFile(target, text, { flag: "wx" });
    } catch (cause) {
      throw new OutriggerError("tree-invalid", `Cannot write ${target}: ${inputFault(cause)}`, { path, cause });
    }
  }
}
