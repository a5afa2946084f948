// The page as it is built for users, once for all tests. In a folder of its own: what packs the project at the same time makes
// dist/studio again.
import type { BundleReport } from "../../scripts/build/build-bundles.ts";
import { buildStudio } from "../../scripts/build/build-studio.ts";

export const PAGE = "dist/.studio-tests";

export async function setup(): Promise<void> {
  await buildPage();
}

export function buildPage(): Promise<readonly BundleReport[]> {
  return buildStudio(PAGE);
}
