// One tree to many deployments, ring by ring: what `publish --dir` does for each of them, and one table of how far it came.
import { defined, OutriggerError, ownError } from "@outrigger/base";
import type { Io } from "../terminal/io.ts";
import { printResult, table } from "../terminal/print.ts";
import { printable } from "../terminal/printable.ts";
import { type NamedDeployment, nameOfDeployment } from "./deployments-file.ts";

/** What publishing a directory has come to, or would: the release that is served then. */
export interface Publication {
  readonly release?: string;
  readonly changed?: boolean;
  /** The environment of the tree that the deployment gets. */
  readonly environment?: string;
}

/** Publishes the directory to one deployment, or tries it. */
export type PublishTo = (deployment: NamedDeployment, more: { readonly dryRun?: true }, io: Io) => Promise<Publication>;

interface Row extends Publication {
  readonly deployment: NamedDeployment;
  readonly state: "published" | "as before" | "would be published" | "failed" | "not begun";
  readonly error?: { readonly code: string; readonly message: string };
}

interface Settings {
  readonly json?: true;
  readonly dryRun?: true;
}

/**
 * Publishes to all deployments, the first ring first. Every one is tried before the first is written to; a ring in which one fails is the
 * last. Run again, those that have the tree stay as they are.
 *
 * @throws OutriggerError of the first that failed, once all is printed
 */
export async function publishToMany(
  deployments: readonly NamedDeployment[],
  publish: PublishTo,
  { json, dryRun }: Settings,
  io: Io,
): Promise<void> {
  const tried = await eachOf(deployments, (deployment) => publish(deployment, { dryRun: true }, quiet(io)), io);
  const isRefused = tried.some(({ error }) => error !== undefined);
  const rows =
    dryRun === true || isRefused ? tried.map(asTried(isRefused)) : await publishRings(deployments, publish, io);
  const text = table(
    ["DEPLOYMENT", "RING", "RELEASE", "STATE"],
    rows.map(({ deployment, release = "", state, error }) => [
      nameOfDeployment(deployment),
      `${deployment.ring}`,
      release,
      error === undefined ? state : `${state}: ${error.message}`,
    ]),
  );
  printResult(io, json, rows, text);
  const failed = rows.find(({ error }) => error !== undefined);
  if (failed?.error === undefined) return;
  const done = rows.filter(({ state }) => state === "published" || state === "as before").length;
  const left = isRefused
    ? "nothing was written"
    : `${done} of ${rows.length} deployments have the tree; run it again to go on`;
  const name = nameOfDeployment(failed.deployment);
  throw new OutriggerError(failed.error.code as OutriggerError["code"], `Cannot publish to ${name}, and ${left}`, {
    path: name,
  });
}

async function publishRings(
  deployments: readonly NamedDeployment[],
  publish: PublishTo,
  io: Io,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  const releases = new Map<string, string>();
  for (const ring of new Set(deployments.map((deployment) => deployment.ring))) {
    const isHeld = rows.some(({ error }) => error !== undefined);
    const members = deployments.filter((deployment) => deployment.ring === ring);
    if (isHeld) rows.push(...members.map((deployment) => ({ deployment, state: "not begun" }) as const));
    else {
      const made = await eachOf(members, (deployment) => publish(deployment, {}, quiet(io)), io);
      rows.push(...made.map((row) => ofOneRelease(row, releases)));
    }
  }
  return rows;
}

/** The row, as a failure where the same tree has come to another release than elsewhere. */
function ofOneRelease(row: Row, releases: Map<string, string>): Row {
  const { release, environment = "" } = row;
  if (release === undefined) return row;
  const first = releases.get(environment) ?? release;
  releases.set(environment, first);
  if (first === release) return row;
  const message = `the same tree is ${first} elsewhere: its functions are of another version of Outrigger; deploy them`;
  return { ...row, state: "failed", error: { code: "release-unsupported", message } };
}

/** One after the other: what each says on the way is told apart by a line before it. */
async function eachOf(
  deployments: readonly NamedDeployment[],
  publish: (deployment: NamedDeployment) => Promise<Publication>,
  io: Io,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const deployment of deployments) {
    io.stderr.write(printable(`== ${nameOfDeployment(deployment)}\n`));
    try {
      const { release, changed, environment } = await publish(deployment);
      const state = changed === true ? "published" : "as before";
      rows.push({ deployment, state, ...defined({ release, changed, environment }) });
    } catch (error) {
      const { code, message } = ownError(error);
      rows.push({ deployment, state: "failed", error: { code, message } });
    }
  }
  return rows;
}

function asTried(isRefused: boolean) {
  return (row: Row): Row => {
    if (row.error !== undefined) return row;
    return { ...row, state: isRefused ? "not begun" : row.changed === true ? "would be published" : "as before" };
  };
}

/** Standard output is the table alone. */
function quiet(io: Io): Io {
  return { ...io, stdout: { ...io.stdout, write: () => true } as Io["stdout"] };
}
