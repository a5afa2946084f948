// The way from a command's options to a deployment that it can read, write and ask. One that does not exist is an error, and no
// deployment in which there is nothing.
import { ownError, usageError } from "@outrigger/base";
import type { Cause } from "@outrigger/publisher";
import { type AwsOptions, awsTarget } from "../options/aws-options.ts";
import type { Io } from "../terminal/io.ts";
import { waitAloud } from "../terminal/wait-aloud.ts";
import type { AwsConnection, AwsTarget } from "./aws-connection.ts";

export interface Deployment extends AwsConnection {
  readonly target: AwsTarget;
}

/**
 * Connects to the deployment that the options name.
 *
 * | named            | in this account and Region             | then                                    |
 * |------------------|----------------------------------------|-----------------------------------------|
 * | yes              | something is published there           | it                                      |
 * | yes              | nothing is published there             | refused, with the names of those that exist |
 * | no               | one deployment at most, or not listed  | `dev`, as if it were named              |
 * | no               | several                                | refused, with their names               |
 *
 * @param mayBeNew for a command that makes a deployment, or puts back what it has lost
 * @throws OutriggerError `usage`
 */
export async function openDeployment(
  options: AwsOptions,
  io: Io,
  { mayBeNew = false }: { readonly mayBeNew?: boolean } = {},
): Promise<Deployment> {
  const target = awsTarget(options, io.env);
  const connected = await io.connect(target);
  const askPublisher: AwsConnection["askPublisher"] = (request) =>
    waitAloud(connected.askPublisher(request), target.publisher, io);
  const connection = { ...connected, askPublisher };
  const isNamed = (options.deployment ?? options.prefix ?? (io.env["OUTRIGGER_STAGE"] || undefined)) !== undefined;
  if (!mayBeNew) await requireMeant(target, isNamed, connection);
  // What the function goes by itself need not be said, and a function that was deployed earlier may not know the word.
  if (target.layout.prefix === `/outrigger/${target.stage}` && options.publisher === undefined) {
    return { ...connection, target };
  }
  const { prefix } = target.layout;
  return { ...connection, target, askPublisher: (request) => connection.askPublisher({ ...request, prefix }) };
}

async function requireMeant({ stage, layout }: AwsTarget, isNamed: boolean, connection: AwsConnection): Promise<void> {
  const there = isNamed ? undefined : await connection.deployments();
  if (there !== undefined && there.length > 1) {
    const message = `Cannot tell which deployment is meant: there are ${named(there)}; use --deployment, or set OUTRIGGER_STAGE`;
    throw usageError(message);
  }
  if (there?.includes(layout.prefix) === true || (await isPublished(layout, connection))) return;
  const others = there ?? (await connection.deployments());
  if (others?.includes(layout.prefix) === true) return;
  const list = others?.length === 0 ? "is none" : `${others?.length === 1 ? "is" : "are"} ${named(others ?? [])}`;
  const known = others === undefined ? "" : `; there ${list}`;
  const message = `Cannot use deployment ${stage}: nothing is published below ${layout.prefix} in this account and Region${known}; correct --deployment, --prefix or --region, or run "outrigger deploy --stage ${stage}" first`;
  throw usageError(message, { path: layout.prefix });
}

/** Whether anything is published. A parameter that may not be read is reported by what reads it next. */
async function isPublished(layout: AwsTarget["layout"], { store }: AwsConnection): Promise<boolean> {
  try {
    return (await store.getParameters([layout.head, layout.mirrorPart(0)])).length > 0;
  } catch (error) {
    ownError(error, "store-denied", "aws-denied");
    return true;
  }
}

/** `dev and production` */
function named(prefixes: readonly string[]): string {
  const names = prefixes.map((prefix) => prefix.replace(/^\/outrigger\/(?=[^/]+$)/, "")).sort();
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

export async function causeOf(deployment: Deployment, message: string | undefined): Promise<Cause> {
  return { by: await deployment.caller(), why: message ?? "" };
}
