// When the snapshot is read: at the start, alongside requests, again after failures; and how long a request waits for it.
// Knows nothing of what the snapshot is for. The process may be stopped after every answer, for any time, with a call on its
// way: nothing here relies on running between two requests.
import type { Layout, ParametersByName } from "@outrigger/aws";
import { OutriggerError } from "@outrigger/base";
import { type Attempt, beginAttempt, type Clock, LimitPassed, within } from "./clock.ts";
import { type Reading, readOpened } from "./read-snapshot.ts";
import { openSnapshot, type ServedSnapshot } from "./served-snapshot.ts";
import type { Head } from "./snapshot.ts";

export interface SnapshotCacheOptions {
  readonly reader: ParametersByName;
  readonly layout: Layout;
  readonly clock: Clock;
  /** Returns a number from 0 up to 1, which spreads the reads of many processes. */
  readonly random: () => number;
  /** Milliseconds for which a result is good. */
  readonly ttl: number;
  /** Whether nothing can be served instead of a snapshot: then every request waits its whole budget for one. */
  readonly insistent: boolean;
  /** Takes the error of a read, unless it is the same as that of the read before. */
  readonly report: (error: OutriggerError) => void;
}

/**
 * The part of the deadline that a request may wait. The rest is for what was before us, API Gateway and the start of
 * the process, and for the answer.
 */
const BUDGET = 0.7;
/** The most milliseconds that a caller in a hurry takes from the budget of those after it. */
const WHOLE_BUDGET = 2000;
const PATIENCE = 150;
/** The part of the deadline that a request with a token that may be new may wait: refusing it loses the call. */
const CONFIRMATION = 0.5;
const STALE_AFTER = 60_000;
/** The most milliseconds that API Gateway waits, whatever a caller says. */
const LONGEST_TIMEOUT = 30_000;
/**
 * Milliseconds after which a read counts as failed. If requests wait for the first one, another is then begun next to
 * it, and whichever answer comes first is taken: a store that takes longer than this for every call still serves.
 */
const FIRST_LIMIT = 2000;
const LATER_LIMIT = 5000;
/** Milliseconds that a read continues after its limit: a store that is slow for every call still confirms what is held. */
const GRACE = 20_000;
/** The least milliseconds that a read is given, even by a caller who has less: others need what it brings. */
const SHORTEST_LIMIT = 1000;
/** Milliseconds after which the bucket is read next to Parameter Store. */
const LATE = 500;
/** The milliseconds of budget below which a read is not worth its call. */
const WORTH_A_CALL = 100;
/**
 * Milliseconds of the longest first pause. It doubles with every try up to LONGEST_PAUSE, and each pause is between
 * nothing and that (full jitter).
 */
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 2000;
/** Milliseconds between two looks for the first publication. */
const UNPUBLISHED_PAUSE = 500;

interface Held {
  readonly head: Head;
  readonly snapshot: ServedSnapshot;
  /** The start of the last read that found the snapshot current. */
  readonly confirmedAt: number;
}

export function snapshotCache(options: SnapshotCacheOptions) {
  const { reader, layout, clock, random, ttl, insistent, report } = options;
  let held: Held | undefined;
  let arrive = () => {};
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  let attempt: Attempt | undefined;
  let startedAt = Number.NEGATIVE_INFINITY;
  let nextAt = Number.NEGATIVE_INFINITY;
  let tries = 0;
  let isBudgetSpent = false;
  let lastError: OutriggerError | undefined;
  /** Whether waiting cannot help against the last error. */
  let isFinal = false;
  /** The start of the last read that found nothing published. */
  let unpublishedAt: number | undefined;
  let uncounted: OutriggerError | undefined;
  let lastInstead: OutriggerError["code"] | undefined;

  /** @param left milliseconds that its caller has */
  function begin(most: number, left: number): Attempt {
    attempt?.leave();
    const started = clock.now();
    const seen = held?.head;
    startedAt = started;
    // Also where it fails: a store in trouble is not asked more often.
    nextAt = started + ttl * (1 + random() / 5);
    let isTimely = () => {};
    const late = new Promise<void>((resolve) => {
      isTimely = clock.after(LATE, resolve);
    });
    const begun = beginAttempt(
      // What comes late is still true: it says what the store held when it was asked.
      async (signal) =>
        take(await readOpened(reader, layout, seen, { open: openSnapshot, signal, late }), seen, started),
      Math.max(SHORTEST_LIMIT, Math.min(most, left)),
      clock,
      (cause) => fail(cause, started),
      GRACE,
    );
    attempt = begun;
    void begun.done.then(() => {
      isTimely();
      if (attempt === begun) attempt = undefined;
    });
    return begun;
  }

  /** @param seen what was held when the reading began: it may be "the same" as that, and not as what is held now */
  function take(reading: Reading<ServedSnapshot>, seen: Head | undefined, confirmedAt: number): void {
    // What the bucket has made good is reported and counted all the same.
    const instead = reading.instead === undefined ? undefined : errorOf(reading.instead, layout);
    if (instead !== undefined && instead.code !== lastInstead) report(instead);
    lastInstead = instead?.code;
    uncounted = instead ?? uncounted;
    lastError = undefined;
    isFinal = false;
    unpublishedAt = undefined;
    tries = 0;
    const known =
      reading.kind === "snapshot" ? reading.head.digest : reading.kind === "same" ? seen?.digest : undefined;
    if (known !== undefined && held?.head.digest === known) {
      held = { ...held, confirmedAt: Math.max(confirmedAt, held.confirmedAt) };
    } else if (reading.kind === "snapshot" && (held === undefined || reading.head.seq >= held.head.seq)) {
      held = { head: reading.head, snapshot: reading.snapshot, confirmedAt };
      arrive();
    }
  }

  function fail(cause: unknown, started: number): void {
    const error = errorOf(cause, layout);
    if (error.message !== lastError?.message) report(error);
    lastError = error;
    uncounted = error;
    if (held === undefined && error.code === "release-unknown") {
      unpublishedAt = started;
      isBudgetSpent = false;
      nextAt = clock.now() + UNPUBLISHED_PAUSE;
      return;
    }
    if (!mayPass(error)) unpublishedAt = undefined;
    isFinal = !mayPass(error);
    if (held !== undefined || isFinal) return;
    const firstPause = random() * Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** tries);
    nextAt = clock.now() + (isBudgetSpent ? laterPause() : firstPause);
    tries += 1;
  }

  /**
   * Returns a pause of a TTL on the average: processes that were started together and waited in vain shall not come
   * back together.
   */
  function laterPause(): number {
    return random() * 2 * ttl;
  }

  /**
   * Returns the read on its way, unless it has been so for longer than a read is given: then it was stopped with the
   * process.
   */
  function current(now: number): Attempt | undefined {
    return attempt !== undefined && now >= attempt.startedAt && now < attempt.expiresAt ? attempt : undefined;
  }

  function isDue(now: number): boolean {
    return now >= nextAt || now < startedAt;
  }

  async function waitForFirst(timeout: number): Promise<void> {
    const started = clock.now();
    const end = started + timeout * BUDGET;
    const isAnswered = () => held !== undefined || (unpublishedAt !== undefined && unpublishedAt >= started);
    for (let now = started; !isAnswered() && now < end; now = clock.now()) {
      const joined = current(now);
      if (joined !== undefined) await within(Promise.race([joined.done, arrived]), end - now, clock);
      else if ((attempt !== undefined || isDue(now)) && end - now >= WORTH_A_CALL) begin(FIRST_LIMIT, end - now);
      else if (isFinal) break;
      else await within(arrived, (isDue(now) ? end : Math.min(nextAt, end)) - now, clock);
    }
    if (isAnswered() || insistent) return;
    if (isFinal) isBudgetSpent = true;
    else if (!isBudgetSpent && end - started >= WHOLE_BUDGET) {
      isBudgetSpent = true;
      nextAt = clock.now() + laterPause();
    }
  }

  /**
   * Reads if a read is due, and waits for it. Returns undefined if there is nothing to wait for. Never fails.
   *
   * | in memory               | waits at most                                            |
   * |-------------------------|----------------------------------------------------------|
   * | younger than the TTL    | not at all, and nothing is read                          |
   * | up to a minute          | 150 ms from the beginning of the read                    |
   * | older                   | a quarter of the deadline from the beginning of the read |
   * | nothing                 | the budget: 70 % of the deadline, trying again           |
   * | nothing, budget spent   | a quarter of the deadline, about once per TTL            |
   * | nothing was published   | a reading of its own: each call looks for the head       |
   *
   * @param wanted milliseconds until the caller gives up
   */
  function refresh(wanted: number): Promise<void> | undefined {
    const timeout = Math.min(wanted, LONGEST_TIMEOUT);
    const now = clock.now();
    if (held === undefined && !isBudgetSpent) return waitForFirst(timeout);
    const joined = current(now) ?? (isDue(now) ? begin(LATER_LIMIT, timeout) : undefined);
    if (joined === undefined) return undefined;
    const isFresh = held !== undefined && !isStale();
    const patience = Math.min(isFresh ? PATIENCE : LONGEST_TIMEOUT, timeout / 4);
    const left = joined.startedAt + patience - now;
    const done = held === undefined ? Promise.race([joined.done, arrived]) : joined.done;
    return left > 0 ? within(done, left, clock) : undefined;
  }

  /**
   * Reads before a token that is not known is refused, if the snapshot is older than the TTL: the token may be new. It
   * reads at most once per TTL, whatever comes. Returns undefined if there is nothing to wait for. Never fails.
   */
  function confirm(wanted: number): Promise<void> | undefined {
    const now = clock.now();
    const joined =
      held === undefined ? undefined : (current(now) ?? (isDue(now) ? begin(LATER_LIMIT, wanted) : undefined));
    if (joined === undefined) return undefined;
    const left = joined.startedAt + Math.min(wanted, LONGEST_TIMEOUT) * CONFIRMATION - now;
    return left > 0 ? within(joined.done, left, clock) : undefined;
  }

  /** Whether the snapshot in memory was last found to be current more than a minute (or two TTLs) ago. */
  function isStale(): boolean {
    return held !== undefined && clock.now() - held.confirmedAt > Math.max(STALE_AFTER, 2 * ttl);
  }

  return {
    /** Begins the first read: to be called while the process is still starting. */
    start: () => void begin(FIRST_LIMIT, FIRST_LIMIT),
    snapshot: () => held?.snapshot,
    isStale,
    refresh,
    confirm,
    /** Whether the store has answered that nothing was ever published: then there is no cluster that could call. */
    isUnpublished: () => unpublishedAt !== undefined,
    /** Returns the error of the last read, or undefined if that succeeded. */
    lastError: () => lastError,
    /** Returns the last error for a metric: each failure is returned once. */
    takeError: () => {
      const error = uncounted;
      uncounted = undefined;
      return error;
    },
  };
}

/** Whether a second try can help against the error. */
function mayPass({ code }: OutriggerError): boolean {
  return code === "store-unavailable";
}

function errorOf(cause: unknown, { prefix }: Layout): OutriggerError {
  if (cause instanceof OutriggerError) return cause;
  const place = `${prefix}/serve`;
  const [code, why] =
    cause instanceof LimitPassed
      ? (["store-unavailable", cause.message] as const)
      : (["store-corrupt", "reading it failed because of a bug"] as const);
  return new OutriggerError(code, `Cannot read ${place}: ${why}`, { path: place, cause });
}
