// A process that lives as long as a run does: one Vitest, which runs the tests that it is sent against one mutated file.
// Each run has a fresh module graph; what does not change stays transformed. The parent process ends it when a mutant loops.
import { resolve } from "node:path";
import { BaseSequencer, createVitest, type TestModule } from "vitest/node";
import { bundledReleaseVitePlugin } from "../../scripts/build/bundled-release.ts";
import type { Job, Verdict } from "./runner.ts";

const root = resolve(import.meta.dirname, "../..");
/** The test file that runs. */
let running: string | undefined;
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
    reporters: [
      {
        onTestModuleStart: (module) => {
          running = module.relativeModuleId;
        },
        onTestModuleEnd: () => {
          running = undefined;
        },
      },
    ],
    setupFiles: ["tools/mutation/same-seed.ts", "test/support/quick-compression.ts"],
    // The limit of a job is of processor time: on a busy machine, waiting for a processor is no fault.
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
  { plugins: [bundledReleaseVitePlugin(), mutantPlugin] },
);

/** Milliseconds between two looks at the processor time. */
const LOOK = 500;
/** So many looks in which a test takes next to no processor time: it waits for what never comes. */
const IDLE_LOOKS = 60;
const NEXT_TO_NONE = 200;

/** Tests run in a thread of their own, so that this one notices when they loop. */
async function run(job: Job): Promise<Verdict> {
  const started = process.cpuUsage();
  const spent = (): number => {
    const { user, system } = process.cpuUsage(started);
    return (user + system) / 1000;
  };
  let isCut = false;
  let seen: { readonly file: string; readonly at: number } | undefined;
  let idle = { looks: 0, since: 0 };
  const watch = setInterval(() => {
    const now = spent();
    if (running !== seen?.file) seen = running === undefined ? undefined : { file: running, at: now };
    idle = now - idle.since > NEXT_TO_NONE ? { looks: 0, since: now } : { ...idle, looks: idle.looks + 1 };
    const isEndless = seen !== undefined && now - seen.at > (job.limits[seen.file] ?? Number.POSITIVE_INFINITY);
    if (isEndless || idle.looks > IDLE_LOOKS) {
      clearInterval(watch);
      process.send?.({ outcome: "timeout", ...defined(seen?.file), milliseconds: Math.round(now) } satisfies Verdict);
    } else if (now > job.budget && !isCut) {
      isCut = true;
      vitest.cancelCurrentRun("keyboard-input");
    }
  }, LOOK);
  try {
    return { ...(await judge(job)), milliseconds: Math.round(spent()), isCut };
  } finally {
    clearInterval(watch);
  }
}

const defined = (by: string | undefined) => (by === undefined ? {} : { by });

async function judge({ file, code, tests }: Job): Promise<Omit<Verdict, "milliseconds">> {
  forget();
  mutated = code === undefined ? undefined : { file: resolve(root, file), code };
  forget();
  running = undefined;
  const project = vitest.getRootProject();
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(
    tests.map((test) => project.createSpecification(resolve(root, test))),
  );
  const failed = testModules.find((module) => !module.ok());
  const times = Object.fromEntries(testModules.filter((module) => module.state() === "passed").map(timeOf));
  if (failed !== undefined) return { outcome: "killed", by: failed.relativeModuleId, reason: reasonOf(failed), times };
  if (unhandledErrors.length > 0) return { outcome: "killed", by: String(unhandledErrors[0]), times };
  const count = testModules.reduce((sum, module) => sum + [...module.children.allTests("passed")].length, 0);
  return { outcome: count > 0 ? "survived" : "no tests", times };
}

function timeOf(module: TestModule): readonly [file: string, milliseconds: number] {
  const { collectDuration, duration, setupDuration } = module.diagnostic();
  return [module.relativeModuleId, Math.round(collectDuration + duration + setupDuration)];
}

function reasonOf(module: TestModule): string {
  const [test] = module.children.allTests("failed");
  const [error] = test?.result().errors ?? module.errors();
  return `${test?.fullName ?? "it cannot be loaded"}: ${error?.message?.split("\n", 1)[0] ?? "no message"}`;
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
