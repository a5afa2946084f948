// `outrigger print helpers`: the helpers that templates may call.

import { OutriggerError, suggestName } from "@outrigger/base";
import { describeHelpers } from "@outrigger/injector";
import type { Command } from "commander";
import type { Io } from "../../terminal/io.ts";
import { printResult } from "../../terminal/print.ts";

type Description = ReturnType<ReturnType<typeof describeHelpers>["get"]> & object;

interface HelpersOptions {
  readonly json?: true;
}

export function addPrintHelpersCommand(print: Command, io: Io): void {
  print
    .command("helpers")
    .description("list the helpers that templates may call")
    .argument("[name]", "one helper")
    .option("--json", "print them as JSON")
    .action((name: string | undefined, options: HelpersOptions) => runHelpers(name, options, io));
}

function runHelpers(name: string | undefined, { json }: HelpersOptions, io: Io): void {
  const helpers = describeHelpers();
  const found = [...helpers].filter(([known]) => name === undefined || known === name);
  const [first] = found;
  if (first === undefined) {
    const near = suggestName(name ?? "", [...helpers.keys()]);
    throw new OutriggerError(
      "usage",
      `Cannot find helper ${JSON.stringify(name)}${near}: "outrigger print helpers" lists them`,
    );
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
