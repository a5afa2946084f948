// `node --import tsx tools/conformance/count-warnings.ts --help` prints the options. Counts the warnings of manifests: how many have a pod that is
// injected, and what each of those is warned of.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { compileRelease, injectPod, loadRelease, manifestPods, podWarnings } from "@outrigger/injector";
import { readSourceTree } from "@outrigger/publisher";
import { toolOptions } from "../support/tool-options.ts";

const { folders } = toolOptions({
  command: "node --import tsx tools/conformance/count-warnings.ts",
  says: "Prints the warnings of the manifests below folders, and how many manifests of a pod that is injected have some.",
  arguments: { folders: { value: "FOLDER", several: true, says: "a folder with manifests, in YAML or JSON" } },
  example: "node --import tsx tools/conformance/count-warnings.ts docs/examples",
});
const release = compileRelease([await readSourceTree("templates")]);
const injector = loadRelease(release);
const warningsOf = podWarnings(release);

let injected = 0;
const warned: string[] = [];
for (const folder of folders) {
  for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    /\.(?:ya?ml|json)$/.test(name),
  )) {
    const path = join(folder, file);
    const [isInjected, warnings] = warningsIn(path);
    if (isInjected) injected++;
    if (warnings.length > 0)
      warned.push(`${path}\n${[...new Set(warnings)].map((warning) => `  ${warning}\n`).join("")}`);
  }
}
process.stdout.write(
  `${warned.join("")}${warned.length} of ${injected} manifests with an injected pod have warnings\n`,
);

function warningsIn(path: string): readonly [boolean, readonly string[]] {
  let isInjected = false;
  const warnings: string[] = [];
  try {
    for (const { request } of manifestPods([{ source: path, text: readFileSync(path, "utf8") }], {})) {
      const result = injectPod(injector, request);
      if (result.injected) isInjected = true;
      if (result.injected) warnings.push(...warningsOf(request.pod, result));
    }
  } catch {
    // Not a manifest, or one that is not injected.
  }
  return [isInjected, warnings];
}
