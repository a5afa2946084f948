// `npm run pack:libraries -- --help` prints the options. The packages of lib/, and the shipped source tree, as tarballs that npm can install.
import { join, resolve } from "node:path";
import { toolOptions } from "../tools/support/tool-options.ts";
import { projectRoot } from "./build/bundled-release.ts";
import { packStaged, stageLibraries } from "./libraries/stage-libraries.ts";

const staging = join(projectRoot, "dist/packages");
const { folder = staging, published } = toolOptions({
  command: "npm run pack:libraries --",
  says: "Packs the packages of lib/, and the shipped source tree, as tarballs that npm can install.",
  arguments: { folder: { value: "FOLDER", optional: true, says: "where they are written; otherwise dist/packages" } },
  options: { published: { type: "boolean", says: "only those that npm may publish" } },
  example: "npm run pack:libraries -- --published release",
});
const staged = await stageLibraries(staging);
const packages = published ? staged.filter(({ isPrivate }) => !isPrivate) : staged;
const files = packStaged(packages, resolve(folder));
packages.forEach(({ name, isPrivate }, at) => {
  console.log(`${files[at]}  ${name}${isPrivate ? ", not published" : ""}`);
});
