// What an error of Parameter Store, of its client or of the way there means to us. Knows no SDK: errors are read by
// their names.
import { type ErrorCode, OutriggerError, objectOf } from "@outrigger/base";

/**
 * The error as the port to Parameter Store promises it.
 *
 * @param names what it was tried on: the parameters, or the path
 */
export function storeError(
  error: unknown,
  verb: "read" | "write" | "delete",
  names: readonly string[],
): OutriggerError {
  if (error instanceof OutriggerError) return error;
  const name = error instanceof Error ? error.name : "";
  const code = codeOf(name, error);
  const [path = "nothing", ...others] = names;
  const what = others.length === 0 ? path : `${path} and ${others.length} more`;
  const message = `Cannot ${verb} ${what}: ${reasonOf(code, name, error, path)}`;
  return new OutriggerError(code, message, { path, cause: error });
}

/** A second try can help with these, whatever their status. */
const BUSY =
  /^(Throttling(Exception)?|TooManyUpdates|TooManyRequestsException|RequestLimitExceeded|InternalServerError|ServiceUnavailable|SlowDown|ConditionalRequestConflict|RequestTimeout(Exception)?)$/;

/** Credentials that are missing, expired or wrong, and permissions that are not there. */
const DENIED =
  /^(AccessDenied(Exception)?|UnrecognizedClientException|ExpiredToken(Exception)?|InvalidClientTokenId|InvalidSignatureException|SignatureDoesNotMatch|IncompleteSignature|MissingAuthenticationToken(Exception)?|NotAuthorized|OptInRequired|KMSAccessDeniedException|(\w*Credentials?\w*|Token)ProviderError)$/;

function codeOf(name: string, error: unknown): ErrorCode {
  if (name === "ParameterAlreadyExists") return "parameter-exists";
  if (BUSY.test(name)) return "store-unavailable";
  if (DENIED.test(name)) return "store-denied";
  const status = statusOf(error);
  if (status === 401 || status === 403) return "store-denied";
  // Without a status no answer came, or none that could be read.
  if (status === undefined || status < 400 || status >= 500 || status === 408 || status === 429)
    return "store-unavailable";
  // Parameter Store has no name of its own for this: "You can't downgrade a parameter from the advanced-parameter tier…".
  return error instanceof Error && /downgrade/i.test(error.message) ? "parameter-downgrade" : "parameter-refused";
}

function statusOf(error: unknown): number | undefined {
  const { status, $metadata } = objectOf(error);
  return [status, objectOf($metadata)["httpStatusCode"]].find((one) => typeof one === "number");
}

function reasonOf(code: ErrorCode, name: string, error: unknown, path: string): string {
  if (name === "AbortError") return `${path.startsWith("s3://") ? "S3" : "Parameter Store"} did not answer in time`;
  const said = error instanceof Error && error.message !== "UnknownError" ? error.message : "";
  const words = [name, said].filter((part) => part !== "" && part !== "Error").join(": ");
  const text = words.length > MAX_WORDS ? `${words.slice(0, MAX_WORDS)}…` : words;
  if (name === "ParameterMaxVersionLimitExceeded") return labelled(path, said);
  return code === "store-denied"
    ? `${text}; check the credentials and their permissions`
    : text || "no reason was given";
}

/** A parameter keeps 100 versions. Parameter Store drops the oldest one for a new one, unless it has a label. */
function labelled(path: string, said: string): string {
  const version = /Version (\d+)/.exec(said)?.[1] ?? "1";
  const labels = `aws ssm get-parameter-history --name ${path} --query 'Parameters[0].Labels'`;
  return `it has 100 versions and the oldest one, ${version}, has a label; take it off with: aws ssm unlabel-parameter-version --name ${path} --parameter-version ${version} --labels LABEL (${labels} shows it)`;
}

/** Characters that are kept of the service's own words: they repeat what they refuse, and a value has up to 8 KB. */
const MAX_WORDS = 300;
