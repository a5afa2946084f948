// Publishing after edits: once they have come to rest, and not twice at a time. What the EventBridge rule and the publish function
// do in AWS, on this machine.
import type { Cause, PublisherResult } from "@outrigger/publisher";
import { describeError } from "../terminal/describe-error.ts";

/** Milliseconds without an edit: a push writes many parameters. */
const QUIET = 300;

/**
 * @param publish never called again before it is done
 * @param report takes a line for everything that was published, and for everything that was refused
 */
export function publishEdits(publish: (cause: Cause) => Promise<PublisherResult>, report: (line: string) => void) {
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  const run = async () => {
    try {
      const result = await publish({ by: "an edit in the fake Parameter Store", why: "" });
      if (!isClosed) for (const line of linesOf(result)) report(line);
    } catch (error) {
      if (!isClosed) report(describeError(error));
    }
  };
  return {
    edited() {
      if (isClosed) return;
      clearTimeout(timer);
      timer = setTimeout(run, QUIET);
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

function linesOf(result: PublisherResult): readonly string[] {
  if (!result.ok) return [`Not published: ${result.error.message}`];
  const { changed, message, warnings } = result;
  return changed ? [message, ...warnings.map((warning) => `Warning: ${warning}`)] : warnings;
}
