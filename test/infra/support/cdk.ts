// The CDK's library: 186 MB, so it is no dependency; .ci/run puts it where it is found here.
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The folder `node_modules` that has it, or what is lacking. */
export function findCdk(): { readonly modules: string; readonly lacking?: string } {
  const modules = fileURLToPath(new URL("../../../.runtime/cdk/node_modules", import.meta.url));
  const { dependencies } = JSON.parse(readFileSync(new URL("cdk-requirements.json", import.meta.url), "utf8"));
  const wanted = dependencies["aws-cdk-lib"];
  const file = `${modules}/aws-cdk-lib/package.json`;
  if (existsSync(file) && JSON.parse(readFileSync(file, "utf8")).version === wanted) return { modules };
  return { modules: "", lacking: `no aws-cdk-lib ${wanted} in .runtime/cdk: .ci/run installs it` };
}
