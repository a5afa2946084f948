import { describe, expect, it } from "vitest";
import { fakeAws } from "../../test/cli/fake-aws.ts";
import { fakeIo } from "../../test/cli/fake-io.ts";
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
