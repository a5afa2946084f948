// An event of another workload: with the uid of a controller that no event had before, so that no answer is remembered.

/** Finds the controller's uid in the body, which is JSON in a string. */
const CONTROLLER_UID = /(\\"kind\\":\\"ReplicaSet\\",\\"name\\":\\"[^"]*\\",\\"uid\\":\\")[0-9a-f-]{36}/;
let workloads = 0;

export function ofNewWorkload(event: string): string {
  workloads += 1;
  const uid = String(workloads).padStart(36, "0");
  const renewed = event.replace(CONTROLLER_UID, (_, before: string) => before + uid);
  if (renewed === event) throw new Error("Cannot make an event of a new workload: its pod has no ReplicaSet");
  return renewed;
}
