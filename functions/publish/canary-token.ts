// The canary's token: made here once, kept where only the canary can read it, and registered as any cluster's is.
import { createHash } from "node:crypto";
import { isCreated } from "@outrigger/aws";
import type { Cause, PublisherDependencies } from "@outrigger/publisher";
import { readRecords, runPublisher } from "@outrigger/publisher";

export interface CanaryTokenDependencies {
  /** The name of the parameter with the token. */
  readonly canaryToken: string;
  /** Writes a SecureString; `parameter-exists` is thrown where there is one and it is not to be overwritten. */
  readonly putSecret: (name: string, value: string, overwrite: boolean) => Promise<void>;
  /** A new token: 43 characters of base64url. */
  readonly makeToken: () => string;
}

const CLUSTER = "canary";

/**
 * Sees to it that the canary may call. A token that is there and registered is left alone; one of the two without the
 * other is what a crash or a deletion left, and both are made again. The warning says what keeps the canary from calling.
 */
export async function ensureCanary(
  cause: Cause,
  dependencies: PublisherDependencies & CanaryTokenDependencies,
): Promise<{ readonly isRenewed: boolean; readonly warning?: string }> {
  const { channels, clusters } = await readRecords(dependencies);
  const channel = Object.hasOwn(channels, "stable") ? "stable" : Object.keys(channels)[0];
  if (channel === undefined) return { isRenewed: false, warning: "The canary has no channel to be served from yet" };
  const isRegistered = (clusters[CLUSTER]?.tokens.length ?? 0) > 0;
  const token = dependencies.makeToken();
  const { canaryToken, putSecret } = dependencies;
  if (!(await isCreated(putSecret(canaryToken, token, false)))) {
    if (isRegistered) return { isRenewed: false };
    await putSecret(canaryToken, token, true);
  }
  const sha256 = createHash("sha256").update(token).digest("hex");
  const tokens = [{ sha256, created: dependencies.now().toISOString() }];
  const record = { revisions: { default: channel }, arn: "", tokens };
  const result = await runPublisher({ action: "put-cluster", cluster: CLUSTER, record, cause }, dependencies);
  if (result.ok) return { isRenewed: true };
  return { isRenewed: false, warning: `The canary cannot call: ${result.error.message}` };
}
