// A limit of calls a second, as AWS's services have it: what is not used is kept for a second.

/** Returns whether one more may pass, and counts it if so. */
export function tokenBucket(perSecond: number, now: () => number): () => boolean {
  let tokens = perSecond;
  let last = now();
  return () => {
    const time = now();
    tokens = Math.min(perSecond, tokens + ((time - last) / 1000) * perSecond);
    last = time;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  };
}
