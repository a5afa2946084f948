// Taking a release back wherever it is served: one rollback for each channel, as a person would ask for it.
import { OutriggerError, ownError } from "@outrigger/base";
import type { Published } from "@outrigger/cluster";
import { openDeployment } from "../connect/deployment.ts";
import { readChannel } from "../options/reference.ts";
import type { Io } from "../terminal/io.ts";
import { printResult, warn, withProgress } from "../terminal/print.ts";
import { type AskOptions, askOnce } from "./ask-and-print.ts";
import { printEffects } from "./look-first.ts";
import { readChannels } from "./read-records.ts";

/**
 * Rolls back every channel that serves what a channel serves, to all or to a share of its workloads. The channel itself is the first: it is
 * pinned then, and what follows it takes nothing from it. One that is refused keeps none of the others.
 *
 * @throws OutriggerError of the first refusal, with all of them
 */
export async function rollBackEverywhere(channel: string, options: AskOptions, io: Io): Promise<void> {
  const deployment = await openDeployment(options, io);
  const first = await readChannel(deployment, channel);
  const release = first.share?.release ?? first.release;
  const others = Object.entries(await readChannels(deployment, io)).filter(([name]) => name !== channel);
  const serving = [[channel, first] as const, ...others].filter(
    ([, record]) => record.release === release || record.share?.release === release,
  );
  const answers: Published[] = [];
  const refused: { readonly channel: string; readonly error: OutriggerError }[] = [];
  for (const [name, { share }] of serving) {
    try {
      // Where a share is of another release, it is the channel's own that goes.
      const asked = share === undefined || share.release === release ? options : { ...options, steps: 1 };
      const answer = await withProgress(io, () =>
        askOnce({ action: "rollback", channel: name }, asked, deployment, io),
      );
      printEffects(answer.effects ?? [], io);
      for (const warning of answer.warnings) warn(warning, io);
      answers.push(answer);
    } catch (error) {
      refused.push({ channel: name, error: ownError(error) });
    }
  }
  const said = [...answers, ...refused.map(({ channel: name, error }) => ({ message: `${name}: ${error.message}` }))];
  const end = options.dryRun === true ? " (dry run: nothing was written)" : "";
  const value = [
    ...answers,
    ...refused.map(({ channel: name, error: { code, message } }) => ({ channel: name, code, message })),
  ];
  printResult(io, options.json, value, said.map(({ message }) => `${message}${end}`).join("\n"));
  const [worst] = refused;
  if (worst === undefined) return;
  const names = refused.map(({ channel: name }) => name).join(", ");
  const message = `${release} is still served by ${names}: ${worst.error.message}`;
  throw new OutriggerError(worst.error.code, message, { path: worst.channel });
}
