// Which names and values Parameter Store takes, and the words in which it refuses the others. Sources: the API
// reference of PutParameter, the user guide's "constraints for parameter names", and messages that people have reported.
import type { Parameter, Tier } from "@outrigger/aws";

/** The prefix of a name in its ARN; it counts towards a name's length. */
const ARN_PREFIX = "arn:aws:ssm:us-east-1:123456789012:parameter";

const MAX_ARN = 1011;
const MAX_LEVELS = 15;

/** Bytes of a value. The service speaks of characters and its quotas of KB: bytes are what surely passes both. */
const MAX_BYTES: Readonly<Record<Tier, number>> = { Standard: 4096, Advanced: 8192 };

const NAME_RULE =
  "If formed as a path, it can consist of sub-paths divided by slash symbol; each sub-path can be formed as a mix of letters, numbers and the following 3 symbols .-_";

export function checkName(name: string): void {
  if (name === "") throw constraintError("name", name, "have length greater than or equal to 1");
  if (name.length > 2048) throw constraintError("name", name, "have length less than or equal to 2048");
  const levels = name.replace(/^\//, "").split("/");
  if (name.startsWith("/") && levels.length > 1 && /^aws/i.test(levels[0] as string))
    throw new ServiceError("AccessDeniedException", `No access to reserved parameter name: ${name}.`);
  if (/^(aws|ssm)/i.test(levels[0] as string))
    throw validationError(`Parameter name: can't be prefixed with "aws" or "ssm" (case-insensitive). ${NAME_RULE}`);
  if (!levels.every((level) => /^[A-Za-z0-9_.-]+$/.test(level)))
    throw validationError(`Parameter name: can't be prefixed with "ssm" (case-insensitive). ${NAME_RULE}`);
  if (levels.length > 1 && !name.startsWith("/"))
    throw validationError("Parameter name must be a fully qualified name.");
  if (levels.length > MAX_LEVELS) {
    const message = `A hierarchy can have a maximum of ${MAX_LEVELS} levels. For more information, see Requirements and constraints for parameter names.`;
    throw new ServiceError("HierarchyLevelLimitExceededException", message);
  }
  if (arnOf(name).length > MAX_ARN)
    throw validationError(`Parameter name: with its ARN it can have at most ${MAX_ARN} characters`);
}

export function arnOf(name: string): string {
  return `${ARN_PREFIX}${name.startsWith("/") ? "" : "/"}${name}`;
}

/** Throws for a value that the service does not take on any tier. */
export function checkValue(value: string, type: Parameter["type"]): void {
  if (value === "") throw constraintError("value", "", "have length greater than or equal to 1.");
  if (value.includes("{{") || value.includes("}}"))
    throw validationError('Parameter value can\'t nest another parameter. Do not use "{{}}" in the value.');
  if (type === "StringList" && value.split(",").some((item) => item.trim() === ""))
    throw validationError("Parameter value: a StringList can't have empty items");
}

const UPGRADE =
  "To create a larger parameter value, upgrade the parameter to use the advanced-parameter tier. For more information, see https://docs.aws.amazon.com/systems-manager/latest/userguide/parameter-store-advanced-parameters.html";

export function checkSize(value: string, tier: Tier): void {
  if (Buffer.byteLength(value) <= MAX_BYTES[tier]) return;
  const limit = `${tier} tier parameters support a maximum parameter value of ${MAX_BYTES[tier]} characters.`;
  throw validationError(tier === "Advanced" ? limit : `${limit} ${UPGRADE}`);
}

/** Intelligent-Tiering takes the tier that the value needs. */
export function tierFor(value: string): Tier {
  return Buffer.byteLength(value) > MAX_BYTES.Standard ? "Advanced" : "Standard";
}

/** Throws for a path that cannot be listed. `/` can. */
export function checkPath(path: string): void {
  if (/^(\/[A-Za-z0-9_.-]+)+\/?$|^\/$/.test(path)) return;
  throw validationError(
    'The parameter doesn\'t meet the parameter name requirements. The parameter name must begin with a forward slash "/". It can\'t be prefixed with "aws" or "ssm" (case-insensitive). It must use only letters, numbers, or the following symbols: . (period), - (hyphen), _ (underscore). Special characters are not allowed. All sub-paths, if specified, must use the forward slash symbol "/". Valid example: /get/parameters2-/by1./path0_.',
  );
}

/** Ten names at most, each once. */
export function checkNames(names: readonly string[]): void {
  const shown = `[${names.join(", ")}]`;
  if (names.length === 0) throw constraintError("names", shown, "have length greater than or equal to 1");
  if (names.length > 10) throw constraintError("names", shown, "have length less than or equal to 10");
  if (new Set(names).size < names.length)
    throw validationError("Duplicate parameter names are not allowed in a request");
}

/** Whether a label is one: what is not comes back as invalid, and is no error. */
export function isLabel(label: string): boolean {
  return /^[A-Za-z_.-][A-Za-z0-9_.-]*$/.test(label) && !/^(aws|ssm)/i.test(label);
}

/** An error of the service, not of ours: `name` is sent as `__type`. */
export class ServiceError extends Error {
  override readonly name: string;
  /** HTTP status. */
  readonly status: number;

  constructor(name: string, message = "", status = 400) {
    super(message);
    this.name = name;
    this.status = status;
  }
}

/** The error for what a rule of the service does not take. */
export function validationError(message: string): ServiceError {
  return new ServiceError("ValidationException", message);
}

/** The error for a field of the wrong length or value, in the service's words. */
export function constraintError(field: string, value: string, constraint: string): ServiceError {
  return validationError(
    `1 validation error detected: Value '${value}' at '${field}' failed to satisfy constraint: Member must ${constraint}`,
  );
}
