// `node --import tsx tools/bench/publisher-calls.ts --help` prints the usage. How many calls of Parameter Store the publisher makes, counted by the fake, with
// full pages: the tables of docs/contributing/publishing.md.
import { createHash } from "node:crypto";
import { packFast } from "../../test/support/pack-quickly.ts";
import { publisherSetup } from "../../test/support/publisher-setup.ts";
import { toolOptions } from "../support/tool-options.ts";

toolOptions({
  command: "node --import tsx tools/bench/publisher-calls.ts",
  says: "Prints how many calls of Parameter Store the publisher makes, for the tables of docs/contributing/publishing.md.",
  example: "node --import tsx tools/bench/publisher-calls.ts",
});

const MINUTE = 60_000;
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

function setupOf() {
  const setup = publisherSetup({ seed: false, pack: packFast });
  const counted = async (request: Parameters<typeof setup.run>[0]) => {
    setup.store.forgetCalls();
    const result = await setup.run(request);
    if (!result.ok) throw new Error(result.error.message);
    const { PutParameter: puts = 0, DeleteParameters: deletes = 0, ...reads } = setup.store.calls();
    return { reads: Object.values(reads).reduce((sum, count) => sum + count, 0), writes: puts + deletes };
  };
  const register = (number: number) => {
    const tokens = [{ sha256: sha256(`${number}`), created: "2026-01-02T03:04:05Z" }];
    return counted({
      action: "put-cluster",
      cluster: `c${number}`,
      record: { revisions: { default: "stable" }, arn: "", tokens },
    });
  };
  return { ...setup, counted, register };
}

type Count = Awaited<ReturnType<ReturnType<typeof setupOf>["counted"]>>;

function show(what: string, { reads, writes }: Count): void {
  console.log(`${what.padEnd(62)} ${String(reads).padStart(4)} reads ${String(writes).padStart(4)} writes`);
}

async function publications(clusters: number): Promise<void> {
  const { edit, counted, register, clock } = setupOf();
  await edit("mesh", "a");
  await counted({ action: "publish" });
  for (let number = 0; number < clusters; number++) await register(number);
  clock.time += 20 * MINUTE;
  await edit("mesh", "b");
  await counted({ action: "publish" });
  clock.time += MINUTE;
  const suffix = clusters === 0 ? "" : `, ${clusters} clusters`;
  await edit("mesh", "c");
  show(`publish a change${suffix}`, await counted({ action: "publish" }));
  show(`publish what is served already${suffix}`, await counted({ action: "publish" }));
  show(`roll back${suffix}`, await counted({ action: "rollback", channel: "stable" }));
}

async function registrations(pause: number, what: string): Promise<void> {
  const { edit, counted, register, clock } = setupOf();
  await edit("mesh", "a");
  await counted({ action: "publish" });
  const counts: Count[] = [];
  for (let number = 0; number < 60; number++) {
    clock.time += pause;
    counts.push(await register(number));
  }
  const totals = counts.map(({ reads, writes }) => reads + writes);
  const sum = totals.reduce((a, b) => a + b, 0);
  console.log(`60 registrations, ${what}: ${Math.min(...totals)} to ${Math.max(...totals)} calls each, ${sum} in all`);
}

await publications(0);
await publications(100);
await registrations(10_000, "one in 10 s");
await registrations(MINUTE, "one a minute");
await registrations(4 * MINUTE, "one in 4 minutes");
