// Owns what a failed call to AWS reads like in a terminal: what is wrong, and the command that mends it. Knows no SDK but
// the names that its errors go by.
import { OutriggerError } from "../lib/errors.ts";
import type { AwsTarget } from "./aws-options.ts";

interface Reason {
  readonly code: "aws-denied" | "aws-unavailable";
  readonly why: string;
}

/**
 * @param doing what could not be done: `read the source tree`
 * @param cause what the SDK threw
 */
export function awsError(doing: string, cause: unknown, target: AwsTarget): OutriggerError {
  const { code, why } = reasonOf(cause, target);
  return new OutriggerError(code, `Cannot ${doing}: ${why}`, { cause });
}

function reasonOf(cause: unknown, target: AwsTarget): Reason {
  const { name, message, code } = namesOf(cause);
  const profile = target.profile === undefined ? "" : ` --profile ${target.profile}`;
  if (message === "Region is missing") return denied("no Region is given; use --region, or set AWS_REGION");
  if (name === "CredentialsProviderError") {
    return denied(
      `no AWS credentials are found; run "aws sso login${profile}" or "aws configure${profile}", or name a profile with --profile`,
    );
  }
  if (/^Expired|TokenRefreshRequired/.test(name)) {
    return denied(`the credentials have expired; run "aws sso login${profile}", or set new ones`);
  }
  if (/^(UnrecognizedClient|InvalidClientTokenId|InvalidSignature|SignatureDoesNotMatch|IncompleteSig)/.test(name)) {
    return denied(`AWS does not know the credentials; see whose they are: "aws sts get-caller-identity${profile}"`);
  }
  if (/^AccessDenied|^UnauthorizedOperation/.test(name)) {
    return denied(
      `the credentials do not allow it (${message}); attach the deployment's managed policy for it (docs/deploy.md), or use another --profile`,
    );
  }
  if (/^ResourceNotFound/.test(name)) {
    return denied(
      `there is no function ${target.publisher} in this account and Region; look at --deployment, --region and --profile, or deploy it: "npx serverless deploy --stage ${target.stage}"`,
    );
  }
  if (/^(TooManyRequests|Throttling|RequestLimitExceeded|ProvisionedThroughput)/.test(name)) {
    return unavailable("AWS is asked too much at once, or another publish is running; wait a moment and run it again");
  }
  if (/^(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT)$/.test(code) || name === "TimeoutError") {
    return unavailable(
      `AWS does not answer (${code || name}); look at the network, the proxy and --region${target.region === undefined ? "" : ` ${target.region}`}`,
    );
  }
  return unavailable(`AWS answered ${name === "" ? "an error" : name}: ${message}; run it again`);
}

/** Whatever was thrown; an error of the port is looked through to what the SDK said. */
function namesOf(cause: unknown): { readonly name: string; readonly message: string; readonly code: string } {
  if (!(cause instanceof Error)) return { name: "", message: String(cause), code: "" };
  if (cause instanceof OutriggerError && cause.cause !== undefined) return namesOf(cause.cause);
  const code = "code" in cause && typeof cause.code === "string" ? cause.code : "";
  return { name: cause.name, message: cause.message, code };
}

function denied(why: string): Reason {
  return { code: "aws-denied", why };
}

function unavailable(why: string): Reason {
  return { code: "aws-unavailable", why };
}
