// `outrigger values`: the values that a release has, and the line that sets each, as `helm get values --all` with origins.
import { type JsonValue, jsonEqual, valueAt } from "@outrigger/base";
import { traceValues } from "@outrigger/injector";
import { formatYaml, locateYaml } from "@outrigger/yaml";
import type { Command } from "commander";
import { optionTable, takes } from "../../options/option.ts";
import { findRelease, treeOptions } from "../../options/release-options.ts";
import { resultOptions } from "../../options/shared-options.ts";
import { originOfValue } from "../../options/values-options.ts";
import type { Io } from "../../terminal/io.ts";
import { printResult } from "../../terminal/print.ts";
import { shippedTree } from "../../tree/read-trees.ts";

const NOTES = `
Prints the values that templates read: those that come with Outrigger, and over them the tree's, file by file. Behind each is
the file and line that sets it. The output is values that --values takes again.

Examples:
  outrigger values
  outrigger values --dir my-templates
  outrigger values --from stable -o json
  outrigger values --from source --set global.proxy.logLevel=debug`;

const VALUES_OPTIONS = optionTable({ ...treeOptions, ...resultOptions });

export function addValuesCommand(program: Command, io: Io): void {
  takes(program.command("values"), VALUES_OPTIONS)
    .description("show the values of a release, each with the line that sets it")
    .addHelpText("after", NOTES)
    .action(async (options) => {
      const { referred } = await findRelease(options, io);
      const { values } = referred.release;
      if (referred.tree === undefined) {
        io.stderr.write(`The texts that ${referred.name} was made from are not kept any more: no origins are shown\n`);
      }
      const traced = referred.tree === undefined ? [] : traceValues([await shippedTree(io), referred.tree]);
      // A release that another version of Outrigger published may have other shipped values than this one.
      const known = traced.filter(({ steps, value }) => jsonEqual(valueAt(values, steps), value));
      const origins = known.map(({ steps, ...origin }) => [steps, originOfValue(origin, options)] as const);
      const value = {
        release: referred.digest,
        from: referred.name,
        values,
        origins: Object.fromEntries(origins.map(([steps, origin]) => [steps.join("."), origin])),
      };
      printResult(io, options.json, value, annotated(values, origins));
    });
}

function annotated(values: JsonValue, origins: readonly (readonly [steps: readonly (string | number)[], string])[]) {
  const text = formatYaml(values);
  const comments = new Map(
    origins.flatMap(([steps, origin]) => {
      const line = locateYaml(text, steps, "key")?.line;
      return line === undefined ? [] : [[line, origin] as const];
    }),
  );
  const lines = text.trimEnd().split("\n");
  const width = Math.min(WIDEST, Math.max(0, ...lines.map((line) => line.length)));
  return lines
    .map((line, index) => {
      const origin = comments.get(index + 1);
      return origin === undefined ? line : `${line.padEnd(width)}  # ${origin}`;
    })
    .join("\n");
}

/** A longer line does not push the comments of all others to the right. */
const WIDEST = 50;
