// A deployment that a file names, opened with the credentials that it names.
import { defined, usageError } from "@outrigger/base";
import { type Deployment, openDeployment } from "../connect/deployment.ts";
import type { Io } from "../terminal/io.ts";
import type { NamedDeployment } from "./deployments-file.ts";

/** The options that name it on a command line. */
export function placeOf({ stage: deployment, region, profile }: NamedDeployment) {
  return { deployment, ...defined({ region, profile }) };
}

/** @throws OutriggerError `usage` where the credentials are of another account than the one that is named */
export async function openNamed(named: NamedDeployment, io: Io): Promise<Deployment> {
  const { account } = named;
  const deployment = await openDeployment(placeOf(named), io);
  const [own = ""] = account === undefined ? [] : (await deployment.place()).split("/");
  if (account === undefined || own === account) return deployment;
  throw usageError(
    `The credentials are of account ${own}, and not of ${account}; correct the profile, or sign in again`,
  );
}
