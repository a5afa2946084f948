// Who is served what by the snapshot that the store holds: token → cluster → revision → channel → release. Knows no
// HTTP; when the snapshot is read is snapshot-cache.ts's. Entry points differ only in the reader that they pass.
import { layoutOf } from "@outrigger/aws";
import { DEFAULT_REVISION, defined, metadataKeys, OutriggerError, once, unlessOwnError } from "@outrigger/base";
import { type Guardrails, guardedInjection, readGuardrails } from "@outrigger/guardrails";
import { type InjectRequest, loadRelease, rememberInjections } from "@outrigger/injector";
import { type Clock, systemClock } from "../snapshot/clock.ts";
import type { ClusterRecord } from "../snapshot/cluster-record.ts";
import type { Registered, ServedSnapshot } from "../snapshot/served-snapshot.ts";
import { type SnapshotCacheOptions, snapshotCache } from "../snapshot/snapshot-cache.ts";
import { isPodInShare, type Share } from "../snapshot/workload-share.ts";
import { channelReleases, type LoadedRelease } from "./channel-releases.ts";
import type { Call, FindService, KnownCluster, Service } from "./service.ts";

interface ServeStoreOptions extends Omit<SnapshotCacheOptions, "layout" | "insistent" | "clock" | "random"> {
  /** The prefix of the parameters: `/outrigger/<stage>` */
  readonly prefix: string;
  /**
   * Returns the release to serve while the store has never answered. It is undefined if none may be served. It is
   * called when needed, once. Pods that it makes are annotated with it.
   */
  readonly bundled: (() => LoadedRelease) | undefined;
  /** The guardrails of what an injection may add to a pod. If they are left out, it may add anything. */
  readonly guardrails?: Guardrails;
  readonly clock?: Clock;
  readonly random?: () => number;
}

/** The form of a token: 32 bytes as base64url. */
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/**
 * Serves callers by the snapshot below a prefix of Parameter Store. Nothing is read yet: `live.start()` begins it.
 *
 * | the token                          | while nothing has been read        | afterwards |
 * |------------------------------------|------------------------------------|------------|
 * | missing or malformed               | refused at once                    | refused at once |
 * | well-formed and not of the snapshot | waits; then the bundled release | refused; first, one read per TTL is waited for      |
 * | of a cluster of the snapshot          | waits; then the bundled release    | its cluster's release |
 * | any, and nothing was ever published | looks; then fails with the reason | |
 *
 * The bundled release is served without cluster settings to every caller with a well-formed token: callers cannot be
 * distinguished, and the release holds no secrets.
 *
 * A revision that the cluster does not have is served as `default`, with a warning: a pod that says which revision it
 * wants is not left without a sidecar because the record is behind.
 */
export function serveStore({
  prefix,
  bundled: load,
  guardrails = readGuardrails(""),
  clock = systemClock,
  random = Math.random,
  ...options
}: ServeStoreOptions) {
  const layout = layoutOf(prefix);
  const bundled = load && once(() => asFallback(load()));
  const live = snapshotCache({ ...options, clock, random, layout, insistent: bundled === undefined });
  const releases = channelReleases({ bundled, load: loadRelease, report: options.report });
  const inject = rememberInjections(guardedInjection(guardrails));
  let snapshot: ServedSnapshot | undefined;

  /** The call's cluster; a missing token costs what an unknown one costs. */
  function findRegistered(token: string | undefined): Registered | OutriggerError | undefined {
    const now = live.snapshot();
    if (now !== undefined && now !== snapshot) {
      releases.adopt(withShares(now));
      snapshot = now;
    }
    return snapshot?.findCluster(token);
  }

  function findServed(call: Call): Service | undefined {
    const registered = findRegistered(call.token);
    return registered === undefined ? undefined : serviceOf(registered, call);
  }

  function serviceOf(registered: Registered | OutriggerError, { revision }: Call): Service {
    if (registered instanceof OutriggerError) return { ...failing(registered), ...withError(registered.code) };
    const { name, record, slot } = registered;
    const settings: KnownCluster = { name, ...clusterSettings(record) };
    const isKnown = Object.hasOwn(record.revisions, revision);
    const taken = isKnown ? revision : DEFAULT_REVISION;
    const cluster = taken === DEFAULT_REVISION ? settings : { ...settings, revision: taken };
    const caller = { cluster, tokenSlot: slot, ...(isKnown ? {} : { warnings: [unknownRevision(revision)] }) };
    const storeError = live.takeError()?.code;
    try {
      const channel = Object.hasOwn(record.revisions, taken) ? record.revisions[taken] : undefined;
      if (channel === undefined) {
        const message = `Cannot serve cluster "${settings.name}": it has no revision "${revision}" and none called "${DEFAULT_REVISION}"; register it with one`;
        throw new OutriggerError("cluster-invalid", message, { path: settings.name });
      }
      const { digest, injector, isBundled, problem } = releases.find(channel);
      const share = snapshot?.shares?.[channel];
      const warnings = [...(caller.warnings ?? []), ...(isBundled ? [FALLBACK_WARNING] : [])];
      return {
        ...(share === undefined ? {} : { forPod: shareOf(channel, share, settings.name) }),
        ...caller,
        ...(warnings.length === 0 ? {} : { warnings }),
        inject: (request) => inject(injector, request),
        release: digest,
        served: isBundled ? "bundled" : live.isStale() ? "stale" : "current",
        ...withError(storeError ?? problem?.code),
      };
    } catch (error) {
      return { ...caller, ...failing(error), ...withError(storeError) };
    }
  }

  /**
   * Returns the share's service for its workloads, and undefined for others. It is also undefined if the share's
   * release cannot be loaded, which is reported.
   */
  function shareOf(channel: string, { percent }: Share, cluster: string): NonNullable<Service["forPod"]> {
    return ({ pod, namespace }) => {
      if (!isPodInShare({ cluster, pod, namespace }, percent)) return undefined;
      const found = unlessOwnError(() => releases.find(shareKey(channel)));
      if (found === undefined || found.problem !== undefined) return undefined;
      const { digest, injector } = found;
      return { inject: (request) => inject(injector, request), release: digest };
    };
  }

  async function waitForSnapshot(call: Call, waiting: Promise<void> | undefined): Promise<Service | undefined> {
    await waiting;
    if (live.snapshot() !== undefined) return findServed(call);
    const storeError = live.takeError()?.code;
    // Before the first publication no cluster is registered.
    if (bundled === undefined || live.isUnpublished()) {
      const message = "Cannot serve anything yet: Parameter Store has not been read";
      const why = live.lastError() ?? new OutriggerError("store-unavailable", message);
      return { ...failing(why), ...withError(storeError) };
    }
    const { digest, injector } = bundled();
    const { revision } = call;
    return {
      inject: (request) => inject(injector, request),
      release: digest,
      ...(revision === DEFAULT_REVISION ? {} : { cluster: { revision } }),
      warnings: [FALLBACK_WARNING],
      served: "bundled",
      ...withError(storeError),
    };
  }

  const find: FindService = (call) => {
    const isToken = call.token !== undefined && TOKEN.test(call.token);
    if (isToken && live.snapshot() === undefined) return waitForSnapshot(call, live.refresh(call.timeout));
    // A malformed token costs what an unknown one costs.
    const registered = findRegistered(isToken ? call.token : undefined);
    if (registered === undefined) return isToken ? live.confirm(call.timeout)?.then(() => findServed(call)) : undefined;
    const waiting = live.refresh(call.timeout);
    return waiting === undefined ? serviceOf(registered, call) : waiting.then(() => findServed(call));
  };
  return { find, live };
}

/** An API server shows 120 characters of a warning. */
const FALLBACK_WARNING =
  "injected by the release in the artifact: no published one could be read; restart the pod later";

/** The release with an annotation for the pods that it makes, by which they are found when published ones can be read again. */
function asFallback({ digest, injector }: LoadedRelease): LoadedRelease {
  const injectedAnnotations = { ...injector.config.injectedAnnotations, [metadataKeys.fallback]: digest };
  return { digest, injector: { ...injector, config: { ...injector.config, injectedAnnotations } } };
}

/** The releases of shares, as if they were channels: no channel has such a name. */
function withShares(snapshot: ServedSnapshot): ServedSnapshot {
  if (snapshot.shares === undefined) return snapshot;
  const shared = Object.entries(snapshot.shares).map(([channel, { release }]) => [shareKey(channel), release]);
  return { ...snapshot, channels: { ...snapshot.channels, ...Object.fromEntries(shared) } };
}

function shareKey(channel: string): string {
  return `share of ${channel}`;
}

/** A service that always fails with `error`. The review is still parsed, so that the log names the pod. */
function failing(error: unknown): Service {
  return {
    inject: () => {
      throw error;
    },
    release: "",
  };
}

function withError(storeError: Service["storeError"]): Pick<Service, "storeError"> {
  return storeError === undefined ? {} : { storeError };
}

function unknownRevision(revision: string): string {
  return `revision ${revision} is not registered for this cluster: injected as its default revision`;
}

/** The minor version 1.33, since which native sidecars are stable and Istio takes them as given. */
const NATIVE_SIDECARS_SINCE = 33;

/**
 * Settings of a cluster for all its revisions.
 *
 * | `nativeSidecars` of the record | `kubernetesVersion` | native sidecars        |
 * |--------------------------------|---------------------|------------------------|
 * | given                          | any                 | as given               |
 * | –                              | older than 1.33     | no                     |
 * | –                              | 1.33 or newer, or – | what the release says  |
 *
 * A release that turns them off does so for every cluster that does not say otherwise, as with Istio.
 *
 * @example
 * ```ts
 * clusterSettings({ revisions: {}, arn: "", tokens: [], kubernetesVersion: "1.32" }) // => { nativeSidecars: false }
 * clusterSettings({ revisions: {}, arn: "", tokens: [], network: "n1" }) // => { network: "n1" }
 * ```
 */
export function clusterSettings({
  network,
  kubernetesVersion,
  nativeSidecars,
}: ClusterRecord): NonNullable<InjectRequest["cluster"]> {
  const isOlder = Number(kubernetesVersion?.split(".")[1]) < NATIVE_SIDECARS_SINCE;
  return defined({ network, nativeSidecars: nativeSidecars ?? (isOlder ? false : undefined) });
}
