// Counts the warnings of the manifests below folders: how many have a pod that is injected, and what each of those is warned of.
//
//   npx tsx tools/conformance/count-warnings.ts FOLDER...
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { compileRelease, injectPod, loadRelease, manifestPods, podWarnings } from "@outrigger/injector";
import { readSourceTree } from "@outrigger/publisher";

const release = compileRelease([await readSourceTree("templates")]);
const injector = loadRelease(release);
const warningsOf = podWarnings(release);

let injected = 0;
const warned: string[] = [];
for (const folder of process.argv.slice(2)) {
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
