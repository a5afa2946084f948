// The custom resource that registers a cluster: CloudFormation's event in, its answer out. What registering is belongs
// to lib/cluster, which the command line shares.

import type { OutsideCall } from "@outrigger/aws";
import { defined, OutriggerError, ownError } from "@outrigger/base";
import type { RegistrationPorts } from "@outrigger/cluster";
import {
  assertNoneLost,
  type connectEks,
  listKind,
  otherInjectors,
  registerCluster,
  unregisterCluster,
} from "@outrigger/cluster";
import type { Context } from "aws-lambda";
import { type Answer, type CloudFormationRequest, isCloudFormation } from "../cloudformation-response.ts";
import { parseProperties } from "./parse-properties.ts";

export interface RegisterDependencies {
  readonly deployment: string;
  readonly url: string;
  /** Throws `cluster-unknown` where there is none. */
  readonly connect: (name: string) => ReturnType<typeof connectEks>;
  readonly ports: Omit<RegistrationPorts, "kube" | "selfTest"> & {
    /** Says whether the served release adds `istio-proxy`: this function reads no release. */
    readonly selfTest: (...asked: SelfTestArguments) => Promise<{ readonly addsProxy: boolean }>;
  };
  readonly isCanaryFailing: () => Promise<boolean>;
  readonly respond: OutsideCall<Omit<Answer, "region">, void>;
  readonly write: (line: string) => void;
}

type SelfTestArguments = Parameters<RegistrationPorts["selfTest"]>;

/** The ID of a resource whose creation failed: deleting it must not remove another resource's registration. */
const NEVER_MADE = "outrigger-never-made";

/** A handler of CloudFormation's events. Every failure is answered too: without an answer, a stack waits for an hour. */
export function registerHandler(
  dependencies: RegisterDependencies,
): (event: unknown, context?: RemainingTime) => Promise<void> {
  return async (event, context) => {
    if (!isCloudFormation(event)) throw new TypeError("The register function takes events of a custom resource only");
    const before = event.PhysicalResourceId ?? NEVER_MADE;
    try {
      const { id, reason } = await beforeTheEnd(context, handle(event, before, dependencies, deadlineOf(context)));
      await dependencies.respond({ request: event, response: { status: "SUCCESS", reason }, physicalId: id });
    } catch (error) {
      const reason = error instanceof OutriggerError ? error.message : "A bug in Outrigger: see the function's log";
      const code = error instanceof OutriggerError ? error.code : String(error instanceof Error ? error.name : error);
      dependencies.write(`${JSON.stringify({ level: "error", request: event.RequestType, code, reason })}\n`);
      await dependencies.respond({ request: event, response: { status: "FAILED", reason }, physicalId: before });
    }
  };
}

/** The part of Lambda's context that says how much time is left. */
export type RemainingTime = Pick<Context, "getRemainingTimeInMillis">;

/** Kept for undoing and for the answer: a function that is stopped without one leaves the stack waiting. */
const UNDO_MILLISECONDS = 90_000;

function deadlineOf(context: RemainingTime | undefined): AbortSignal | undefined {
  if (context === undefined) return undefined;
  const controller = new AbortController();
  const left = context.getRemainingTimeInMillis() - UNDO_MILLISECONDS;
  setTimeout(() => controller.abort("the function's time was nearly over"), Math.max(0, left)).unref();
  return controller.signal;
}

const ANSWER_MILLISECONDS = 15_000;

/** Undoing may hang as well, where the API server does: then that is the answer, while there is time for one. */
async function beforeTheEnd<Result>(context: RemainingTime | undefined, work: Promise<Result>): Promise<Result> {
  if (context === undefined) return work;
  const left = Math.max(0, context.getRemainingTimeInMillis() - ANSWER_MILLISECONDS);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new OutriggerError("interrupted", UNFINISHED)), left);
  });
  try {
    return await Promise.race([work, end]);
  } finally {
    clearTimeout(timer);
  }
}

const UNFINISHED =
  "The function's time was over before everything was restored: run outrigger check --section registration, then outrigger register, for this cluster";

type Handled = { readonly id: string; readonly reason: string };

async function handle(
  request: CloudFormationRequest,
  before: string,
  dependencies: RegisterDependencies,
  signal: AbortSignal | undefined,
): Promise<Handled> {
  if (request.RequestType === "Delete" && before === NEVER_MADE) return { id: before, reason: "There was nothing" };
  const properties = parseProperties(request.ResourceProperties);
  const id = `outrigger/${dependencies.deployment}/${properties.name}/${properties.requested.revision}`;
  const cause = { by: `stack ${request.StackId}`, why: `${request.RequestType} of ${request.LogicalResourceId}` };
  const subject = { cluster: properties.name, deployment: dependencies.deployment, cause };
  const stack = { id: `${request.StackId}/${request.LogicalResourceId}`, isNew: request.RequestType === "Create" };
  const { url, ports, connect, isCanaryFailing } = dependencies;
  if (request.RequestType === "Delete") {
    const gone = (error: unknown) => void ownError(error, "cluster-unknown");
    const connection = await connect(properties.cluster).catch(gone);
    const removal = { ...subject, stack: stack.id, revision: properties.requested.revision };
    return { id: before, reason: await unregisterCluster(removal, ports, connection?.kube) };
  }
  const { selfTest: withSelfTest, allowUnproven, replacesIstio, channel } = properties;
  const { description, kube } = await connect(properties.cluster);
  const { arn, kubernetesVersion } = description;
  const requested = { ...properties.requested, url, stack };
  const registration = { arn, kubernetesVersion, requested, withSelfTest, allowUnproven, isCanaryFailing };
  const selfTest = async (...asked: SelfTestArguments) => {
    const { addsProxy } = await ports.selfTest(...asked);
    const webhooks = await listKind(kube, "MutatingWebhookConfiguration");
    const others = await otherInjectors(kube, { ...subject, requested, webhooks });
    const served = "the release that is served";
    assertNoneLost(others, { ...subject, served, addsProxy, replacesIstio, flag: "ReplaceIstio: true" });
  };
  const { warnings, settings } = await registerCluster(
    { ...subject, ...registration, ...defined({ channel }) },
    { ...ports, selfTest, kube, ...defined({ signal }) },
  );
  return { id, reason: [`Registered at the phase ${settings.phase}`, ...warnings].join("; ") };
}
