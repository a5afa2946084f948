// Owns reading the records of a deployment for people: those that cannot be read are told and left out.
import { type Records, readRecords } from "../lib/store/publisher/read-state.ts";
import type { Deployment } from "./deployment.ts";
import type { Io } from "./io.ts";
import { printable } from "./printable.ts";

/** Channels and clusters by name; a line on standard error for each record that is damaged. */
export async function readDeploymentRecords(
  { store, target }: Deployment,
  io: Io,
): Promise<Pick<Records, "channels" | "clusters">> {
  const { channels, clusters, problems } = await readRecords({ store, layout: target.layout });
  for (const { message } of problems) io.stderr.write(printable(`Warning: ${message}\n`));
  return { channels, clusters };
}
