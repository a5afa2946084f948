import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { messageType } from "@outrigger/mesh";
import { POD_TYPE, type TypeSchema } from "@outrigger/pod";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";
import { projectRoot, shared } from "./bundled-release.ts";
import { KEPT_MESSAGES, shortTypeNames } from "./short-type-names.ts";

/** The whole schema as text: no type of a Pod contains itself. */
function textOf(type: TypeSchema): string {
  return JSON.stringify(type, (_, value) => (value instanceof Map ? [...value] : value));
}

/** Every field that a message can have, each path of types once, without the types' names. */
function fieldsText(typeOf: typeof messageType, name: string, above: readonly string[] = []): string {
  const type = typeOf(name);
  if (type?.kind !== "message" || above.includes(name)) return type?.kind ?? name;
  const nameless = type.fields.map(({ type: of, ...field }) => [field, fieldsText(typeOf, of, [...above, name])]);
  return JSON.stringify(nameless);
}

async function bundled(plugins: Parameters<typeof build>[0]["plugins"], contents: string) {
  const stdin = { contents, resolveDir: projectRoot };
  const { outputFiles } = await build({
    ...shared,
    stdin,
    format: "esm",
    minify: true,
    write: false,
    plugins: plugins ?? [],
  });
  return outputFiles[0]?.text ?? "";
}

async function imported(text: string) {
  return import(`data:text/javascript,${encodeURIComponent(text)}`);
}

describe("shortTypeNames()", () => {
  it("leaves the schema of a Pod what it is, in 3 KB less", async () => {
    const contents = 'export { POD_TYPE } from "@outrigger/pod"';
    const text = await bundled([shortTypeNames()], contents);
    const { POD_TYPE: short } = await imported(text);
    expect(textOf(short)).toBe(textOf(POD_TYPE));
    expect(text.length).toBeLessThan((await bundled([], contents)).length - 3000);
  });

  it("leaves the messages of the mesh what they are, in 8 KB less", async () => {
    const contents = 'export { messageType } from "@outrigger/mesh"';
    const text = await bundled([shortTypeNames()], contents);
    const { messageType: short } = await imported(text);
    for (const name of KEPT_MESSAGES) {
      const fields = fieldsText(messageType, name);
      expect(fields.length, name).toBeGreaterThan(100);
      expect(fieldsText(short, name)).toBe(fields);
    }
    expect(text.length).toBeLessThan((await bundled([], contents)).length - 8000);
  });

  it("keeps each message that code asks for by name", () => {
    const files = readdirSync(join(projectRoot, "lib"), { recursive: true, encoding: "utf8" });
    const sources = files.filter((file) => /(?<!\.test|\.d)\.ts$/.test(file) && !/generated|node_modules/.test(file));
    const texts = sources.map((file) => readFileSync(join(projectRoot, "lib", file), "utf8").replace(/^ \*.*$/gm, ""));
    const asked = texts.flatMap((text) => text.match(/(?<=["`])(?:mesh|networking|type)\.[A-Z][\w.]*(?=["`])/g) ?? []);
    expect([...new Set(asked)].sort()).toEqual([...KEPT_MESSAGES].sort());
  });
});
