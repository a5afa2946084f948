// The time that this process has worked, its threads for garbage collection and compiling included. On a machine with
// other things to do, a clock would count those.

/** Microseconds. */
export function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}
