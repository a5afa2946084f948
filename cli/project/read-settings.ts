// The settings of a stage as its file has them, for what must be known before a deploy. What is wrong with them, the deploy says.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { objectOf } from "@outrigger/base";
import { parseYaml } from "@outrigger/yaml";

/**
 * Reads settings by their names; one that is not set is left out.
 *
 * @param params `name=value`, which win over the file
 */
export async function readSettings(
  folder: string,
  stage: string,
  params: readonly string[],
): Promise<(name: string) => string | undefined> {
  const file = join(folder, `outrigger.${stage}.yml`);
  const read = async () => parseYaml(await readFile(file, "utf8"), file);
  const inFile = objectOf(await read().catch(() => undefined));
  const pairs = params.map((param) => {
    const [name = "", ...value] = param.split("=");
    return [name, value.join("=")] as const;
  });
  const given = new Map(pairs);
  return (name) => {
    const value = given.get(name) ?? (Object.hasOwn(inFile, name) ? inFile[name] : undefined);
    if (value === undefined || value === null) return undefined;
    // `on` and `off` are words in a file of settings, and true and false in YAML.
    if (typeof value === "boolean") return value ? "on" : "off";
    return Array.isArray(value) ? value.join(",") : String(value);
  };
}
