import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { toldIn } from "./tool-sentences.ts";
import { chineseToolSentences } from "./zh-tool-sentences.ts";

const FORMS = Object.keys(chineseToolSentences);

/** The sources that write the sentences, and the READMEs that begin with those of the examples: each on one line, without code marks. */
const WRITTEN = ["lib", "studio/model", "docs/examples"]
  .flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => /(?<!\.test)\.ts$|README\.md$/.test(name) && !name.includes("node_modules"))
      .map((name) => readFileSync(join(folder, name), "utf8")),
  )
  .join("\n")
  .replaceAll("\\", "")
  .replaceAll("`", "")
  .replaceAll(/\s+/g, " ");

it.each(FORMS)("the tool writes what is said in Chinese of: %s", (form) => {
  const parts = form
    .split(/\{\w+\}/)
    .map((part) => part.replace(/^would serve|^serves/, "").replace(/^[ ),;:]+|[ (:]+$/g, ""));
  const fixed = parts.filter((part) => part.split(" ").length > 1);
  expect(fixed.filter((part) => !WRITTEN.includes(part))).toEqual([]);
});

it.each(Object.entries(chineseToolSentences))("has the parts of: %s", (form, words) => {
  const parts = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([part]) => part).sort();
  expect(parts(words)).toEqual(parts(form));
});

it.each([
  ["it bakes for 18m more", "还要观察 18m"],
  ["30m without an alarm; none of 412 pods was worse off", undefined],
  [
    "stable would serve b6db (32f5 before), pinned; what changes for pods: entries-gone, image",
    "stable 将提供 b6db（之前是 32f5），并固定；Pod 的变化：entries-gone, image",
  ],
  [
    "stable would serve 32f5 to 50 % of the workloads, and b6db to the others; 100 % every 30m",
    "stable 将为 50 % 的工作负载提供 32f5，为其余的提供 b6db；每 30m 依次为 100 %",
  ],
  ["ring-1 serves it, whatever that may be", undefined],
  [
    'Cannot render template "x": partial "proxy-imge" does not exist, did you mean "proxy-image", as samples/a shows',
    '无法渲染模板 "x"：没有子模板 "proxy-imge"，是否应为 "proxy-image"（见 samples/a）',
  ],
  [
    'canary serves b6db now (32f5 before). No cluster is served from canary, so no pod gets it: serve one with "outrigger clusters set NAME revision.canary=canary", or promote it',
    'canary 现在提供 b6db（之前是 32f5）。没有集群由 canary 提供，因此没有 Pod 会得到它：用 "outrigger clusters set NAME revision.canary=canary" 让一个集群使用它，或推广它',
  ],
  ["it has {braces} in it", undefined],
])("says %j", (text, words) => {
  expect(toldIn(chineseToolSentences, text)).toBe(words);
});
