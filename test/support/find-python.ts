// Python tools of the tests, in the version that test/support/requirements.txt names: another one gives other answers, and is not used.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/**
 * The Python that has a tool: `.runtime/python`, which `.ci/run` makes, or the one on the path; or what is lacking.
 *
 * @param besides a package that the tool needs, in any version
 */
export function findPython(tool: string, besides = tool): { readonly python: string; readonly lacking?: string } {
  const own = fileURLToPath(new URL("../../.runtime/python/bin/python", import.meta.url));
  const lines = readFileSync(new URL("requirements.txt", import.meta.url), "utf8").split("\n");
  const line = lines.find((text) => text.startsWith(`${tool}[`) || text.startsWith(`${tool}=`));
  const required = /==([\d.]+\.)\*$/.exec(line ?? "")?.[1];
  if (required === undefined) throw new Error(`Cannot find the version of ${tool} in test/support/requirements.txt`);
  const asked = `import importlib.metadata as m; m.version('${besides}'); print(m.version('${tool}'))`;
  for (const python of [own, "python3"]) {
    if (python === own && !existsSync(own)) continue;
    try {
      const version = execFileSync(python, ["-c", asked], { stdio: "pipe", timeout: 20_000, encoding: "utf8" });
      if (version.startsWith(required)) return { python };
    } catch {
      // Not this one.
    }
  }
  return { python: "", lacking: `no Python with ${tool} ${required}x: pip install -r test/support/requirements.txt` };
}
