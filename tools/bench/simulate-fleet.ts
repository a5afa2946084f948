// Pods that are made in a short time, on paper: a gateway with a throttle, containers of the function that start when all
// others are busy, up to the reserved number, and a read of Parameter Store by each container at its start and once per TTL.
import { seededRandom } from "@outrigger/fake-aws";

export interface FleetOptions {
  readonly calls: number;
  /** Seconds in which the calls come, at random. */
  readonly seconds: number;
  /** The most containers: `reserved`. */
  readonly reserved: number;
  /** Calls a second of the gateway's route, and how many at once. */
  readonly rate: number;
  readonly burst: number;
  /** Milliseconds of a call in a warm container, and of one that starts a container. */
  readonly warm: number;
  readonly cold: number;
  readonly ttl: number;
  /** Containers that are there to begin with. */
  readonly ready: number;
}

export interface FleetReport {
  readonly coldStarts: number;
  /** The most containers that were busy at once. */
  readonly concurrency: number;
  /** Calls that the gateway refused, and that found no container. */
  readonly throttled: number;
  readonly full: number;
  /** Calls of Parameter Store in the busiest second. */
  readonly storeCalls: number;
}

interface Container {
  freeAt: number;
  readAt: number;
}

export function simulateFleet(options: FleetOptions): FleetReport {
  const { calls, seconds, reserved, rate, burst, warm, cold, ttl, ready } = options;
  const random = seededRandom(1);
  const arrivals = Array.from({ length: calls }, () => random() * seconds * 1000).sort((a, b) => a - b);
  const containers: Container[] = Array.from({ length: Math.min(ready, reserved) }, () => ({
    freeAt: 0,
    readAt: random() * ttl - ttl,
  }));
  const reads = new Map<number, number>();
  let [tokens, filledAt, coldStarts, concurrency, throttled, full] = [burst, 0, 0, 0, 0, 0];
  const read = (now: number) => {
    const second = Math.floor(now / 1000);
    reads.set(second, (reads.get(second) ?? 0) + 1);
  };
  for (const now of arrivals) {
    tokens = Math.min(burst, tokens + ((now - filledAt) * rate) / 1000);
    filledAt = now;
    if (tokens < 1) {
      throttled += 1;
      continue;
    }
    tokens -= 1;
    const free = containers.find(({ freeAt }) => freeAt <= now);
    if (free !== undefined) {
      free.freeAt = now + warm;
      if (now - free.readAt >= ttl) {
        free.readAt = now;
        read(now);
      }
    } else if (containers.length < reserved) {
      coldStarts += 1;
      containers.push({ freeAt: now + cold, readAt: now });
      read(now);
    } else full += 1;
    concurrency = Math.max(concurrency, containers.filter(({ freeAt }) => freeAt > now).length);
  }
  return { coldStarts, concurrency, throttled, full, storeCalls: Math.max(0, ...reads.values()) };
}
