// The reading of names and numbers on the command line: a text that cannot be one is refused before any call.
import { channelNamePattern, clusterNamePattern, defined, usageError } from "@outrigger/base";
import { LONGEST_BAKE } from "@outrigger/publisher";
import { InvalidArgumentError } from "commander";

/** Reads a text of one form. Of any other, `form` says what it must be. */
export function matching(pattern: RegExp, form: string): (text: string) => string {
  return (text) => {
    if (pattern.test(text)) return text;
    throw new InvalidArgumentError(form);
  };
}

/** Reads a whole number, both bounds included. Of any other text, `form` says what it must be. */
export function wholeNumber(least: number, most: number, form: string): (text: string) => number {
  return (text) => {
    if (/^\d{1,9}$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text);
    throw new InvalidArgumentError(form);
  };
}

export const parseChannelName = matching(
  channelNamePattern,
  "A channel is named in lower-case letters, digits and dashes.",
);

export const parseClusterName = matching(
  clusterNamePattern,
  "A cluster's name has at most 100 letters, digits, dashes and underscores.",
);

/** The beginning of a digest, as git takes that of a commit. */
export const digestPattern = /^[0-9a-f]{4,12}$/;

export const parseReleaseName = matching(
  digestPattern,
  "A release is named by its 12 hexadecimal digits, or the first of them, at least 4 (outrigger releases).",
);

const parsePercent = wholeNumber(0, 100, "A share is a whole number from 0 to 100.");

/** Shares that follow one another: `5,25,100`. */
export function parseShares(text: string): readonly number[] {
  const shares = text.split(",").map(parsePercent);
  if (shares.every((share, index) => index === 0 || share > (shares[index - 1] as number))) return shares;
  throw new InvalidArgumentError("Shares that follow one another grow: 5,25,100.");
}

/** A time, `30m` or `1h30m`, in seconds. */
export function parseDuration(text: string): number {
  const form = /^(?:(\d)d)?(?:(\d{1,3})h)?(?:(\d{1,4})m)?(?:(\d{1,5})s)?$/;
  const [, days = "", hours = "", minutes = "", seconds = ""] = form.exec(text) ?? [];
  const total = Number(days) * 86_400 + Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  if (total >= 60 && total <= LONGEST_BAKE) return total;
  throw new InvalidArgumentError("A time is written as 30m, 1h30m or 1d: a minute to a week.");
}

export const parseParallel = wholeNumber(1, 1000, "It is a whole number from 1 to 1000.");

export const parseRegionName = matching(/^[a-z]{2,}(-[a-z0-9]+)+$/, "A Region is written as eu-west-1 is.");

export const parseRoleArn = matching(
  /^arn:[a-z-]+:iam::\d{12}:role\/[\w+=,.@/-]+$/,
  "A role is named by its ARN: arn:aws:iam::111122223333:role/registrar.",
);

export const stagePattern = /^[a-zA-Z][a-zA-Z0-9-]{0,31}$/;

export const parseStageName = matching(
  stagePattern,
  "A stage has up to 32 letters, digits and dashes, and begins with a letter.",
);

/** A bucket; a dot in its name is none of the host names that its certificate is for. */
export const parseBucketName = matching(
  /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/,
  "A bucket has 3 to 63 lower-case letters, digits and dashes.",
);

/** A port; 0 takes a free one. */
export const parsePort = wholeNumber(0, 65_535, "A port is a number from 0 to 65535.");

export interface ReplicaName {
  readonly stage: string;
  /** The primary's, where it is left out. */
  readonly region?: string;
}

const REPLICA = /^([a-zA-Z][a-zA-Z0-9-]{0,31})(?:@([a-z]{2,4}(?:-[a-z]+)+-\d))?$/;

/** Replicas, separated by commas: `STAGE@REGION`, or `STAGE` in the Region of the primary. */
export function parseReplicas(text: string): readonly ReplicaName[] {
  return text.split(",").map((item) => {
    const [, stage, region] = REPLICA.exec(item) ?? [];
    if (stage !== undefined) return { stage, ...defined({ region }) };
    throw new InvalidArgumentError("Name replicas as STAGE@REGION, separated by commas: prod-b@eu-central-1.");
  });
}

/**
 * The labels of an option that may be given again.
 *
 * @param pairs `key=value` each
 * @throws OutriggerError with the option, and an example
 */
export function parseLabels(
  pairs: readonly string[],
  option: string,
  example: string,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const [, key, value] = /^([^=]+)=(.*)$/.exec(pair) ?? [];
      if (key !== undefined && value !== undefined) return [key, value];
      throw usageError(`Cannot use ${option} ${pair}: write key=value, as in ${example}`);
    }),
  );
}
