// `outrigger releases`: the releases that are kept, who made them, when and why, and which channels serve them.

import { readAll } from "@outrigger/aws";
import { parseOrigin } from "@outrigger/publisher";
import type { Command } from "commander";
import { type Deployment, openDeployment } from "../../connect/deployment.ts";
import { type AwsOptions, withAwsOptions } from "../../options/aws-options.ts";
import { readChannels } from "../../releases/read-records.ts";
import { ageOf } from "../../terminal/age.ts";
import type { Io } from "../../terminal/io.ts";
import { printResult, table } from "../../terminal/print.ts";

const NOTES = `
A release is kept as long as a channel serves it or has it in its history.

Examples:
  outrigger releases
  outrigger diff 1f2e3d4c5b6a stable`;

export function addReleasesCommand(program: Command, io: Io): void {
  withAwsOptions(program.command("releases"))
    .description("list the releases that are kept")
    .option("--json", "print them as JSON")
    .addHelpText("after", NOTES)
    .action((options: AwsOptions) => runReleases(options, io));
}

async function runReleases(options: AwsOptions, io: Io): Promise<void> {
  const deployment = await openDeployment(options, io);
  const channels = await readChannels(deployment, io);
  const serving = Object.entries(channels);
  const kept = (await readOrigins(deployment)).map(([release, origin]) => {
    const names = serving.flatMap(([name, record]) => (record.release === release ? [name] : []));
    return { release, channels: names, ...origin };
  });
  const newest = kept.sort((a, b) => ((a.at ?? "") < (b.at ?? "") ? 1 : -1));
  const rows = newest.map(({ release, channels, at, by = "", why = "" }) => {
    return [release, channels.join(","), at === undefined ? "" : ageOf(at, Date.now()), by, why];
  });
  const none = `There are no releases below ${deployment.target.layout.releases}: publish to make one\n`;
  const text = rows.length === 0 ? none : table(["RELEASE", "CHANNELS", "AGE", "BY", "WHY"], rows);
  const names = newest.map(({ release }) => release);
  printResult(io, options.json, newest, text, names);
}

/** Digest → origin, of everything below `releases/`. */
async function readOrigins({ store, target }: Deployment) {
  const origins = new Map<string, ReturnType<typeof parseOrigin>>();
  for (const parameter of await readAll(store, target.layout.releases)) {
    const [digest = "", part] = parameter.name.slice(target.layout.releases.length + 1).split("/");
    if (part === "origin") origins.set(digest, parseOrigin(parameter));
    else if (!origins.has(digest)) origins.set(digest, undefined);
  }
  return [...origins];
}
