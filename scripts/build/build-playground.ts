// `node --import tsx scripts/build/build-playground.ts --help` prints the options. The studio as static files that need no server of ours. Nothing
// leaves the browser.
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { readExampleTrees, readSourceTree } from "@outrigger/publisher";
import { createFirstPreview } from "@outrigger/studio";
import { toolOptions } from "../../tools/support/tool-options.ts";
import { buildStudio } from "./build-studio.ts";
import { projectRoot } from "./bundled-release.ts";

const { outdir = "dist/playground" } = toolOptions({
  command: "node --import tsx scripts/build/build-playground.ts",
  says: "Builds the studio as static files that need no server of ours.",
  arguments: { outdir: { value: "DIR", optional: true, says: "where they are written; otherwise dist/playground" } },
  example: "node --import tsx scripts/build/build-playground.ts /tmp/playground",
});
const [shipped, examples] = await Promise.all([
  readSourceTree(join(projectRoot, "templates")),
  readExampleTrees(join(projectRoot, "docs/examples")),
]);
const preview = createFirstPreview()({ shipped, own: {} });
await buildStudio(outdir, { shipped, examples, preview });
const page = resolve(projectRoot, outdir, "index.html");
// The policy that the command line tool sends as a header. Styles are the page's own and CodeMirror's: a static page cannot
// have a nonce that nobody knows.
const policy =
  "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'none'; base-uri 'none'; form-action 'none'";
const head = `<meta http-equiv="Content-Security-Policy" content="${policy}" />`;
// Its workspace is in the page.
const html = readFileSync(page, "utf8").replace(/^.*rel="preload".*\n/m, "");
writeFileSync(page, html.replace("<head>", `<head>\n    ${head}`));
console.log(`The playground is in ${outdir}: serve the folder from anywhere`);
