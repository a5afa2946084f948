// The tests that an import writes: one for each sample, with what the tree makes of it now as the expectation.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Release } from "@outrigger/injector";
import { loadRelease, type SourceTree } from "@outrigger/injector";
import { makeFolder } from "../project/make-folder.ts";
import { runTest } from "./run-tests.ts";

/**
 * Writes `tests/<sample>/` for the samples of the tree, or for the shipped ones where it has none.
 *
 * @returns the names of the tests. A sample that cannot be injected has its error as expectation
 */
export async function writeSampleTests(
  directory: string,
  release: Release,
  { tree, shipped }: { readonly tree: SourceTree; readonly shipped: SourceTree },
): Promise<readonly string[]> {
  const own = samplesOf(tree);
  const samples = own.length > 0 ? own : samplesOf(shipped);
  const injector = loadRelease(release);
  for (const [name, pod] of samples) {
    const folder = join(directory, "tests", name);
    await makeFolder(folder);
    await writeFile(join(folder, "pod.yaml"), pod);
    const test = { name, directory: folder, pod, expected: undefined };
    const { outcome, detail } = await runTest(test, injector, true);
    if (outcome === "failed")
      await writeFile(join(folder, "error"), `${detail.replace(/^the injection fails: /, "")}\n`);
  }
  return samples.map(([name]) => name);
}

function samplesOf(tree: SourceTree): readonly (readonly [name: string, pod: string])[] {
  const paths = Object.entries(tree).filter(([path]) => path.startsWith("samples/"));
  return paths.map(([path, pod]) => [path.slice("samples/".length), pod] as const).sort(([a], [b]) => (a < b ? -1 : 1));
}
