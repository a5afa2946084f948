// `node --import tsx test/manifests/count-whole-files.ts DIR`: injects each manifest of a directory and counts the files of which
// every byte is kept outside of what the injection touches. It prints the others, and fails below 99.5 %.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { OutriggerError } from "@outrigger/base";
import { compileRelease, injectManifest, injectPod, loadRelease, uninjectManifest } from "@outrigger/injector";
import { readSourceTree } from "@outrigger/publisher";
import { lostText } from "./lost-text.ts";

const BAR = 0.995;
const [directory] = process.argv.slice(2);
if (directory === undefined) throw new Error("Name a directory of manifests");
const injector = loadRelease(compileRelease([await readSourceTree("templates")]));
const count = { files: 0, rejected: 0, withoutPod: 0, injected: 0, whole: 0, onlyAdditions: 0, restored: 0, pods: 0 };
for (const name of readdirSync(directory, { recursive: true, encoding: "utf8" }).sort()) {
  if (/\.(ya?ml|json)$/.test(name)) judge(name, readFileSync(join(directory, name), "utf8"));
}
const share = count.whole / count.injected;
console.log({ ...count, share: `${(100 * share).toFixed(2)} %` });
process.exitCode = share >= BAR ? 0 : 1;

function judge(name: string, text: string): void {
  count.files += 1;
  let pods = 0;
  try {
    const edited = injectManifest(text, {
      source: name,
      inject: (request) => {
        const result = injectPod(injector, request);
        if (result.injected) pods += 1;
        return result;
      },
    });
    if (pods === 0) {
      count.withoutPod += 1;
      if (edited.text !== text) console.log(`${name}: changed, although no pod of it is injected`);
      return;
    }
    count.pods += pods;
    count.injected += 1;
    const lost = lostText(text, edited.text);
    if (lost.length === 0) count.whole += 1;
    else console.log(`${name}: ${JSON.stringify((lost[0] as string).slice(0, 200))}`);
    if (keepsOrder(text, edited.text)) count.onlyAdditions += 1;
    if (uninjectManifest(edited.text, injector, { source: name }).text === text) count.restored += 1;
  } catch (error) {
    if (!(error instanceof OutriggerError)) throw error;
    count.rejected += 1;
    console.log(`${name}: rejected: ${error.code}: ${error.message}`);
  }
}

/** Whether every line is still there, in order. */
function keepsOrder(before: string, after: string): boolean {
  const lines = after.split("\n");
  let at = 0;
  return before.split("\n").every((line) => {
    at = lines.indexOf(line, at) + 1;
    return at > 0;
  });
}
