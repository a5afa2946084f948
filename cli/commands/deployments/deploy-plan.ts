// What `outrigger deploy` says before it begins: what the pods of each channel would get that they do not get now.
import { defined, OutriggerError, ownError } from "@outrigger/base";
import { parseGuardrails } from "@outrigger/guardrails";
import { parseHold, previewDeploy, readSettledSource } from "@outrigger/publisher";
import { openDeployment } from "../../connect/deployment.ts";
import { type AwsOptions, awsFlags } from "../../options/aws-options.ts";
import { readSettings } from "../../project/read-settings.ts";
import { askYes } from "../../terminal/ask-yes.ts";
import type { Io } from "../../terminal/io.ts";
import { warn } from "../../terminal/print.ts";
import { printable } from "../../terminal/printable.ts";
import { shippedTree } from "../../tree/read-trees.ts";

type DeployPlan = Awaited<ReturnType<typeof planDeploy>>;

/**
 * Plans a deploy. The plan has no channels if nothing is served yet, and guardrails if the deploy changes what
 * injections may add to pods. It has the version of Outrigger that would be deployed, and the options that name the
 * deployment, for a command that is proposed.
 *
 * @param params settings of the command line, `name=value`
 */
export async function planDeploy(options: AwsOptions, params: readonly string[], io: Io) {
  const deployment = await openDeployment(options, io, { mayBeNew: true });
  const { store, target } = deployment;
  const { stage, layout } = target;
  const setting = await readSettings(io.cwd, stage, params);
  const [{ tree }, shipped] = [await readSettledSource(store, layout), await shippedTree(io)];
  // Undefined where nothing is deployed, or nobody may look.
  const now = await deployment.guardrails().catch((error: unknown) => void ownError(error));
  const then = setting("guardrails") ?? now ?? "";
  const guardrails = parseGuardrails(then);
  const isReplica = (setting("replicaOf") ?? "") !== "";
  const channels = await previewDeploy(
    { tree, shipped, guardrails, isReplica, hold: parseHold(setting("hold")) },
    { store, layout },
  );
  const isChanged = channels.length > 0 && now !== undefined && now !== then;
  const changed = isChanged ? { now, then } : undefined;
  return { stage, version: io.version, channels, flags: awsFlags(target), ...defined({ guardrails: changed }) };
}

/** Whether a deploy would change what pods get or may get, or be refused. */
export function isEmptyPlan({ channels, guardrails }: DeployPlan): boolean {
  if (guardrails !== undefined) return false;
  return channels.every(({ effects, refused }) => effects.length === 0 && refused === undefined);
}

export function describePlan(plan: DeployPlan): string {
  const { stage, version, channels, guardrails, flags } = plan;
  if (channels.length === 0) {
    return `Nothing is served by ${stage} yet: this is a first deploy, which changes nothing for pods\n`;
  }
  const head = `What pods would get from Outrigger ${version} on ${stage} that they do not get now:\n`;
  const lines = channels.flatMap(({ channel, effects, held, refused, warnings }) => [
    `  ${channel}: ${effects.length === 0 ? "nothing" : effects.map(({ name, example }) => `${name} (${example})`).join(", ")}`,
    ...[held, refused, ...warnings].flatMap((note) => (note === undefined ? [] : [`    ${note}`])),
  ]);
  const [changed] = channels.filter(({ effects }) => effects.length > 0);
  const look = changed === undefined ? "" : `Pods and fields: outrigger diff ${changed.channel} source${flags}\n`;
  const bounds =
    guardrails === undefined ? "" : `Guardrails: ${guardrails.now || "off"} now, ${guardrails.then || "off"} then\n`;
  return printable(`${head}${lines.join("\n")}\n${bounds}${look}`);
}

/**
 * Says what an ordinary deploy would change, and asks where a person has to look at it.
 *
 * @throws OutriggerError `edit-held` where there is nobody to ask, `usage` where the answer is no
 */
export async function confirmPlan(plan: () => Promise<DeployPlan>, yes: boolean, io: Io): Promise<void> {
  const made = await plan().catch((error: unknown) =>
    warn(`What changes for pods is not known: ${ownError(error).message}`, io),
  );
  if (!made) return;
  io.stderr.write(describePlan(made));
  const open = made.channels.filter(({ held, refused }) => held !== undefined || refused !== undefined);
  if (open.length === 0 || yes) return;
  const names = open.map(({ channel }) => channel).join(", ");
  const unasked = new OutriggerError(
    "edit-held",
    `Cannot deploy without an answer: a person has to look at what changes for ${names}, as shown above, and there is no terminal; say --yes to deploy all the same: what is held waits, and is not served`,
  );
  const question = `Deploy to ${made.stage}? What is held waits, and is not served.`;
  await askYes(io, question, "Nothing was deployed", unasked);
}
