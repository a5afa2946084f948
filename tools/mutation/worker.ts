// A process that lives as long as a run does: one Vitest, which runs the tests that it is sent against one mutated file.
// Each run has a fresh module graph; what does not change stays transformed. The parent process ends it when a mutant loops.
import { resolve } from "node:path";
import { BaseSequencer, createVitest } from "vitest/node";
import { bundledReleaseVitePlugin } from "../../scripts/build/bundled-release.ts";
import type { Job, Verdict } from "./runner.ts";

const root = resolve(import.meta.dirname, "../..");
let mutated: { readonly file: string; readonly code: string } | undefined;

const mutantPlugin = {
  name: "mutant",
  enforce: "pre" as const,
  load: (id: string) => (id === mutated?.file ? mutated.code : undefined),
};

/** Vitest runs what took longest first. The order of a job is from the tests that are likely to fail soon to the others. */
class AsSent extends BaseSequencer {
  override sort: BaseSequencer["sort"] = async (files) => files;
}

const vitest = await createVitest(
  "test",
  {
    config: false,
    root,
    watch: false,
    include: ["**/*.test.ts"],
    isolate: false,
    pool: "threads",
    maxWorkers: 1,
    fileParallelism: false,
    bail: 1,
    sequence: { sequencer: AsSent },
    reporters: [{}],
    setupFiles: ["tools/mutation/same-seed.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
  { plugins: [bundledReleaseVitePlugin(), mutantPlugin] },
);

/** Tests run in a thread of their own, so that this one notices when they loop. */
async function run(job: Job): Promise<Verdict> {
  const started = process.cpuUsage();
  const spent = (): number => {
    const { user, system } = process.cpuUsage(started);
    return (user + system) / 1000;
  };
  const watch = setInterval(() => {
    if (spent() < job.limit) return;
    clearInterval(watch);
    process.send?.({ outcome: "timeout", milliseconds: job.limit } satisfies Verdict);
  }, 500);
  try {
    return { ...(await judge(job)), milliseconds: Math.round(spent()) };
  } finally {
    clearInterval(watch);
  }
}

async function judge({ file, code, tests }: Job): Promise<Omit<Verdict, "milliseconds">> {
  forget();
  mutated = code === undefined ? undefined : { file: resolve(root, file), code };
  forget();
  const project = vitest.getRootProject();
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(
    tests.map((test) => project.createSpecification(resolve(root, test))),
  );
  const failed = testModules.find((module) => !module.ok());
  if (failed !== undefined) return { outcome: "killed", by: failed.relativeModuleId };
  if (unhandledErrors.length > 0) return { outcome: "killed", by: String(unhandledErrors[0]) };
  const count = testModules.reduce((sum, module) => sum + [...module.children.allTests("passed")].length, 0);
  return { outcome: count > 0 ? "survived" : "no tests" };
}

/** Forgets the mutated file and the results of the last run, which would count against `bail`. */
function forget(): void {
  if (mutated !== undefined) vitest.invalidateFile(mutated.file);
  vitest.state.filesMap.clear();
  vitest.state.idMap.clear();
  vitest.state.errorsSet.clear();
}

process.on("message", (job: Job) => {
  run(job).then(
    (verdict) => process.send?.(verdict),
    (error: unknown) => process.send?.({ outcome: "killed", by: String(error), milliseconds: 0 } satisfies Verdict),
  );
});
process.send?.("ready");
