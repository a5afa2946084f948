import { build } from "esbuild";
import { expect, it } from "vitest";
import { projectRoot } from "../../scripts/build/bundled-release.ts";
import { OWN_FILES } from "./own-files.ts";

it("is every file that the tool imports, so that it runs in the last release", async () => {
  const { metafile } = await build({
    entryPoints: ["tools/walk.ts", "scripts/build/shipped-modules.ts", "test/support/pack-quickly.ts"],
    absWorkingDir: projectRoot,
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    target: "esnext",
    outdir: "out",
    metafile: true,
    write: false,
  });
  const others = Object.keys(metafile.inputs).filter(
    (path) => !OWN_FILES.some((own) => path === own || path.startsWith(`${own}/`)),
  );
  expect(others).toEqual([]);
});
