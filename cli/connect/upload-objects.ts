// Files that go to a bucket of the user's own. Loaded only when there are any: credentials are most of it.
import { awsFailure } from "@outrigger/aws";
import type { Io } from "../terminal/io.ts";
import type { AwsTarget } from "./aws-connection.ts";
import { awsCredentials } from "./aws-credentials.ts";
import { bucketStore } from "./bucket-store.ts";

/** Milliseconds for one file: the largest has some hundred KB. */
const PATIENCE = 60_000;

/**
 * Writes objects by their keys.
 *
 * @throws OutriggerError naming the object that cannot be written, and why
 */
export async function uploadObjects(
  bucket: string,
  objects: ReadonlyMap<string, Uint8Array>,
  target: Pick<AwsTarget, "profile"> & { readonly region: string },
  { env }: Io,
): Promise<void> {
  const { region } = target;
  const store = bucketStore(region, awsCredentials(target), { env, timeout: PATIENCE });
  for (const [key, bytes] of objects) {
    await store.putObject({ bucket, key }, bytes).catch((error: unknown) => {
      const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
      return awsFailure({ doing: `write s3://${bucket}/${key}`, action: "s3:PutObject", region })(cause);
    });
  }
}
