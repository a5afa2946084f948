// The request of a custom resource and the answer to it: where CloudFormation waits and in what form. Knows nothing of
// what a resource does.

import { type CallOptions, partitionOf } from "@outrigger/aws";
import { isObject } from "@outrigger/base";
import type { CloudFormationCustomResourceEvent, CloudFormationCustomResourceResponse } from "aws-lambda";

/** The event of a custom resource, as far as it is read and checked. A resource that is created has no ID yet. */
export type CloudFormationRequest = Readonly<
  Pick<CloudFormationCustomResourceEvent, "RequestType" | (typeof TEXTS)[number]>
> & {
  readonly PhysicalResourceId?: string;
  /** What the template's author wrote: decoded by the function that the resource belongs to. */
  readonly ResourceProperties?: unknown;
};

export interface CloudFormationResponse {
  readonly status: CloudFormationCustomResourceResponse["Status"];
  /** Shown in the stack's events. */
  readonly reason: string;
}

const TYPES: readonly unknown[] = ["Create", "Update", "Delete"];
const TEXTS = ["ResponseURL", "StackId", "RequestId", "LogicalResourceId"] as const;

export function isCloudFormation(event: unknown): event is CloudFormationRequest {
  return (
    isObject(event) &&
    TYPES.includes(event["RequestType"]) &&
    TEXTS.every((key) => typeof event[key] === "string") &&
    ["string", "undefined"].includes(typeof event["PhysicalResourceId"])
  );
}

/** CloudFormation takes 4 KB of answer in all. */
const MAX_REASON = 1500;

export interface Answer {
  readonly request: CloudFormationRequest;
  readonly response: CloudFormationResponse;
  /** Always the same for one resource: CloudFormation deletes what was made under another. */
  readonly physicalId: string;
  /** The function's own Region. A stack and the functions that it calls are in one Region. */
  readonly region: string;
}

/**
 * Puts the answer into CloudFormation's own bucket of the Region, and nowhere else: an event may come from any principal that may
 * invoke the function, and the function must not call an address of their choice. A redirect is an error.
 *
 * @throws TypeError where the ResponseURL is not CloudFormation's, or its storage does not take the answer
 */
export async function respond(
  { request, response: { status, reason }, physicalId, region }: Answer,
  { signal, put = fetch }: CallOptions & { readonly put?: typeof fetch } = {},
): Promise<void> {
  const url = responseUrl(request.ResponseURL, region);
  const { StackId, RequestId, LogicalResourceId } = request;
  const answer: CloudFormationCustomResourceResponse = {
    Status: status,
    Reason: reason.slice(0, MAX_REASON),
    PhysicalResourceId: physicalId,
    StackId,
    RequestId,
    LogicalResourceId,
  };
  const body = JSON.stringify(answer);
  const init = { method: "PUT", body, headers: { "content-type": "" }, redirect: "error" } as const;
  for (let tries = 1; ; tries++) {
    try {
      const { ok, status: code } = await put(url, {
        ...init,
        signal: AbortSignal.any([AbortSignal.timeout(TRY), ...(signal ? [signal] : [])]),
      });
      if (ok) return;
      if (tries === TRIES) throw new TypeError(`CloudFormation's storage answers ${code}`);
    } catch (error) {
      if (tries === TRIES || signal?.aborted === true) throw error;
    }
  }
}

/**
 * The URL of an answer, when it is in CloudFormation's bucket: `cloudformation-custom-resource-response-<Region without
 * dashes>` (AWS CloudFormation User Guide, VPC endpoints), under one of the host names that S3 has for a bucket.
 */
function responseUrl(text: string, region: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const bucket = `cloudformation-custom-resource-response-${region.replaceAll("-", "")}`;
  const domain = partitionOf(region).domain;
  const hosts = [
    `s3.${region}.${domain}`,
    `s3-${region}.${domain}`,
    ...(region === "us-east-1" ? [`s3.${domain}`] : []),
  ];
  if (url?.protocol === "https:" && url.port === "" && hosts.some((host) => url.hostname === `${bucket}.${host}`))
    return url;
  throw new TypeError(`Cannot answer: the ResponseURL is not in CloudFormation's bucket of ${region}. Nothing is sent`);
}

const TRIES = 3;

/** Milliseconds that one of them has: all of them fit into what is kept for the answer. */
const TRY = 3000;
