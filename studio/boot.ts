// The first script of the page, and a small one: starts the worker and asks for the workspace while the page's own script is
// still on its way, and has the worker compile the workspace before the page asks for a preview.

import type { Begun } from "./main.tsx";

/** False where the page belongs to the command line tool; the playground has its workspace in the page. */
declare const IS_PLAYGROUND: boolean;

const worker = new Worker("worker.js", { type: "module" });
const workspace = IS_PLAYGROUND ? undefined : fetch("/api/workspace", { credentials: "same-origin" });
workspace?.then(prepare).catch(() => {
  // The page reads the same answer, and reports what is wrong with it.
});
const { start } = await import("./main.tsx");
const begun: Begun = { worker, workspace };
await start(begun);

async function prepare(response: Response): Promise<void> {
  if (!response.ok) return;
  const { shipped, saved } = await response.clone().json();
  worker.postMessage({ prepare: { shipped, own: saved } });
}
