// `node --import tsx tools/load/load.ts --help` prints the options. Puts the local server (`outrigger start`) under load, in a process of
// its own: first 10,000 whole requests, 100 at once; then as many with slow clients and clients that hang up among them;
// then varied pods for some minutes. Prints times and what is left of the heap; exits 1 if an answer is missing or is
// another's, or if the heap grows.
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { seededRandom } from "@outrigger/fake-aws";
import { buildCli } from "../../scripts/build/build-bundles.ts";
import { projectRoot } from "../../scripts/build/bundled-release.ts";
import { reviewOf } from "../../test/support/gateway-event.ts";
import { podOf } from "../fuzz/pods.ts";
import { toolOptions } from "../support/tool-options.ts";
import { type Answer, closeClients, type Manner, sendReview } from "./send-review.ts";

const options = toolOptions({
  command: "node --import tsx tools/load/load.ts",
  says: [
    "Puts the local server under load, with slow clients and clients that hang up, and then with varied pods for some minutes.",
    "Exits 1 where an answer is missing or belongs to another request, or where the heap grows.",
  ].join("\n"),
  options: {
    requests: { type: "integer", least: 1, value: "N", default: 10000, says: "requests of each of the two loads" },
    "at-once": { type: "integer", least: 1, value: "N", default: 100, says: "requests on their way at the same time" },
    minutes: { type: "number", value: "N", default: 1, says: "minutes of varied pods" },
  },
  example: "node --import tsx tools/load/load.ts --minutes 60",
});
const { requests, "at-once": atOnce } = options;
/** Bytes that the heap may grow by once the caches are full. */
const GROWTH = 30_000_000;

/** The last pod's number: no two requests have the same one. */
let seed = 0;

await buildCli();
const server = await startServer();
try {
  await run("warm-up", 1000, () => "whole");
  const before = await server.heap();
  const whole = await run(`whole requests, ${atOnce} at once`, requests, () => "whole");
  const mixed = await run("a tenth slow, a tenth cut", requests, (random) =>
    random < 0.1 ? "slow" : random < 0.2 ? "cut" : "whole",
  );
  const full = await server.heap();
  const end = performance.now() + options.minutes * 60_000;
  const soak: Answer[] = [];
  while (performance.now() < end) soak.push(...(await run(undefined, 5000, () => "whole")));
  if (soak.length > 0) describe(`soak of ${options.minutes} min`, soak);
  const after = await server.heap();
  const megabytes = [before, full, after].map((bytes) => (bytes / 1e6).toFixed(1)).join(", ");
  console.log(`heap after garbage collection, before, after the load, after the soak: ${megabytes} MB`);
  const answers = [...whole, ...mixed, ...soak];
  const lost = answers.filter(({ manner, isOwn }) => manner !== "cut" && !isOwn);
  if (lost.length > 0) console.log(`${lost.length} requests were not answered: ${JSON.stringify(lost.slice(0, 5))}`);
  if (after - full > GROWTH) console.log("The heap grows");
  if (lost.length > 0 || after - full > GROWTH) process.exitCode = 1;
} finally {
  closeClients();
  server.stop();
}

/** Requests with a pod of their own each, so many at once. */
async function run(title: string | undefined, count: number, mannerOf: (random: number) => Manner) {
  const answers: Answer[] = [];
  let sent = 0;
  const client = async () => {
    while (sent < count) {
      seed += 1;
      sent += 1;
      const random = seededRandom(seed);
      const uid = `load-${seed}`;
      const review = reviewOf({ object: podOf(random), namespace: `namespace-${seed % 50}` });
      const body = JSON.stringify({ ...review, request: { ...(review["request"] as object), uid } });
      answers.push(await sendReview(server.url, body, uid, mannerOf(random())));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, client));
  if (title !== undefined) describe(title, answers);
  return answers;
}

function describe(title: string, answers: readonly Answer[]): void {
  const times = answers
    .filter(({ manner }) => manner === "whole")
    .map(({ milliseconds }) => milliseconds)
    .sort((a, b) => a - b);
  const at = (share: number) => (times[Math.floor((times.length - 1) * share)] ?? 0).toFixed(0);
  const own = answers.filter(({ isOwn }) => isOwn).length;
  const cut = answers.filter(({ manner }) => manner === "cut").length;
  console.log(
    `${title}: ${answers.length} requests, ${own} answered, ${cut} cut; whole ones ${at(0.5)} ms median, ${at(0.99)} ms p99, ${at(1)} ms longest`,
  );
}

async function startServer() {
  const flags = ["--expose-gc", "--require", join(projectRoot, "tools/load/report-heap.cjs")];
  const args = [...flags, join(projectRoot, "dist/outrigger.mjs"), "start", "--http", "--port", "0"];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  child.stdout.resume();
  const said = await saying(child, /(http:\/\/localhost:\d+)/);
  return {
    url: `${said}/inject`,
    heap: async () => {
      const answer = saying(child, /\nheap (\d+)\n/);
      child.kill("SIGUSR2");
      return Number(await answer);
    },
    stop: () => void child.kill("SIGTERM"),
  };
}

/** The first group of what the process writes next that fits. */
function saying({ stdout, stderr }: ChildProcess, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    const timer = setTimeout(() => reject(new Error(`The server said nothing like ${pattern}: ${text}`)), 60_000);
    const take = (chunk: Buffer) => {
      text = (text + chunk.toString()).slice(-5000);
      const found = pattern.exec(text)?.[1];
      if (found === undefined) return;
      clearTimeout(timer);
      stdout?.off("data", take);
      stderr?.off("data", take);
      resolve(found);
    };
    stdout?.on("data", take);
    stderr?.on("data", take);
  });
}
