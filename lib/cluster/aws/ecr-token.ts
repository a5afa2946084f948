// What a private registry of Amazon ECR takes in `Authorization`: one signed call of its token API.
import type { LambdaClient } from "@aws-sdk/client-lambda";
import { awsFailure, partitionOf } from "@outrigger/aws";
import { defined, OutriggerError, objectOf, objectsOf, parseJson, textOf } from "@outrigger/base";
import { SignatureV4 } from "@smithy/signature-v4";
import { type AgentFor, exchangeProblem, exchangeWith } from "../kube/http-exchange.ts";

/**
 * `Basic …` for the private registries of a Region, with the rights of a client's credentials.
 *
 * @param endpoint in place of ECR's own
 * @throws OutriggerError `aws-denied` without the right `ecr:GetAuthorizationToken`
 */
export async function ecrAuthorization(
  { config }: Pick<LambdaClient, "config">,
  region: string,
  endpoint?: string,
  agentFor?: AgentFor,
): Promise<string> {
  const url = new URL(endpoint ?? `https://api.ecr.${region}.${partitionOf(region).domain}`);
  const { credentials, sha256 } = config;
  const signer = new SignatureV4({ service: "ecr", region, credentials, sha256 });
  const body = "{}";
  const request = {
    method: "POST",
    protocol: url.protocol,
    hostname: url.hostname,
    path: "/",
    query: {},
    headers: {
      host: url.host,
      "content-type": "application/x-amz-json-1.1",
      "x-amz-target": "AmazonEC2ContainerRegistry_V20150921.GetAuthorizationToken",
    },
    body,
  };
  const call = { doing: "sign in to Amazon ECR", action: "ecr:GetAuthorizationToken", region };
  const signed = await signer.sign(request).catch(awsFailure(call));
  const { host: _, ...headers } = signed.headers;
  const server = { url: url.origin, headers, timeoutMilliseconds: TIMEOUT, ...defined({ agentFor }) };
  const { method, path } = request;
  const sent = { method, path, body, contentType: request.headers["content-type"] };
  const answer = await exchangeWith(server)(sent).catch((cause: unknown) => {
    throw new OutriggerError("aws-unavailable", `Cannot sign in to Amazon ECR: ${exchangeProblem(cause)}`, { cause });
  });
  const [found] = answer.status === 200 ? objectsOf(objectOf(parseJson(answer.body))["authorizationData"]) : [];
  const token = textOf(found?.["authorizationToken"]) ?? "";
  if (/^[\w+/=-]{1,65536}$/.test(token)) return `Basic ${token}`;
  const message = `Cannot sign in to Amazon ECR in ${region}: it answers HTTP ${answer.status}; you need ecr:GetAuthorizationToken`;
  throw new OutriggerError("aws-denied", message);
}

const TIMEOUT = 10_000;
