// Prints how much of Parameter Store's space trees and clusters take, and how much fits: docs/contributing/publishing.md's figures.
import { join } from "node:path";
import { projectRoot } from "../../scripts/build/bundled-release.ts";
import { measureTrees } from "./measure-trees.ts";

for (const line of await measureTrees(join(projectRoot, "templates"))) console.log(line);
