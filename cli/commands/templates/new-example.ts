// `outrigger new example`: starts a source tree from one that is known to work.
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { OutriggerError, suggestName, usageError } from "@outrigger/base";
import { readExamples } from "@outrigger/publisher";
import type { Command } from "commander";
import { fileFault } from "../../manifests/read-input.ts";
import { makeFolder } from "../../project/make-folder.ts";
import type { Io } from "../../terminal/io.ts";
import { printResult, table } from "../../terminal/print.ts";
import { directoryOf } from "../../tree/read-trees.ts";
import { isThere } from "../../tree/source-files.ts";

interface NewExampleOptions {
  readonly dir?: string;
  readonly json?: true;
}

/** @param parent the command `new` */
export function addNewExampleCommand(parent: Command, io: Io): void {
  parent
    .command("example")
    .description("write a source tree to start from, with its tests; without a name, list them")
    .argument("[example]", "its name")
    .option("--dir <dir>", "the directory to write to (default: the current one)")
    .option("--json", "print the list as JSON")
    .action((name: string | undefined, options: NewExampleOptions) => runNewExample(name, options, io));
}

async function runNewExample(name: string | undefined, { dir, json }: NewExampleOptions, io: Io): Promise<void> {
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
  await writeExample(example, directoryOf(dir, io));
  const place = dir ?? ".";
  const count = Object.keys(example.files).length;
  io.stdout.write(`Wrote ${count} files to ${place}\n`);
  io.stdout.write(`Read ${join(place, "README.md")}, then: outrigger test ${place}\n`);
}

/** Writes nothing if one of the files exists. */
async function writeExample(
  { name, files }: Awaited<ReturnType<typeof readExamples>>[number],
  directory: string,
): Promise<void> {
  for (const path of Object.keys(files)) {
    if (!(await isThere(join(directory, path)))) continue;
    throw usageError(`Cannot write ${path}: it exists already; choose another directory with --dir`, {
      path,
    });
  }
  for (const [path, text] of Object.entries(files)) {
    const target = join(directory, path);
    try {
      await makeFolder(dirname(target));
      await writeFile(target, text, { flag: "wx" });
    } catch (cause) {
      const message = `Cannot write example ${name}: ${target}: ${fileFault(cause)}`;
      throw new OutriggerError("tree-invalid", message, { path, cause });
    }
  }
}
