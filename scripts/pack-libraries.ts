// `npm run pack:libraries [-- FOLDER]`: the packages of lib/, and the shipped source tree, as tarballs that npm can install. By
// default in dist/packages, next to the folders that they are made from. With `--published`, only those that npm may publish.
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { projectRoot } from "./build/bundled-release.ts";
import { packStaged, stageLibraries } from "./libraries/stage-libraries.ts";

const staging = join(projectRoot, "dist/packages");
const { values, positionals } = parseArgs({ allowPositionals: true, options: { published: { type: "boolean" } } });
const staged = await stageLibraries(staging);
const packages = values.published === true ? staged.filter(({ isPrivate }) => !isPrivate) : staged;
const files = packStaged(packages, resolve(positionals[0] ?? staging));
packages.forEach(({ name, isPrivate }, at) => {
  console.log(`${files[at]}  ${name}${isPrivate ? ", not published" : ""}`);
});
