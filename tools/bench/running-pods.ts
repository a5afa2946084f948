// How long judging the pods of a large cluster takes, and how much memory: node --import tsx tools/bench/running-pods.ts. The API
// server and the reader are processes of their own: what is measured is the reader, over HTTP, as `outrigger pods` reads.
import { fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { READER_CACHES } from "@outrigger/rollouts";
import { build } from "esbuild";
import type { ServedPods } from "./serve-pods.ts";

const PODS = process.argv[2] ?? "50000";
const fileOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));

const server = fork(fileOf("serve-pods.ts"), [PODS]);
const served = await new Promise<ServedPods>((resolve, reject) => {
  server.once("message", (message) => resolve(message as ServedPods));
  server.once("exit", () => reject(new Error("the API server has ended")));
});
const folder = mkdtempSync(join(tmpdir(), "outrigger-read-pods-"));
try {
  const outfile = join(folder, "read-pods.mjs");
  const require = 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);';
  await build({
    entryPoints: [fileOf("read-pods.ts")],
    outfile,
    bundle: true,
    minify: true,
    platform: "node",
    format: "esm",
    banner: { js: require },
  });
  console.log(`${Math.round(served.bytes / 1e6)} MB of pods`);
  const reader = fork(outfile, { execArgv: [] });
  reader.send({ ...served, caches: READER_CACHES });
  process.exitCode = await new Promise<number>((resolve) => reader.once("exit", (code) => resolve(code ?? 1)));
} finally {
  rmSync(folder, { recursive: true });
  server.disconnect();
}
