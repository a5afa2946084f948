// Prints how much of Parameter Store's room trees and clusters take, and how much fits: docs/publishing.md's figures.
import { join } from "node:path";
import { importTypeScript, projectRoot } from "./bundled-release.mjs";

const { measureTrees } = await importTypeScript("scripts/support/measure-trees.ts");
for (const line of await measureTrees(join(projectRoot, "templates"))) console.log(line);
