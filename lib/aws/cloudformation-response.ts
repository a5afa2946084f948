// Owns what CloudFormation asks of a custom resource and where it wants its answer. Knows nothing of what is done.
import { isObject } from "../json.ts";

export interface CloudFormationRequest {
  readonly RequestType: "Create" | "Update" | "Delete";
  readonly ResponseURL: string;
  readonly StackId: string;
  readonly RequestId: string;
  readonly LogicalResourceId: string;
  readonly PhysicalResourceId?: string;
}

export interface CloudFormationResponse {
  readonly status: "SUCCESS" | "FAILED";
  /** Shown in the stack's events. */
  readonly reason: string;
}

const TYPES: readonly unknown[] = ["Create", "Update", "Delete"];

/** True for an event of a custom resource. */
export function isCloudFormation(event: unknown): event is CloudFormationRequest {
  return (
    isObject(event) &&
    TYPES.includes(event["RequestType"]) &&
    ["ResponseURL", "StackId", "RequestId", "LogicalResourceId"].every((key) => typeof event[key] === "string")
  );
}

/** CloudFormation takes 4 KB of answer in all. */
const MAX_REASON = 1500;

/**
 * Puts the answer where CloudFormation waits for it: a presigned URL of Amazon's storage, and nowhere else, so that who
 * may invoke the function cannot make it call anything.
 */
export async function respond(
  request: CloudFormationRequest,
  { status, reason }: CloudFormationResponse,
  physicalId: string,
  put: typeof fetch = fetch,
): Promise<void> {
  const url = new URL(request.ResponseURL);
  if (url.protocol !== "https:" || !/\.amazonaws\.(com|com\.cn|eu)$/.test(url.hostname)) {
    throw new TypeError("The custom resource's ResponseURL is not one of Amazon's: nothing is sent there");
  }
  const { StackId, RequestId, LogicalResourceId } = request;
  const body = JSON.stringify({
    Status: status,
    Reason: reason.slice(0, MAX_REASON),
    // Always the same: another would make CloudFormation delete what was made under the one before.
    PhysicalResourceId: physicalId,
    StackId,
    RequestId,
    LogicalResourceId,
  });
  for (let tries = 1; ; tries++) {
    try {
      const { ok, status: code } = await put(url, { method: "PUT", body, headers: { "content-type": "" } });
      if (ok) return;
      if (tries === TRIES) throw new TypeError(`CloudFormation's storage answers ${code}`);
    } catch (error) {
      if (tries === TRIES) throw error;
    }
  }
}

const TRIES = 3;
