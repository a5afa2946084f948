// Objects of a cluster that a command prints for those who apply them.
import type { JsonObject } from "@outrigger/base";
import { formatYaml } from "@outrigger/yaml";
import { type Command, Option } from "commander";
import type { Io } from "../../terminal/io.ts";

/** Gives a command that prints objects the options of their form. */
export function withObjectOptions(command: Command): Command {
  return command
    .option("--json", "print a List as JSON instead of YAML documents")
    .addOption(new Option("-o, --output <format>", "how they are printed").choices(["yaml", "json"]));
}

/** For kubectl: YAML documents, or a List as JSON. */
export function printObjects(items: readonly JsonObject[], json: true | undefined, { stdout }: Io): void {
  if (json === true) stdout.write(`${JSON.stringify({ apiVersion: "v1", kind: "List", items }, undefined, 2)}\n`);
  else stdout.write(items.map((item) => formatYaml(item)).join("---\n"));
}
