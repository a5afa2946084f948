// `npm run pack:libraries [-- FOLDER]`: the packages of lib/, and the shipped source tree, as tarballs that npm can install and
// publish. By default in dist/packages, next to the folders that they are made from.
import { join, resolve } from "node:path";
import { projectRoot } from "./bundled-release.ts";
import { packStaged, stageLibraries } from "./libraries/stage-libraries.ts";

const staging = join(projectRoot, "dist/packages");
const packages = await stageLibraries(staging);
const files = packStaged(packages, resolve(process.argv[2] ?? staging));
packages.forEach(({ name, isPrivate }, at) => {
  console.log(`${files[at]}  ${name}${isPrivate ? ", not published" : ""}`);
});
