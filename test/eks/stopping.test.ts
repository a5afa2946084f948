// Ctrl-C during `outrigger register --phase enforce`, through the command line: at every call, everything is restored or what
// remains is said.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type CliLab, openCliLab } from "./cli-lab.ts";

const ENFORCE = ["register", "--cluster", "shop", "--ca-file", "ca.pem", "--phase", "enforce", "--safety-net", "deny"];

describe("Ctrl-C", { timeout: 180_000 }, () => {
  let lab: CliLab;
  beforeEach(async () => {
    lab = await openCliLab();
    expect((await lab.run("publish")).code).toBe(0);
  });
  afterEach(() => lab.close());

  const objects = () =>
    [...lab.api.objects].flatMap(([path, object]) => {
      const { metadata: _, ...content } = object;
      return path.includes("admissionregistration") ? [[path, content] as const] : [];
    });
  const record = () => JSON.parse(lab.aws.store.values()["/outrigger/dev/clusters/shop"] ?? "{}");

  /** Presses Ctrl-C while a call of the API server is under way. */
  async function stopAt(isCall: (method: string, path: string) => boolean) {
    const { io, ended } = lab.start(ENFORCE);
    let isStopped = false;
    lab.api.before = (method, path) => {
      if (isStopped || !isCall(method, path)) return;
      isStopped = true;
      io.stop();
    };
    const code = await ended;
    lab.api.before = () => {};
    return { code, err: io.err(), isStopped };
  }

  const moments: readonly (readonly [string, (method: string, path: string) => boolean])[] = [
    ["the first look", (method) => method === "GET"],
    ["the first apply", (method, path) => method === "PATCH" && path.includes("mutatingwebhook")],
    ["the safety net is applied", (method, path) => method === "PATCH" && path.includes("policybinding")],
    ["the proof", (method) => method === "POST"],
  ];

  it.each(moments)("at %s restores a cluster that was not registered", async (_what, isCall) => {
    const { code, err, isStopped } = await stopAt(isCall);
    expect([code, isStopped]).toEqual([3, true]);
    expect(err).toContain("Stopping after the current call, and restoring what was changed");
    expect(err).toContain("The command did not finish: it was stopped; run it again");
    expect([objects(), record()]).toEqual([[], {}]);
    expect((await lab.run(...ENFORCE)).code).toBe(0);
  });

  it("restores a registered cluster as it was", async () => {
    expect((await lab.register("--phase", "cluster")).code).toBe(0);
    const before = [objects(), record().tokens];
    const { code, err } = await stopAt(moments[3]?.[1] as (method: string) => boolean);
    expect([code, err]).toEqual([3, expect.stringContaining("Everything is as it was before")]);
    expect([objects(), record().tokens]).toEqual(before);
  });

  it("says what remains when the API server does not let it be restored", async () => {
    const { code, err } = await stopAt((method, path) => {
      if (method !== "POST" || path.endsWith("reviews")) return false;
      lab.api.faults.push({ method: "DELETE", path: "mutatingwebhook", status: 403, message: "no" });
      return true;
    });
    expect(code).toBe(3);
    expect(err).toContain("Not restored: mutatingwebhookconfigurations outrigger-sidecar-injector: Not allowed");
    expect(err).toContain("run outrigger check --section registration, then register again");
    // What remains rejects no pod.
    expect(JSON.stringify(objects())).not.toMatch(/"Fail"(?!,"matchC)|"Deny"/);
  });
});
