// What an error of the AWS SDK comes to in our own words. Knows no service.
import { OutriggerError } from "@outrigger/base";

export interface AwsCall {
  /** Completes "Cannot …": `describe cluster "shop"`. */
  readonly doing: string;
  /** The IAM action: `eks:DescribeCluster`. */
  readonly action: string;
  readonly region: string;
}

/** Throws the error of a call, mapped: for its `catch`. */
export function awsFailure(call: AwsCall): (cause: unknown) => never {
  return (cause) => {
    throw awsError(cause, call);
  };
}

/** The error, mapped; ours are passed on. */
export function awsError(cause: unknown, { doing, action, region }: AwsCall): OutriggerError {
  if (cause instanceof OutriggerError) return cause;
  const name = cause instanceof Error ? cause.name : "";
  const denied = (why: string) => new OutriggerError("aws-denied", `Cannot ${doing}: ${why}`, { cause });
  const unavailable = (why: string) => new OutriggerError("aws-unavailable", `Cannot ${doing}: ${why}`, { cause });
  if (NO_CREDENTIALS.test(name)) {
    return denied(
      "there are no AWS credentials, or no profile of the name that is given; sign in (aws sso login, aws configure) or name a profile with --profile",
    );
  }
  if (EXPIRED.test(name)) return denied("the AWS credentials have expired; sign in again");
  if (UNKNOWN.test(name)) return denied("AWS does not know these credentials; check --profile and the environment");
  if (BUSY.test(name)) return unavailable("the service is throttling; wait a moment and run it again");
  if (DENIED.test(name)) return denied(`the credentials do not allow ${action}; ask for that permission`);
  return unavailable(`${reasonOf(cause)}; check --region (${region})`);
}

const NO_CREDENTIALS = /^(Credentials|Token|)ProviderError$/;
const EXPIRED = /^(ExpiredToken(Exception)?|RequestExpired)$/;
const UNKNOWN =
  /^(UnrecognizedClientException|InvalidClientTokenId|InvalidSignatureException|SignatureDoesNotMatch|MissingAuthenticationTokenException)$/;
const DENIED = /^(AccessDenied(Exception)?|UnauthorizedOperation|NotAuthorized)$/;
const BUSY = /^(Throttling(Exception)?|TooManyRequestsException|RequestLimitExceeded)$/;

/** Names and codes only: a message may quote a request, and a request holds a signature. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return "the call failed";
  const code = "code" in cause && typeof cause.code === "string" ? cause.code : cause.name;
  // The resolver's word for a name that does not exist, and for an answer that it did not get.
  if (code !== "ENOTFOUND" && code !== "EAI_AGAIN") return REASONS[code] ?? `the call failed (${code})`;
  const host = "hostname" in cause && typeof cause.hostname === "string" ? cause.hostname : "of the service";
  return `the name ${host} cannot be resolved (DNS)`;
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing answers at the service's address",
  ETIMEDOUT: "the service does not answer",
  TimeoutError: "the service does not answer",
  NoAnswer: "the service does not answer",
};
