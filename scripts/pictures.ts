// `npm run docs:pictures`: the pictures of terminals in docs/images, from the built command line. The studio's are made by
// `npm run studio:screenshots`, diagrams by `npm run site:diagrams`; the dashboard's is a file (docs/contributing/development.md).
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildCli } from "./build/build-bundles.ts";
import { projectRoot } from "./build/bundled-release.ts";
import { recordScene } from "./pictures/record-scene.ts";
import { SCENES } from "./pictures/scenes.ts";
import { terminalSvg } from "./pictures/terminal-svg.ts";

await buildCli();
const folder = join(projectRoot, "docs/images/terminal");
mkdirSync(folder, { recursive: true });
for (const scene of SCENES) {
  const commands = await recordScene(scene);
  writeFileSync(join(folder, `${scene.name}.svg`), terminalSvg(commands));
  console.log(`docs/images/terminal/${scene.name}.svg`);
}
