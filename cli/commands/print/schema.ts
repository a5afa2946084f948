// `outrigger print schema`: a JSON Schema of the values, for editors.

import { compileRelease, valuesSchema } from "@outrigger/injector";
import { readSourceTree } from "@outrigger/publisher";
import type { Command } from "commander";
import type { Io } from "../../terminal/io.ts";
import { directoryOf, shippedTree } from "../../tree/read-trees.ts";

const NOTES = `
Describes every value of the shipped layer, and of the tree where a directory is given. An editor with a YAML language
server checks values files against it. A tree's own rules go into its schema.yaml, a JSON Schema that publishing applies
to the merged values.

Examples:
  outrigger print schema > values.schema.json
  outrigger print schema my-templates > values.schema.json`;

export function addPrintSchemaCommand(print: Command, io: Io): void {
  print
    .command("schema")
    .description("print a JSON Schema of the values, for editors")
    .argument("[dir]", "the directory of a source tree, over the shipped one")
    .addHelpText("after", NOTES)
    .action((directory: string | undefined) => runSchema(directory, io));
}

async function runSchema(directory: string | undefined, io: Io): Promise<void> {
  const own = directory === undefined ? {} : await readSourceTree(directoryOf(directory, io));
  const { values } = compileRelease([await shippedTree(io), own]);
  io.stdout.write(`${JSON.stringify(valuesSchema(values), undefined, 2)}\n`);
}
