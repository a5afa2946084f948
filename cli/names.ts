// Owns the reading of names on the command line: a text that cannot be a name is refused before any call.

import { InvalidArgumentError } from "commander";
import { channelNamePattern } from "../lib/names.ts";
import { releasePattern } from "../lib/publish/channel-record.ts";

/** A channel's name. */
export function parseChannelName(text: string): string {
  if (channelNamePattern.test(text)) return text;
  throw new InvalidArgumentError("A channel is named in lower-case letters, digits and dashes.");
}

/** A release's digest. */
export function parseReleaseName(text: string): string {
  if (releasePattern.test(text)) return text;
  throw new InvalidArgumentError("A release is named by its 12 hexadecimal digits (outrigger releases).");
}

/** A whole number of percent. */
export function parsePercent(text: string): number {
  if (/^(\d{1,2}|100)$/.test(text)) return Number(text);
  throw new InvalidArgumentError("A share is a whole number from 0 to 100.");
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
