// Where the time of a request goes: a CPU profile, each sample counted for the stage whose function is nearest above
// it on the stack. Works on a bundle that is not minified; what is outside of every stage is "rest". What makes the requests is
// left out: it is no part of them.
import type { Profiler } from "node:inspector";
import { Session } from "node:inspector/promises";
import { ofNewWorkload } from "./new-workload.ts";

/** Shares (0 to 1) by stage. */
export type Shares = Readonly<Record<string, number>>;

/** The stage of each function. The names are those of the sources; any other function counts for its caller. */
const STAGE_OF = new Map(
  Object.entries({
    parseEvent: "parse",
    decodeReview: "parse",
    readBody: "parse",
    requestOf: "parse",
    decide: "decide",
    validateAnnotations: "decide",
    begin: "decide",
    undoInjection: "decide",
    selectTemplates: "decide",
    renderOverlays: "merge",
    mergeOverlays: "merge",
    render: "render",
    templateData: "render",
    applyOverrides: "post-process",
    alignProxyUser: "post-process",
    injectPod: "post-process",
    createPatch: "diff",
    checkPatch: "check",
    assertAccepted: "acceptance",
    encodeAllowed: "response",
    resultOf: "response",
    stringifyResult: "response",
    formatPatch: "print",
    controllerOf: "memory",
    replicaOf: "memory",
    rememberedOf: "memory",
    logAdmission: "log",
    traceIdOf: "log",
    recordOf: "log",
    admit: "admission",
  }),
);

/** Shares (0 to 1) by stage of what `run` spends. */
export async function profileStages(run: () => Promise<void>): Promise<Shares> {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.setSamplingInterval", { interval: 100 });
  await session.post("Profiler.start");
  await run();
  const { profile } = await session.post("Profiler.stop");
  session.disconnect();
  return sharesOf(profile);
}

function sharesOf({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): Shares {
  const stages = stagesOfNodes(nodes);
  const spent = new Map<string, number>();
  let total = 0;
  for (const [index, sample] of samples.entries()) {
    const stage = stages.get(sample);
    if (stage === undefined) continue;
    const time = timeDeltas[index] ?? 0;
    spent.set(stage, (spent.get(stage) ?? 0) + time);
    total += time;
  }
  const shares = [...spent].map(([stage, time]) => [stage, time / total] as const);
  return Object.fromEntries(shares.toSorted(([, a], [, b]) => b - a));
}

/**
 * Returns the stage of each node by its id. Garbage collection is a stage of its own; idle time, and that of the
 * profiler and the harness, are left out.
 */
function stagesOfNodes(nodes: readonly Profiler.ProfileNode[]): ReadonlyMap<number, string> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const stages = new Map<number, string>();
  const visit = (node: Profiler.ProfileNode | undefined, inherited: string): void => {
    if (node === undefined) return;
    const name = node.callFrame.functionName;
    if (LEFT_OUT.has(name)) return;
    const stage = name === "(garbage collector)" ? "garbage" : (STAGE_OF.get(baseName(name)) ?? inherited);
    stages.set(node.id, stage);
    for (const child of node.children ?? []) visit(byId.get(child), stage);
  };
  visit(nodes[0], "rest");
  return stages;
}

const LEFT_OUT: ReadonlySet<string> = new Set(["(idle)", "(program)", "post", ofNewWorkload.name]);

/** esbuild adds a number where two files have a function of the same name. */
function baseName(name: string): string {
  return name.replace(/\d+$/, "").replace(/^.*\./, "");
}
