// `outrigger print`: what others apply, attach or read: objects, policies, schemas. Makes no calls.
import { suggestName, usageError } from "@outrigger/base";
import { compileRelease, describeHelpers, valuesSchema } from "@outrigger/injector";
import { readSourceTree } from "@outrigger/publisher";
import type { Command } from "commander";
import type { Io } from "../../terminal/io.ts";
import { withResult } from "../../terminal/output-format.ts";
import { printResult } from "../../terminal/print.ts";
import { directoryOf, shippedTree } from "../../tree/read-trees.ts";
import { addPrintRbacCommand, addPrintWebhookCommand } from "./objects.ts";
import { addPrintPolicyCommand } from "./policy.ts";

export function addPrintCommand(program: Command, io: Io): void {
  const print = program
    .command("print")
    .description("print what you apply or attach yourself: webhook, roles, policies, schema, helpers");
  addPrintWebhookCommand(print, io);
  addPrintRbacCommand(print, io);
  addPrintPolicyCommand(print, io);
  addPrintSchemaCommand(print, io);
  addPrintHelpersCommand(print, io);
}

// `outrigger print helpers`: the helpers that templates may call.
type Description = ReturnType<ReturnType<typeof describeHelpers>["get"]> & object;

function addPrintHelpersCommand(print: Command, io: Io): void {
  withResult(print.command("helpers"))
    .description("list the helpers that templates may call")
    .argument("[name]", "one helper")
    .action((name: string | undefined, options: { readonly json?: true }) => runHelpers(name, options, io));
}

function runHelpers(name: string | undefined, { json }: { readonly json?: true }, io: Io): void {
  const helpers = describeHelpers();
  const found = [...helpers].filter(([known]) => name === undefined || known === name);
  const [first] = found;
  if (first === undefined) {
    const near = suggestName(name ?? "", [...helpers.keys()]);
    throw usageError(`Cannot find helper ${JSON.stringify(name)}${near}: "outrigger print helpers" lists them`);
  }
  const width = Math.max(...found.map(([known]) => known.length));
  const lines = found.map(([known, { doc }]) => `${known.padEnd(width)}  ${doc}\n`);
  const text = lines.join("") + (name === undefined ? "" : argumentsOf(first[1]));
  printResult(io, json, Object.fromEntries(found.map(([known, { doc }]) => [known, doc])), text);
}

function argumentsOf({ signature, args }: Description): string {
  const shown = args.map(([argument, meaning]) => [
    argument.endsWith("?") ? `[${argument.slice(0, -1)}]` : argument,
    meaning,
  ]);
  const width = Math.max(0, ...shown.map(([argument = ""]) => argument.length));
  const lines = shown.map(([argument = "", meaning]) => `  ${argument.padEnd(width)}  ${meaning}\n`);
  return `\n${signature}\n${lines.join("")}`;
}

// `outrigger print schema`: a JSON Schema of the values, for editors.
const NOTES = `
Describes every value of the shipped layer, and of the tree where a directory is given. An editor with a YAML language
server checks values files against it. A tree's own rules go into its schema.yaml, a JSON Schema that publishing applies
to the merged values.

Examples:
  outrigger print schema > values.schema.json
  outrigger print schema my-templates > values.schema.json`;

function addPrintSchemaCommand(print: Command, io: Io): void {
  print
    .command("schema")
    .description("print a JSON Schema of the values, for editors")
    .argument("[dir]", "the directory of a source tree, over the shipped one")
    .addHelpText("after", NOTES)
    .action(async (directory: string | undefined) => {
      const own = directory === undefined ? {} : await readSourceTree(directoryOf(directory, io));
      const { values } = compileRelease([await shippedTree(io), own]);
      io.stdout.write(`${JSON.stringify(valuesSchema(values), undefined, 2)}\n`);
    });
}
