// `node --import tsx tools/conformance/follow-release/follow-release.ts --help` prints the options. Follows Istio from a tag to a newer one:
// edits the shipped templates so that the stored pods get what the new chart gives them, keeps what was before as a layer of the
// release before, and proves both.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { valueAt } from "@outrigger/base";
import { compileRelease, type SourceTree } from "@outrigger/injector";
import { ISTIO_RELEASES, type IstioRelease, isIstioRelease, taggedMinor } from "@outrigger/mesh";
import { readSourceTree } from "@outrigger/publisher";
import { toolOptions } from "../../support/tool-options.ts";
import { chartChanges, importChart } from "../import-chart.ts";
import { chartHunks, type Hunk } from "./chart-hunks.ts";
import { layeredFiles } from "./layered-tree.ts";
import { madePods } from "./made-pods.ts";
import { type Edit, placeHunk } from "./place-hunk.ts";
import { countFields, type DifferingPod, differingPods, distance, storedPods } from "./stored-pods.ts";

const { repository, from, to, directory } = toolOptions({
  command: "node --import tsx tools/conformance/follow-release/follow-release.ts",
  says: [
    "Prints what Istio's chart changes from a tag to a newer one, and edits the shipped templates so that pods get what the new",
    "chart gives them. Exits 1 while pods differ.",
  ].join("\n"),
  arguments: {
    repository: { value: "ISTIO_GIT_DIR", says: "the git directory of a clone of istio/istio" },
    from: {
      value: "FROM",
      says: "the tag of the shipped release that is followed so far, or the commit that the development line follows",
    },
    to: { value: "TO", says: "the new tag" },
    directory: { value: "DIR", optional: true, says: "write the files that change there" },
  },
  example:
    "node --import tsx tools/conformance/follow-release/follow-release.ts ~/istio/.git 1.31.0 1.32.0 /tmp/templates",
});
const shipped = await readSourceTree("templates");
const release = releaseOf(from);
const previous = release === "development" ? (ISTIO_RELEASES.at(-2) as IstioRelease) : release;
const base = treeOf(shipped, release);
const [older, newer] = [importChart(repository, from, shipped), importChart(repository, to, base)];

console.log(chartChanges(repository, from, to));
for (const finding of newer.findings) console.log(finding);
console.log(`Code of the injector that changes, to be read:\n${codeChanges(repository, from, to)}`);

const hunks = Object.entries(older.templates)
  .filter(([path]) => path.startsWith("templates/"))
  .flatMap(([path, text]) => chartHunks(path.slice("templates/".length), text, newer.templates[path] ?? ""));
const pods = [...storedPods, ...madePods(hunks)];
const all = `${pods.length} pods (${storedPods.length} stored, the others made for what the chart changes)`;

const before = await differingPods(base, newer.tree, pods);
console.log(`${before.length} of ${all} differ between the shipped templates of ${release} and the chart of ${to}`);
const edits = await neededEdits(before);
const written = { ...layeredFiles(base, edits, previous), ...tagFiles() };
const files = Object.fromEntries(
  Object.entries(written).map(([path, text]) => [path, path.startsWith("releases/") ? (shipped[path] ?? text) : text]),
);
const after = await differingPods({ ...base, ...belowNoRelease(files) }, newer.tree, pods);
const ofPrevious = pods.map((input) => ({ ...input, istio: previous }));
const kept = await differingPods(
  treeOf(shipped, previous),
  treeOf({ ...(release === "development" ? shipped : base), ...files }, previous),
  ofPrevious,
);
for (const [field, count] of countFields(after)) console.log(`${String(count).padStart(4)} ${field}`);
console.log(`${pods.length - after.length} of ${pods.length} get from the new base what the chart of ${to} gives`);
console.log(`${pods.length - kept.length} of ${pods.length} get from ${previous} what they got before`);
console.log(["Files:", ...Object.keys(files).sort()].join("\n  "));
process.exitCode = after.length + kept.length + newer.findings.length === 0 ? 0 : 1;

if (directory !== undefined) {
  for (const [path, text] of Object.entries(files)) {
    const file = join(directory, `${path}.${path.includes("values/") ? "yaml" : "hbs"}`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

/** The edits that bring pods nearer to the new chart, each tried on some of those that differ; prints what happens to each hunk. */
async function neededEdits(differing: readonly DifferingPod[]): Promise<readonly Edit[]> {
  const tries = differing.filter(({ fields }, at) => at % 8 === 0 || fields.some((field) => isRare(field, differing)));
  const inputs = tries.map(({ input }) => input);
  const needed: Edit[] = [];
  let left = distance(tries);
  for (const hunk of hunks) {
    const edit = placeHunk(base, older.templates[`templates/${hunk.template}`] ?? "", hunk);
    if (edit !== undefined && needed.some(({ path, line }) => path === edit.path && line === edit.line)) continue;
    const tried = edit === undefined ? {} : belowNoRelease(layeredFiles(base, [...needed, edit], previous));
    const now = distance(await differingPods({ ...base, ...tried }, newer.tree, inputs));
    if (edit !== undefined && now < left) {
      needed.push(edit);
      left = now;
      report(hunk, `edits ${edit.path}`);
    } else report(hunk, edit === undefined ? "no place is found" : `brings no pod nearer: ${edit.path} stays`);
  }
  return needed;
}

function report({ template, start, removed, added }: Hunk, fate: string): void {
  const lines = [...removed.map((line) => `- ${line}`), ...added.map((line) => `+ ${line}`)];
  console.log([`${template}, line ${start + 1} as imported: ${fate}`, ...lines].join("\n"));
}

function isRare(field: string, pods: readonly DifferingPod[]): boolean {
  return pods.filter(({ fields }) => fields.includes(field)).length < 20;
}

/** The images of a release have its tag. */
function tagFiles(): SourceTree {
  const values = shipped["values/00-default"] ?? "";
  const tag = valueAt(compileRelease([shipped, { config: `istio: ${JSON.stringify(previous)}\n` }]).values, [
    "global",
    "tag",
  ]);
  if (release !== "development" || !/^\d+\.\d+\.\d+$/.test(to) || tag === to) return {};
  return {
    "values/00-default": values.replace(/^ {2}tag: .*$/m, `  tag: ${to}`),
    [`releases/${previous}/values/01-release`]: `global:\n  tag: ${tag}\n`,
  };
}

function codeChanges(git: string, since: string, until: string): string {
  const paths = ["pkg/kube/inject/*.go", ":!pkg/kube/inject/*_test.go"];
  return (
    execFileSync("git", ["-C", git, "diff", "--stat", since, until, "--", ...paths], { encoding: "utf8" }) || "none\n"
  );
}

function releaseOf(tag: string): IstioRelease {
  const minor = taggedMinor(tag);
  const name = minor === undefined ? undefined : `1.${minor}`;
  return isIstioRelease(name) ? name : "development";
}

/** The shipped tree as it is for one release. */
function treeOf(tree: SourceTree, wanted: IstioRelease): SourceTree {
  const layers = [...ISTIO_RELEASES].reverse().slice(0, ISTIO_RELEASES.length - ISTIO_RELEASES.indexOf(wanted));
  const entries = layers.flatMap((layer) =>
    Object.entries(tree)
      .filter(([path]) => path.startsWith(`releases/${layer}/`))
      .map(([path, text]) => [path.slice(`releases/${layer}/`.length), text]),
  );
  return { ...belowNoRelease(tree), ...Object.fromEntries(entries) };
}

function belowNoRelease(tree: SourceTree): SourceTree {
  return Object.fromEntries(Object.entries(tree).filter(([path]) => !path.startsWith("releases/")));
}
