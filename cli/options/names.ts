// The reading of names on the command line: a text that cannot be a name is refused before any call.

import { channelNamePattern } from "@outrigger/base";
import { LONGEST_BAKE } from "@outrigger/publisher";
import { InvalidArgumentError } from "commander";

/** A channel's name. */
export function parseChannelName(text: string): string {
  if (channelNamePattern.test(text)) return text;
  throw new InvalidArgumentError("A channel is named in lower-case letters, digits and dashes.");
}

/** The beginning of a digest, as git takes that of a commit. */
export const digestPattern = /^[0-9a-f]{4,12}$/;

/** A release's digest, or its beginning. */
export function parseReleaseName(text: string): string {
  if (digestPattern.test(text)) return text;
  throw new InvalidArgumentError(
    "A release is named by its 12 hexadecimal digits, or the first of them, at least 4 (outrigger releases).",
  );
}

/** A whole number of percent. */
function parsePercent(text: string): number {
  if (/^(\d{1,2}|100)$/.test(text)) return Number(text);
  throw new InvalidArgumentError("A share is a whole number from 0 to 100.");
}

/** Shares that follow one another: `5,25,100`. */
export function parseShares(text: string): readonly number[] {
  const shares = text.split(",").map(parsePercent);
  if (shares.every((share, index) => index === 0 || share > (shares[index - 1] as number))) return shares;
  throw new InvalidArgumentError("Shares that follow one another grow: 5,25,100.");
}

/** A time, `30m` or `1h30m`, in seconds. */
export function parseDuration(text: string): number {
  const [, hours = "", minutes = "", seconds = ""] = /^(?:(\d{1,3})h)?(?:(\d{1,4})m)?(?:(\d{1,5})s)?$/.exec(text) ?? [];
  const total = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  if (total >= 60 && total <= LONGEST_BAKE) return total;
  throw new InvalidArgumentError("A time is written as 30m or 1h30m: a minute to a week.");
}

/** How many workloads at a time. */
export function parseParallel(text: string): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= 1 && number <= 1000) return number;
  throw new InvalidArgumentError("It is a whole number from 1 to 1000.");
}

const REGION = /^[a-z]{2,}(-[a-z0-9]+)+$/;

/** An AWS Region. */
export function parseRegionName(text: string): string {
  if (REGION.test(text)) return text;
  throw new InvalidArgumentError("A Region is written as eu-west-1 is.");
}

const ROLE = /^arn:[a-z-]+:iam::\d{12}:role\/[\w+=,.@/-]+$/;

/** The ARN of a role. */
export function parseRoleArn(text: string): string {
  if (ROLE.test(text)) return text;
  throw new InvalidArgumentError("A role is named by its ARN: arn:aws:iam::111122223333:role/registrar.");
}

const STAGE = /^[a-zA-Z][a-zA-Z0-9-]{0,31}$/;

/** A deployment's stage. */
export function parseStageName(text: string): string {
  if (STAGE.test(text)) return text;
  throw new InvalidArgumentError("A stage has up to 32 letters, digits and dashes, and begins with a letter.");
}

/** A bucket; a dot in its name is none of the host names that its certificate is for. */
export function parseBucketName(text: string): string {
  if (/^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/.test(text)) return text;
  throw new InvalidArgumentError("A bucket has 3 to 63 lower-case letters, digits and dashes.");
}

/** A port; 0 takes a free one. */
export function parsePort(text: string): number {
  if (/^\d+$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new InvalidArgumentError("A port is a number from 0 to 65535.");
}
