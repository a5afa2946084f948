// `npm run docs:pictures`: the pictures of terminals and of the dashboard in docs/images, from the built command line and from
// infra/dashboard.yml. The studio's are made by `npm run studio:screenshots`, diagrams by `npm run site:diagrams`.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildCli } from "./build-bundles.ts";
import { projectRoot } from "./bundled-release.ts";
import { dashboardSvg } from "./pictures/dashboard-svg.ts";
import { readWidgets } from "./pictures/dashboard-widgets.ts";
import { recordScene } from "./pictures/record-scene.ts";
import { SCENES } from "./pictures/scenes.ts";
import { simulateHour } from "./pictures/simulate-hour.ts";
import { terminalSvg } from "./pictures/terminal-svg.ts";

await buildCli();
const folder = join(projectRoot, "docs/images/terminal");
mkdirSync(folder, { recursive: true });
for (const scene of SCENES) {
  const commands = await recordScene(scene);
  writeFileSync(join(folder, `${scene.name}.svg`), terminalSvg(commands));
  console.log(`docs/images/terminal/${scene.name}.svg`);
}
writeFileSync(join(projectRoot, "docs/images/dashboard.svg"), dashboardSvg(readWidgets(), simulateHour()));
console.log("docs/images/dashboard.svg");
