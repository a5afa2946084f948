// `outrigger helpers`: the helpers that templates may call.

import { OutriggerError, suggestName } from "@outrigger/base";
import { HELPER_ARGUMENTS, HELPER_DOCS, helperSignature } from "@outrigger/injector";
import type { Command } from "commander";
import type { Io } from "../../terminal/io.ts";
import { printResult } from "../../terminal/print.ts";

interface HelpersOptions {
  readonly json?: true;
}

export function addHelpersCommand(program: Command, io: Io): void {
  program
    .command("helpers")
    .description("list the helpers that templates may call")
    .argument("[name]", "one helper")
    .option("--json", "print them as JSON")
    .action((name: string | undefined, options: HelpersOptions) => runHelpers(name, options, io));
}

function runHelpers(name: string | undefined, { json }: HelpersOptions, io: Io): void {
  const found = Object.entries(HELPER_DOCS).filter(([known]) => name === undefined || known === name);
  if (found.length === 0) {
    const near = suggestName(name ?? "", Object.keys(HELPER_DOCS));
    throw new OutriggerError(
      "usage",
      `Cannot find helper ${JSON.stringify(name)}${near}: "outrigger helpers" lists them`,
    );
  }
  const width = Math.max(...found.map(([known]) => known.length));
  const lines = found.map(([known, text]) => `${known.padEnd(width)}  ${text}\n`);
  const text = lines.join("") + (name === undefined ? "" : argumentsOf(name));
  printResult(io, json, Object.fromEntries(found), text);
}

function argumentsOf(name: string): string {
  const args = (HELPER_ARGUMENTS[name] ?? []).map(([argument, meaning]) => [
    argument.endsWith("?") ? `[${argument.slice(0, -1)}]` : argument,
    meaning,
  ]);
  const width = Math.max(0, ...args.map(([argument = ""]) => argument.length));
  const lines = args.map(([argument = "", meaning]) => `  ${argument.padEnd(width)}  ${meaning}\n`);
  return `\n${helperSignature(name)}\n${lines.join("")}`;
}
