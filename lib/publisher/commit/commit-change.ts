// The writes of a change, in the one order in which a publisher may stop after any of them: the release, the change's place in the log,
// the record, the commit; then whatever is no longer needed is deleted.
import { defined, isOwnError, OutriggerError } from "@outrigger/base";
import type { PublisherDependencies } from "../dependencies.ts";
import { appendEntry } from "../records/change-log.ts";
import type { LogEntry } from "../records/log-entry.ts";
import { writeOrigin, writeRelease } from "../release/release-object.ts";
import type { PublisherRequest } from "../request/parse-request.ts";
import type { PublisherError } from "../request/publisher-result.ts";
import type { Change } from "./change.ts";
import { collectGarbage } from "./collect-garbage.ts";
import { commitSnapshot, isHalfWritten, writeRecords } from "./commit-snapshot.ts";
import type { NewRelease } from "./decision.ts";
import type { Plan } from "./plan-commit.ts";

/** Milliseconds. A collection takes a call for each ten parameters: where a person waits, it comes a day after the last one, otherwise an hour. */
const HOUR = 60 * 60 * 1000;

interface Planned {
  readonly request: PublisherRequest;
  readonly change: Change;
  /** What is served once it is made. */
  readonly plan: Plan;
  readonly newRelease: NewRelease | undefined;
  /** The entry of a request that was declared before: only the rest of it is made. */
  readonly made: LogEntry | undefined;
}

interface Committed {
  /** Of what is served. */
  readonly seq: number;
  readonly changed: boolean;
  readonly warnings: readonly string[];
  readonly problems: readonly PublisherError[];
}

/**
 * Makes a change; for a dry run, says what making it would come to.
 *
 * @returns undefined where another publisher took its number
 */
export async function commitChange(
  { request, change: { entry, next }, plan, newRelease: release, made }: Planned,
  dependencies: PublisherDependencies,
): Promise<Committed | undefined> {
  const asBefore = { seq: next.head?.seq ?? 0, warnings: [], problems: plan.problems };
  if (request.dryRun === true)
    return { ...asBefore, changed: entry !== undefined || plan.next !== undefined || isHalfWritten(next) };
  const isKept =
    release === undefined || (await writeRelease(release.release, release.digest, release.origin, dependencies));
  // The release of a request that is made later is kept, and nothing moves.
  if (request.action === "publish" && request.prepare === true) return { ...asBefore, changed: false };
  if (entry !== undefined && !(await appendEntry(entry, dependencies))) return undefined;
  try {
    if (!isKept) await writeOrigin(release.release, release.digest, release.origin, dependencies);
    const refused = await writeRecords(next, dependencies);
    const isUnhurried = request.action === "publish" && request.automatic === true;
    const { seq, changed, problems, collects } = await commitSnapshot(
      plan,
      next,
      isUnhurried ? HOUR : 24 * HOUR,
      dependencies,
    );
    const isCollecting = collects || request.action === "repair";
    const warnings = isCollecting ? await collectGarbage(dependencies) : [];
    return {
      seq,
      changed: changed || entry !== undefined,
      warnings: [...warnings, ...plan.warnings],
      problems: [...problems, ...refused],
    };
  } catch (error) {
    throw withDeclared(error, entry ?? made);
  }
}

/** Adds to an error of a store that does not answer what was declared before: it becomes true with no further request. */
function withDeclared(error: unknown, declared: LogEntry | undefined): unknown {
  if (declared === undefined || !isOwnError(error, "store-unavailable")) return error;
  const { code, message, path } = error;
  const said = `change ${declared.number} is declared, and the schedule makes it once the store answers: ${declared.message}`;
  return new OutriggerError(code, `${message}; ${said}`, { ...defined({ path }), cause: error });
}
