import { readFileSync } from "node:fs";
import { readSourceTree } from "@outrigger/publisher";
import { compileRelease, loadRelease, injectPod } from "@outrigger/injector";
const tree = await readSourceTree("templates");
const injector = loadRelease(compileRelease([tree, {}]));
for (const line of readFileSync("/work/shared/bench/pods.jsonl", "utf8").trim().split("\n")) {
  const one = JSON.parse(line); const pod = one.pod ?? one.request?.object ?? one.object ?? one;
  const once = () => injectPod(injector, { pod, namespace: "shop", parameters: {} } as never);
  try { once(); } catch (e) { console.log(one.name, String(e).slice(0,100)); continue; }
  for (let i = 0; i < 300; i++) once();
  let best = Infinity;
  for (let r = 0; r < 8; r++) { const t = process.cpuUsage(); for (let i = 0; i < 200; i++) once(); const d = process.cpuUsage(t); best = Math.min(best, (d.user + d.system) / 200); }
  console.log(one.name, best.toFixed(0), "µs");
}
