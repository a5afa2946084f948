// The options that several commands take, each declared once; a command names those that it takes in its own table. Options of one
// command are in its file, and those that name a deployment, a cluster or a release are in tables of their own, next to this one.
import { InvalidArgumentError } from "commander";
import { MAX_MESSAGE } from "../releases/action-request.ts";
import {
  parseChannelName,
  parseDuration,
  parseParallel,
  parseReleaseName,
  parseReplicas,
  parseShares,
} from "./names.ts";
import { optionTable } from "./option.ts";

export const sharedOptions = optionTable({
  abortOn: {
    argument: "<alarm>",
    about: "take the share back when this CloudWatch alarm is up; repeatable",
    isRepeatable: true,
  },
  advanced: { about: "write texts over 4,096 bytes as advanced parameters, which cost money" },
  bake: { argument: "<time>", about: "how long something must be well: 30m, 1h30m", parse: parseDuration },
  channel: { argument: "<channel>", about: "the channel", parse: parseChannelName },
  dir: { argument: "<dir>", about: "a source tree to lay over the shipped one" },
  dryRun: { about: "show what would be written, and write nothing" },
  ifServing: { argument: "<release>", about: "only if the channel serves this release", parse: parseReleaseName },
  message: { short: "-m", argument: "<text>", about: "why: kept in the channel's history", parse: parseMessage },
  namespace: { short: "-n", argument: "<namespace>", about: "only this namespace (default: all)" },
  parallel: { argument: "<number>", about: "so many workloads at a time", parse: parseParallel, default: 1 },
  replicas: {
    argument: "<list>",
    about: "replicas that serve it too, as one action: STAGE@REGION,STAGE@REGION",
    parse: parseReplicas,
  },
  selector: { short: "-l", argument: "<selector>", about: "only pods with these labels, as kubectl has it" },
  selfTest: {
    isNegated: true,
    about: "do not call the webhook from this machine: for one that only the cluster can reach",
  },
  share: {
    argument: "<percent>",
    about: "the release's share of the workloads; 5,25,100 one after the other",
    parse: parseShares,
  },
  unpin: { about: "move the channel although it is pinned, and unpin it" },
  yes: { short: "-y", about: "restart without asking" },
});

function parseMessage(text: string): string {
  if (text.length <= MAX_MESSAGE) return text;
  throw new InvalidArgumentError(`A message has at most ${MAX_MESSAGE} characters.`);
}

/** The options that say how the result is printed. Commands look at `json` alone, which scripts have; the help says each thing once. */
export const resultOptions = resultOptionsWith();

/** The options that say how the result is printed, for a command that has further formats. */
export function resultOptionsWith<const More extends readonly ("wide" | "name" | "markdown")[]>(...more: More) {
  return optionTable({
    json: { about: "", isHidden: true },
    output: {
      short: "-o",
      argument: "<format>",
      about: "how the result is printed",
      choices: ["text", "json", "yaml", ...more] as const,
    },
  });
}
