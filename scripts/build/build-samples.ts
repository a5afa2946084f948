// `node --import tsx scripts/build/build-samples.ts [-- DIR]`: a page with every component of the studio, for those who change them.
import { buildSamples } from "./build-studio.ts";

const outdir = process.argv[2] ?? "dist/studio-samples";
await buildSamples(outdir);
console.log(`The samples are in ${outdir}: serve the folder, and open index.html`);
