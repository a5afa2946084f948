// Who moved what lately, in all channels of a deployment or of many: what their histories keep, the newest first.
import { OutriggerError, ownError } from "@outrigger/base";
import { type ChannelRecord, MAX_HISTORY } from "@outrigger/publisher";
import type { Deployment } from "../connect/deployment.ts";
import { atMost } from "../fleet/at-most.ts";
import type { Io } from "../terminal/io.ts";
import { printResult, table, warn } from "../terminal/print.ts";
import { readChannels } from "./read-records.ts";

/** A deployment, and how it is opened. */
export interface Place {
  /** For people; undefined where only one is asked. */
  readonly name?: string;
  readonly open: () => Promise<Deployment>;
}

type Move = ChannelRecord["history"][number] & { readonly deployment?: string; readonly channel: string };

/** Deployments that are asked at once. */
const AT_ONCE = 8;

/**
 * Prints the moves since a time. One deployment that cannot be read stops no other.
 *
 * @param channel the one that is asked about; left out: all
 * @param since milliseconds since 1970
 * @throws OutriggerError of the first deployment that could not be read, once the others are printed
 */
export async function printMovesSince(
  places: readonly Place[],
  { channel, since, json }: { readonly channel?: string; readonly since: number; readonly json?: true },
  io: Io,
): Promise<void> {
  const read = await atMost(AT_ONCE, places, (place) => readMoves(place, { ...(channel && { channel }), since }, io));
  const found = read.flatMap((each) => (each instanceof OutriggerError || each === undefined ? [] : [each]));
  const moves = found.flatMap((each) => each.moves).sort((one, other) => Date.parse(other.at) - Date.parse(one.at));
  const hasNames = places.some(({ name }) => name !== undefined);
  const rows = moves.map(({ deployment = "", ...move }) => [
    move.at,
    ...(hasNames ? [deployment] : []),
    ...[move.channel, move.action, servedBy(move), move.by, move.why, move.effects?.join(", ") ?? ""],
  ]);
  const headings = ["WHEN", ...(hasNames ? ["DEPLOYMENT"] : []), "CHANNEL", "WHAT", "RELEASE", "BY", "WHY", "PODS"];
  const none = `No channel was moved since ${new Date(since).toISOString()}\n`;
  const ends = found.flatMap((each) => each.ends).map((end) => `${end}\n`);
  printResult(io, json, moves, `${rows.length === 0 ? none : table(headings, rows)}${ends.join("")}`);
  const failed = read.find((each) => each instanceof OutriggerError);
  if (failed !== undefined) throw failed;
}

async function readMoves(
  { name, open }: Place,
  { channel, since }: { readonly channel?: string; readonly since: number },
  io: Io,
): Promise<{ readonly moves: readonly Move[]; readonly ends: readonly string[] } | OutriggerError> {
  try {
    const channels = await readChannels(await open(), io);
    const asked = Object.entries(channels).filter(([each]) => channel === undefined || each === channel);
    const place = name === undefined ? {} : { deployment: name };
    const moves = asked.flatMap(([each, { history }]) =>
      history.filter(({ at }) => Date.parse(at) >= since).map((move) => ({ ...place, channel: each, ...move })),
    );
    const ends = asked.flatMap(([each, { history }]) => {
      // One with fewer moves may be cut too, where a parameter had no space for more; most that short are whole.
      const oldest = history.length < MAX_HISTORY ? undefined : history.at(-1);
      if (oldest === undefined || Date.parse(oldest.at) < since) return [];
      return `Of ${each}${name === undefined ? "" : ` in ${name}`}, moves before ${oldest.at} are not kept`;
    });
    return { moves, ends };
  } catch (error) {
    const { code, message } = ownError(error);
    if (name === undefined) return new OutriggerError(code, message);
    warn(`${name} is left out: ${message}`, io);
    return new OutriggerError(code, `Cannot read the moves of ${name}: the others are above`);
  }
}

/** `1f2e…, 77aa… to 5 %` */
export function servedBy({ release, share }: Pick<ChannelRecord, "release" | "share">): string {
  return share === undefined ? release : `${release}, ${share.release} to ${share.percent} %`;
}
