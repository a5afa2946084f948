// What is wrong where a command and the publish function are of different versions: which of them is the older one, and what to do.
import { OutriggerError } from "@outrigger/base";
import type { PublisherRequest, Refused } from "@outrigger/publisher";

/** The publish function, as the one who asked it names it. */
export interface Asked {
  readonly functionName: string;
  /** The version that the function said it is; undefined for one that is older than such answers. */
  readonly theirs: string | undefined;
  /** The version of the one who asks. */
  readonly ours: string;
}

/**
 * Returns the error for a request that this version takes and the function does not know; undefined where it was refused for
 * another reason.
 */
export function refusedByOther(
  request: PublisherRequest,
  { code, path, message }: Refused["error"],
  asked: Asked,
): OutriggerError | undefined {
  // Functions that say no version refuse a field that they do not know as they refuse what a person typed.
  const isOldForm = asked.theirs === undefined && code === "usage" && path !== undefined && path !== "prefix";
  const isUnknown = code === "request-unknown" || (isOldForm && (path === "action" || path in request));
  if (!isUnknown) return undefined;
  const what =
    path === undefined || path === "action" ? request.action : `${JSON.stringify(path)} of ${request.action}`;
  return otherVersion(`it does not take ${what}`, asked, new OutriggerError(code, message));
}

/**
 * Returns the error for what the two cannot say to each other.
 *
 * @param why what the function does, as `it does not take "change" of promote`
 */
export function otherVersion(why: string, { functionName, theirs, ours }: Asked, cause?: Error): OutriggerError {
  const [, stage] = /^outrigger-(.+)-publish$/.exec(functionName) ?? [];
  const subject = stage === undefined ? `The function ${functionName}` : `The function of stage ${stage}`;
  const deploy = `run "outrigger deploy${stage === undefined ? "" : ` --stage ${stage}`}"`;
  const order = theirs === undefined ? -1 : compareVersions(theirs, ours);
  const said =
    order > 0
      ? `${subject} is ${theirs}, newer than this command (${ours}): ${why}; install outrigger ${theirs}`
      : order < 0
        ? `${subject} is ${theirs === undefined ? "" : `${theirs}, `}older than this command (${ours}): ${why}; ${deploy}`
        : `${subject} is another build of ${ours} than this command: ${why}; ${deploy}`;
  return new OutriggerError("version-mismatch", said, { path: functionName, cause });
}

/** Compares two versions by their numbers; a pre-release counts as the version that it comes before. */
export function compareVersions(one: string, other: string): number {
  const [a, b] = [one, other].map((text) => text.split("-")[0]?.split(".").map(Number) ?? []);
  for (const at of [0, 1, 2]) {
    const difference = (a?.[at] ?? 0) - (b?.[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
