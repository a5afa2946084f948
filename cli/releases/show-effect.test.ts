import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fakeAws } from "../../test/cli/fake-aws.ts";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { type CliLab, openCliLab } from "../../test/eks/cli-lab.ts";
import { deployedPods } from "../../test/eks/deployed-pods.ts";
import type { Deployment } from "../connect/deployment.ts";
import type { AskOptions } from "./ask-and-print.ts";
import { showingEffect, showingRestart } from "./show-effect.ts";

const io = fakeIo();
const ANSWER = { ok: true, message: "", seq: 1, changed: true, warnings: [] } as const;
const RELEASE = "1f2e3d4c5b6a";

/** What is read for an answer, of a deployment in which there is nothing. */
async function read({ readEffect }: Pick<AskOptions, "readEffect">, answer: object) {
  const { connect, layout } = fakeAws();
  const target = { stage: "dev", layout, publisher: "outrigger-dev-publish" };
  const deployment: Deployment = { ...(await connect(target)), target };
  return readEffect?.({ ...ANSWER, ...answer }, deployment).then(
    (effect) => effect ?? "nothing",
    (error: { readonly code: string; readonly message: string }) => error.message,
  );
}

describe("showingEffect()", () => {
  it.each([{}, { cluster: "shop" }, { context: "prod" }, { dryRun: true }] as const)(
    "leaves the options as they are with %j",
    (options) => {
      expect(showingEffect(options, io)).toBe(options);
    },
  );

  it.each([{ cluster: "shop" }, { context: "prod" }, { kubeconfig: "file" }])(
    "reads the effect in a dry run with %j, and leaves the other options",
    (place) => {
      expect(showingEffect({ ...place, dryRun: true }, io)).toEqual({
        ...place,
        dryRun: true,
        readEffect: expect.any(Function),
      });
    },
  );

  it("reads nothing for an answer that is about no channel, or has no release to compare with", async () => {
    const shown = showingEffect({ dryRun: true, cluster: "shop" }, io);
    for (const answer of [{}, { channel: "stable" }, { release: RELEASE }])
      expect(await read(shown, answer)).toBe("nothing");
    expect(await read(shown, { channel: "stable", release: RELEASE })).toContain("Cannot find channel stable");
  });

  it("compares with what it is told to in place of the answer's release", async () => {
    const shown = showingEffect({ dryRun: true, cluster: "shop" }, io, "source");
    expect(await read(shown, { release: RELEASE })).toBe("nothing");
    expect(await read(shown, { channel: "stable" })).toContain("Cannot find channel stable");
  });
});

describe("showingRestart()", () => {
  const question = (release: string) => ({ release });

  it("reads no more than the effect for an answer that is about no channel, or has no release", async () => {
    const shown = showingRestart({ dryRun: true, cluster: "shop" }, question, io);
    for (const answer of [{}, { channel: "stable" }, { release: RELEASE }])
      expect(await read(shown, answer)).toBe("nothing");
  });

  it("fails where the cluster cannot be asked", async () => {
    const shown = showingRestart({ dryRun: true }, question, io);
    expect(await read(shown, { channel: "stable", release: RELEASE })).not.toBe("nothing");
  });
});

describe("a dry run of a move that names a cluster", { timeout: 180_000 }, () => {
  let lab: CliLab;
  let [own, next] = ["", ""];
  const KUBECONFIG = ["--kubeconfig", "kubeconfig", "--context", "eks"];
  beforeAll(async () => {
    lab = await openCliLab();
    lab.namespace("shop", { "istio-injection": "enabled" });
    own = JSON.parse((await lab.run("publish", "--json")).out).release;
    expect((await lab.register("--phase", "cluster")).code).toBe(0);
    const run = deployedPods(() => lab);
    for (const name of ["web", "cart"]) await run(name);
    await lab.aws.edit("values/10-mine", "global: {hub: next.example}\n");
    next = JSON.parse((await lab.run("publish", "--channel", "canary", "--json")).out).release;
  });
  afterAll(() => lab.close());
  const dry = (...words: readonly string[]) => lab.run(...words, "--dry-run");

  it.each([
    ["by a context", KUBECONFIG],
    ["by its name", ["--cluster", "shop"]],
  ])("shows which workloads the release would change, %s", async (_how, place) => {
    const { code, out, err } = await dry("promote", "canary", "stable", ...place);
    expect([code, err]).toEqual([0, expect.stringContaining("What changes for pods:")]);
    expect(out).toContain("(dry run: nothing was written)\n");
    expect(out).toContain("2 of 2 pods of shop would come out differently, in 2 workloads\n");
    expect(out).toContain("registry.example/shipped/proxyv2 → next.example/proxyv2");
    const json = JSON.parse((await dry("promote", "canary", "stable", ...place, "--json")).out);
    expect(json).toMatchObject({
      ...{ channel: "stable", release: next },
      effect: { before: { name: "stable", release: own }, after: { name: next, release: next }, workloads: 2 },
    });
    expect(json).not.toHaveProperty("restart");
  });

  it("shows what it would restart below that, and among the fields of the answer", async () => {
    await lab.run("promote", "canary", "stable");
    const back = await dry("rollback", "stable", "--restart", ...KUBECONFIG);
    expect(back.code, back.err).toBe(0);
    const parts = ["(dry run: nothing was written)\n", "2 of 2 pods of shop would", "\nNothing to restart: "];
    const places = parts.map((part) => back.out.indexOf(part));
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    const json = JSON.parse((await dry("rollback", "stable", "--restart", ...KUBECONFIG, "--json")).out);
    expect(json).toMatchObject({
      release: own,
      effect: { after: { release: own } },
      restart: { cluster: "shop", restart: [] },
    });
  });
});
