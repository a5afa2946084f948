// A pull from end to end: what of Parameter Store goes into a directory, and what of the directory it leaves alone.
import { defined, OutriggerError } from "@outrigger/base";
import { readSettledSource } from "@outrigger/publisher";
import type { Deployment } from "../connect/deployment.ts";
import type { Io } from "../terminal/io.ts";
import { printResult } from "../terminal/print.ts";
import { treeDiff } from "../terminal/text-diff.ts";
import { readBase, requireNotEmptied, seenManifest, writeBase } from "./base-file.ts";
import { directoryOf, directoryTree } from "./read-trees.ts";
import { sourceFile, writeSourceFiles } from "./source-files.ts";
import { type Merge, textAt, threeWay } from "./three-way.ts";

export interface PullSettings {
  readonly force?: true;
  readonly dryRun?: true;
  readonly json?: true;
}

/** Writes the source tree as files. Throws `tree-changed`, having written nothing, where both sides were edited. */
export async function runPull(
  argument: string | undefined,
  settings: PullSettings,
  deployment: Deployment,
  io: Io,
): Promise<void> {
  const { force = false, dryRun = false, json } = settings;
  const { layout } = deployment.target;
  const directory = directoryOf(argument, io);
  const known = force ? {} : await readBase(directory, deployment);
  const {
    tree: theirs,
    manifest,
    manifestVersion,
  } = await readSettledSource(deployment.store, layout, {
    expected: { paths: Object.keys(known), manifestVersion: await seenManifest(directory, deployment) },
    ...defined({ sleep: io.sleep }),
  });
  const ours = await directoryTree(directory);
  const base = known;
  requireNotEmptied(theirs, base, "pull", deployment, "delete your files too with --force");
  const merge = threeWay(theirs, ours, base, force);
  if (merge.conflicts.length > 0) {
    io.stderr.write(treeDiff({ name: "yours", tree: ours }, { name: "source", tree: theirs }, merge.conflicts));
    throw new OutriggerError(
      "tree-changed",
      `Cannot pull ${merge.conflicts.map(sourceFile).join(", ")}: edited here and in ${layout.source}, as shown above; put your edits aside, or overwrite them with --force`,
    );
  }
  if (manifest?.state === "pushing") {
    io.stderr.write(
      `Warning: a push by ${manifest.by}, begun at ${manifest.at}, is not complete: part of it may be missing\n`,
    );
  }
  if (!dryRun) {
    await writeSourceFiles(directory, theirs, merge.carried);
    await writeBase(directory, deployment, merge.base, manifestVersion);
  }
  const files = Object.keys(theirs).length;
  const value = { directory, changed: merge.carried, kept: merge.kept, files, dryRun };
  printResult(
    io,
    json,
    value,
    summary(merge, { ours, theirs, dryRun, source: layout.source, directory: argument ?? "." }),
  );
}

interface Pulled {
  readonly ours: Readonly<Record<string, string>>;
  readonly theirs: Readonly<Record<string, string>>;
  readonly dryRun: boolean;
  readonly source: string;
  readonly directory: string;
}

function summary({ carried, kept }: Merge, { ours, theirs, dryRun, source, directory }: Pulled): string {
  const lines = carried.map((path) => {
    const verb =
      textAt(theirs, path) === undefined ? "deleted" : textAt(ours, path) === undefined ? "added" : "changed";
    return `${verb.padEnd(8)} ${sourceFile(path)}`;
  });
  const left = kept.length === 0 ? [] : [`Left as you have edited it: ${kept.map(sourceFile).join(", ")}`];
  if (Object.keys(theirs).length === 0 && carried.length === 0) {
    const nothing = `${source} is empty: the shipped templates are served as they are; look at --deployment, --region and --profile if you expected more`;
    return [...left, nothing].join("\n");
  }
  if (carried.length === 0) return [...left, `Nothing to pull: ${directory} has it all`].join("\n");
  const count = `${carried.length} ${carried.length === 1 ? "file" : "files"}`;
  return [...lines, ...left, `${dryRun ? "Would pull" : "Pulled"} ${count} from ${source} into ${directory}`].join(
    "\n",
  );
}
