// The calls to a Kubernetes API server: paths in, objects out, patience with a server that is busy, and errors that say
// what to do. Knows neither AWS nor what the objects mean. How to get there is passed in.
import { isOwnError, type JsonObject } from "@outrigger/base";
import { FIELD_MANAGER } from "@outrigger/webhook";
import type { HttpAnswer, HttpRequest } from "./http-exchange.ts";
import { bodyOf, found, isBusy, isStatus, notKubernetes, refusal, TRIES, withoutTokens } from "./kube-answer.ts";
import { listObjects } from "./list-all.ts";
import { type ItemReader, listedPods, readPage, wholeObjects } from "./read-page.ts";
import type { ListedPod } from "./read-pod.ts";

/**
 * The calls to one API server, by path: `/api/v1/namespaces/shop`. Each throws an OutriggerError: `cluster-denied` (401, 403),
 * `cluster-conflict` (409), `cluster-kind-unknown` (a path that is not served), `cluster-list-expired` (410),
 * `cluster-webhook-failed` (with the webhook's name as `path`), `cluster-unreachable` (busy, five times), or `cluster-refused`.
 */
export interface KubeClient {
  /** The cluster's name, for messages. */
  readonly name: string;
  /** Milliseconds that the API server's clock is ahead of this machine's, by its last answer; 0 where it is less than some seconds. */
  skew(): number;
  /** The object, or undefined where there is none. */
  get(path: string): Promise<JsonObject | undefined>;
  /** Reads an answer that is text: a log. Undefined where there is none. */
  text(path: string): Promise<string | undefined>;
  /** Every object of a list, read in pages. */
  list(path: string, query?: Readonly<Record<string, string>>): AsyncIterable<JsonObject>;
  /** Lists pods: all of a cluster's are cheaper to read that way. */
  pods(path: string, query?: Readonly<Record<string, string>>): AsyncIterable<ListedPod>;
  /** Server-side apply. With `force`, fields that others have set are taken over. */
  apply(path: string, object: JsonObject, options: { readonly force: boolean }): Promise<JsonObject>;
  /** An update: the object is what is given, if it is still of the `resourceVersion` that it names. */
  replace(path: string, object: JsonObject): Promise<JsonObject>;
  /**
   * An RFC 7386 merge patch; undefined where there is no such object. With `byName`, a strategic one, which merges a list of
   * webhooks by name.
   *
   * @param options `manager` where the write is not to count as this tool's own in `managedFields`
   */
  mergePatch(
    path: string,
    patch: JsonObject,
    options?: { readonly byName?: boolean; readonly manager?: string },
  ): Promise<JsonObject | undefined>;
  /** Asks what would become of the object, and makes none. `warn` takes what the server and its webhooks warn of. */
  createDryRun(path: string, object: JsonObject, warn?: (warning: string) => void): Promise<JsonObject>;
  /** Asks the API server a question that is put as an object, such as an access review: nothing is stored. */
  review(path: string, object: JsonObject): Promise<JsonObject>;
  /** Makes an object of a list: `/api/v1/namespaces/shop/events`. */
  create(path: string, object: JsonObject): Promise<JsonObject>;
  /** False where there was none. With a version, only that version of the object is removed. */
  remove(path: string, resourceVersion?: string): Promise<boolean>;
  /**
   * The client for a command that continues for hours: what reads a state or asks for one is called again for minutes where it is not
   * answered. Questions, dry runs and logs are answered now or not at all.
   */
  patient(patience: Patience): KubeClient;
}

/** The functions that wait, in milliseconds, and that take a line for people. */
interface Patience {
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly report: (line: string) => void;
}

export interface KubeClientOptions {
  readonly name: string;
  readonly exchange: (request: HttpRequest) => Promise<HttpAnswer>;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** The clock of this machine; left out, `Date.now`. */
  readonly now?: () => number;
  /** The patience of {@link KubeClient.patient}. */
  readonly patience?: Patience;
}

/**
 * A client over any way to an API server; {@link openKube} makes one over HTTPS.
 *
 * @param options the cluster's name for messages; `exchange`, which sends one request; and `sleep`, in milliseconds
 */
export function kubeClient({ now = Date.now, ...asked }: KubeClientOptions): KubeClient {
  let skew = 0;
  let away = Number.NEGATIVE_INFINITY;
  const options = {
    ...asked,
    exchange: async (request: HttpRequest) => {
      const answer = await asked.exchange(request).catch((error: unknown) => {
        away = now();
        throw error;
      });
      const ahead = Date.parse(answer.date ?? "") - now();
      if (!Number.isNaN(ahead)) skew = Math.abs(ahead) < NO_SKEW ? 0 : ahead;
      return answer;
    },
  };
  const patience = asked.patience && { ...asked.patience, isStarting: () => now() - away < STARTING };
  const call = async (
    method: string,
    path: string,
    body?: JsonObject,
    contentType = "application/json",
    warn: (warning: string) => void = () => {},
  ) => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body), contentType };
    const wait = method === "POST" && path.includes("dryRun=") ? { timeoutMilliseconds: DRY_RUN_TIMEOUT } : {};
    const request = { method, path, ...sent, ...wait };
    return untilAnswered(method === "POST" ? undefined : patience, async () => {
      const answer = await callPatiently(options, request, warn);
      return answer && bodyOf(answer, options.name, request);
    });
  };
  const pagesOf =
    <Item>(reader: ItemReader<Item>) =>
    (path: string) =>
      untilAnswered(patience, async () => {
        const request = { method: "GET", path };
        const answer = await callPatiently(options, request);
        const page = answer && readPage(answer.body, () => bodyOf(answer, options.name, request), reader);
        const items = page?.list["items"];
        // Go writes an empty list as null in places.
        if (page !== undefined && !Array.isArray(items) && items !== null) throw notKubernetes(options.name, "a list");
        return page;
      });
  return {
    name: options.name,
    skew: () => skew,
    get: (path) => call("GET", path),
    async text(path) {
      const answer = await options.exchange({ method: "GET", path });
      if (answer.status === 200) return answer.body;
      if (answer.status === 400 || answer.status === 404) return undefined;
      throw refusal(answer, options.name, { method: "GET", path });
    },
    list: (path, query = {}) => listObjects(pagesOf(wholeObjects), path, query),
    pods: (path, query = {}) => listObjects(pagesOf(listedPods), path, query),
    async apply(path, object, { force }) {
      const query = `fieldManager=${FIELD_MANAGER}&force=${force}`;
      return found(await call("PATCH", `${path}?${query}`, object, "application/apply-patch+yaml"), path);
    },
    replace: async (path, object) => found(await call("PUT", `${path}?fieldManager=${FIELD_MANAGER}`, object), path),
    mergePatch(path, patch, { byName = false, manager = FIELD_MANAGER } = {}) {
      const type = byName ? "application/strategic-merge-patch+json" : "application/merge-patch+json";
      return call("PATCH", `${path}?fieldManager=${manager}`, patch, type);
    },
    async createDryRun(path, object, warn) {
      const query = `dryRun=All&fieldManager=${FIELD_MANAGER}`;
      return found(await call("POST", `${path}?${query}`, object, "application/json", warn), path);
    },
    create: async (path, object) => found(await call("POST", `${path}?fieldManager=${FIELD_MANAGER}`, object), path),
    review: async (path, object) => found(await call("POST", path, object), path),
    async remove(path, resourceVersion) {
      const body = resourceVersion === undefined ? undefined : { preconditions: { resourceVersion } };
      return (await call("DELETE", path, body)) !== undefined;
    },
    patient: (patience) => kubeClient({ ...asked, now, patience }),
  };
}

const LONGEST_PAUSE = 30_000;
const LONGEST_PATIENCE = 300_000;

/** An API server that starts has not read its roles yet, and allows nobody anything. */
const STARTING = 30_000;

/** Every call asks for a state, and names the version that it changes: made twice, it has its effect once. */
async function untilAnswered<Answer>(
  patience: (Patience & { readonly isStarting: () => boolean }) | undefined,
  call: () => Promise<Answer>,
): Promise<Answer> {
  for (let waited = 0; ; ) {
    try {
      return await call();
    } catch (error) {
      const isFinal = patience === undefined || waited >= LONGEST_PATIENCE;
      const isPassing =
        isOwnError(error, "cluster-unreachable") ||
        (isOwnError(error, "cluster-denied") && patience?.isStarting() === true);
      if (isFinal || !isPassing) throw error;
      if (waited === 0) patience.report(`${error.message}: trying again for ${LONGEST_PATIENCE / 60_000} minutes`);
      const pause = Math.min(Math.max(waited, 1000), LONGEST_PAUSE);
      waited += pause;
      await patience.sleep(pause);
    }
  }
}

/** A `Date` header has whole seconds, and an answer takes its time. */
const NO_SKEW = 5000;
/** A webhook may take 30 seconds, and another one after it; an API server gives up after a minute. */
const DRY_RUN_TIMEOUT = 65_000;
/** The longest wait between two tries, whatever the server asks for. */
const LONGEST_WAIT = 10_000;

/** Every call may be sent twice: what it asks for is a state, not a step. */
async function callPatiently(
  options: KubeClientOptions,
  request: HttpRequest,
  warn: (warning: string) => void = () => {},
): Promise<HttpAnswer | undefined> {
  for (let attempt = 1; ; attempt++) {
    const answer = await options.exchange(request);
    const { status } = answer;
    if (status === 404 && isStatus(answer)) return undefined;
    if (status >= 200 && status < 300) answer.warnings?.map(withoutTokens).forEach(warn);
    if (status >= 200 && status < 300) return answer;
    if (!isBusy(answer) || attempt === TRIES) throw refusal(answer, options.name, request);
    const wait = answer.retryAfter === undefined ? 250 * 2 ** attempt : answer.retryAfter * 1000;
    await options.sleep(Math.min(wait, LONGEST_WAIT));
  }
}
