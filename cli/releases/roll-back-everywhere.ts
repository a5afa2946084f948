// Taking a release back wherever it is served: one rollback for each channel, as a person would ask for it.
import { OutriggerError, ownError } from "@outrigger/base";
import type { Published } from "@outrigger/cluster";
import type { ChannelRecord } from "@outrigger/publisher";
import { openDeployment } from "../connect/deployment.ts";
import { readChannel } from "../options/reference.ts";
import type { Io } from "../terminal/io.ts";
import { printResult, warn, withProgress } from "../terminal/print.ts";
import { type AskOptions, askOnce } from "./ask-and-print.ts";
import { printEffects } from "./look-first.ts";
import { readChannels } from "./read-records.ts";
import { ringDepth } from "./rings.ts";
import { servedSince } from "./served-since.ts";

/**
 * Rolls back every channel that serves what a channel serves, to all or to a share of its workloads, the one that came to serve it last
 * first. A ring that takes the release meanwhile goes back too. One that is refused keeps none of the others.
 *
 * The channel that is named is the last: the same command, run again after an interruption, is about the same release.
 *
 * @throws OutriggerError of the first refusal, with all of them
 */
export async function rollBackEverywhere(channel: string, options: AskOptions, io: Io): Promise<void> {
  const deployment = await openDeployment(options, io);
  const { release: own, share: part } = await readChannel(deployment, channel);
  const release = part?.release ?? own;
  const answers: Published[] = [];
  const refused: { readonly channel: string; readonly error: OutriggerError }[] = [];
  const rollBack = async (name: string, { share }: ChannelRecord) => {
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
  };
  const asked = new Set<string>();
  while (true) {
    const channels = await readChannels(deployment, io);
    const serving = newestFirst(channels, release).filter((name) => !asked.has(name));
    if (serving.length === 0) break;
    for (const name of serving.toSorted((one, other) => Number(one === channel) - Number(other === channel))) {
      asked.add(name);
      await rollBack(name, channels[name] as ChannelRecord);
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

type Channels = Readonly<Record<string, ChannelRecord>>;

/** The channels that serve a release, those first that came to serve it last; of two at the same time, the one that follows. */
function newestFirst(channels: Channels, release: string): readonly string[] {
  const serves = (move: Pick<ChannelRecord, "release" | "share">) =>
    move.release === release || move.share?.release === release;
  const serving = Object.entries(channels).flatMap(([name, record]) =>
    serves(record) ? [{ name, since: servedSince(record, serves), depth: ringDepth(name, channels) }] : [],
  );
  return serving
    .sort((one, other) => (one.since === other.since ? other.depth - one.depth : one.since < other.since ? 1 : -1))
    .map(({ name }) => name);
}
