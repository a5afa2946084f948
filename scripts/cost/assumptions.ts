// What is reckoned with: what was measured, with the command that measures it, and what is assumed of a fleet.

/** Measured on this project's own machines; the deployed function's log has the truth (`milliseconds`, and Lambda's REPORT). */
export const MEASURED = {
  /** A typical pod, in the handler: `npm run bench`, on two shared cores, rounded up. */
  handlerMilliseconds: 0.25,
  /** Loading the bundle and the release: no more than this over an empty function, `npm run cold-start`. */
  loadMilliseconds: 100,
  /** The patch of a typical pod: `npm run bench`. */
  patchBytes: 7700,
};

export const ASSUMED = {
  /** What Lambda's runtime adds to each call. */
  runtimeMilliseconds: 1,
  /** What Lambda takes to start Node.js, and the first read of Parameter Store. */
  startMilliseconds: 150,
  /** Pods made in a cluster in a month: 137 an hour. */
  podsPerCluster: 100_000,
  /** With reinvocationPolicy IfNeeded, some pods come twice. */
  callsPerPod: 1.2,
  /** Of the calls, those that start a container. */
  coldShare: 0.01,
  /** The inject function's memory: one whole processor. */
  memory: 1769,
  /** Lambda's own START, END and REPORT lines of a call. */
  platformLogBytes: 350,
  /** A line of API Gateway's access log. */
  accessLogBytes: 330,
  /** CloudWatch counts this much for each event, whatever is in it. */
  logEventBytes: 26,
  /** The canary's calls in a month, at one a minute, and what one costs it. */
  canaryCalls: 43_800,
  canaryMilliseconds: 100,
  canaryMemory: 256,
  /** `ttl` of serverless.yml. */
  ttlSeconds: 10,
  /** Zones in which a private API has its endpoint. */
  zones: 2,
};
