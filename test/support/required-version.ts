// Which version of a Python tool the tests are written for: test/support/requirements.txt. Another one on the path of a
// machine is not used, because its answers may be others.
import { readFileSync } from "node:fs";

/** `5.2.` for `moto[server]==5.2.*`: what a version that fits begins with. */
export function requiredVersion(tool: string): string {
  const lines = readFileSync(new URL("requirements.txt", import.meta.url), "utf8").split("\n");
  const line = lines.find((text) => text.startsWith(`${tool}[`) || text.startsWith(`${tool}=`));
  const version = /==([\d.]+\.)\*$/.exec(line ?? "")?.[1];
  if (version === undefined) throw new Error(`Cannot find the version of ${tool} in test/support/requirements.txt`);
  return version;
}
