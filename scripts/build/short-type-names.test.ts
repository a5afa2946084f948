import { POD_TYPE, type TypeSchema } from "@outrigger/pod";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";
import { projectRoot, shared } from "./bundled-release.ts";
import { shortTypeNames } from "./short-type-names.ts";

/** The whole schema as text: no type of a Pod contains itself. */
function textOf(type: TypeSchema): string {
  return JSON.stringify(type, (_, value) => (value instanceof Map ? [...value] : value));
}

async function bundled(plugins: Parameters<typeof build>[0]["plugins"]) {
  const stdin = { contents: 'export { POD_TYPE } from "@outrigger/pod"', resolveDir: projectRoot };
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

describe("shortTypeNames()", () => {
  it("leaves the schema of a Pod what it is, in 3 KB less", async () => {
    const text = await bundled([shortTypeNames()]);
    const { POD_TYPE: short } = await import(`data:text/javascript,${encodeURIComponent(text)}`);
    expect(textOf(short)).toBe(textOf(POD_TYPE));
    expect(text.length).toBeLessThan((await bundled([])).length - 3000);
  });
});
