// Waits on a clock of the test's own.
import type { Clock } from "./virtual-clock.ts";

export function sleep(milliseconds: number, clock: Clock): Promise<void> {
  return new Promise((resolve) => void clock.after(milliseconds, resolve));
}
