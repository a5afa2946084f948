import { OutriggerError } from "@outrigger/base";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { fakeAws } from "../../test/cli/fake-aws.ts";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { main } from "../main.ts";

let aws: ReturnType<typeof fakeAws>;

/** Returns the names alone, as bash reads them. */
async function asked(line: string, connect = aws.connect) {
  const io = fakeIo({ connect });
  let hasLeft = false;
  const leave = () => {
    hasLeft = true;
  };
  const code = await main(["completion", ...line.split(" ")], { ...io, leave });
  return { code, names: io.out().split("\n").slice(0, -1), err: io.err(), hasLeft };
}

const record = (release: string, before: string) =>
  JSON.stringify({
    release,
    pinned: false,
    history: [release, before].map((one) => ({
      at: "2026-01-02T03:04:05Z",
      action: "publish",
      release: one,
      by: "ann",
      why: "tag\tof\nthe proxy",
    })),
  });

describe("outrigger completion SHELL NAMES", () => {
  beforeEach(async () => {
    aws = fakeAws();
    await aws.put(aws.layout.channel("stable"), record("77aa01c2be90", "1f2e3d4c5b6a"));
    await aws.put(aws.layout.channel("canary"), record("1f2e3d4c5b6a", "77aa01c2be90"));
  });

  it("prints channels, releases and trees of the deployment that the line names", async () => {
    expect(await asked("bash channel")).toEqual({ code: 0, names: ["canary", "stable"], err: "", hasLeft: true });
    expect((await asked("bash channel,release")).names.toSorted()).toEqual([
      "1f2e3d4c5b6a",
      "77aa01c2be90",
      "canary",
      "stable",
    ]);
    expect((await asked("bash tree")).names).toEqual(
      expect.arrayContaining(["stable", "1f2e3d4c5b6a", "source", "shipped"]),
    );
    const stages: string[] = [];
    const connect: typeof aws.connect = (target, ...rest) => {
      stages.push(target.stage);
      return aws.connect(target, ...rest);
    };
    for (const words of [
      "promote canary",
      "promote --stage prod",
      "promote --deployment=prod -m",
      "promote --stage = prod",
    ]) {
      await asked(`bash channel -- ${words}`, connect);
    }
    expect(stages).toEqual(["dev", "prod", "prod", "prod"]);
  });

  it("says what each name is, on one line, where the shell shows it", async () => {
    expect((await asked("zsh channel")).names).toEqual(["canary:serves 1f2e3d4c5b6a", "stable:serves 77aa01c2be90"]);
    const [line = ""] = (await asked("fish release")).names;
    expect(line).toMatch(/^[0-9a-f]{12}\t(?:stable|canary)/);
  });

  it("asks no deployment for the examples", async () => {
    const { names } = await asked("bash example", () => Promise.reject(new Error("asked AWS")));
    expect(names).toContain("log-shipper");
  });

  it("is silent where the deployment cannot be read", async () => {
    const denied = () => Promise.reject(new OutriggerError("aws-denied", "Not allowed"));
    expect(await asked("bash channel", denied)).toEqual({ code: 0, names: [], err: "", hasLeft: true });
    expect(await asked("bash channel -- promote --stage")).toMatchObject({ code: 0, names: [], err: "" });
    await aws.put(aws.layout.channel("stable"), "{");
    expect(await asked("bash channel")).toMatchObject({ names: ["canary"], err: "" });
  });

  it("does not wait for a deployment that does not answer", async () => {
    vi.useFakeTimers();
    try {
      const answer = asked("bash channel", () => new Promise(() => {}));
      await vi.advanceTimersByTimeAsync(2000);
      expect(await answer).toEqual({ code: 0, names: [], err: "", hasLeft: true });
    } finally {
      vi.useRealTimers();
    }
  });

  it("never prints a name that a shell would expand", async () => {
    await aws.put(`${aws.layout.channels}/$(touch-x)`, record("77aa01c2be90", "1f2e3d4c5b6a")).catch(() => {});
    expect((await asked("bash channel")).names).toEqual(["canary", "stable"]);
    await aws.put(aws.layout.channel("stable"), record("$(touch x)", "`id`"));
    for (const name of (await asked("bash release")).names) expect(name).toMatch(/^[0-9a-f]{12}$/);
  });

  it("refuses names of another kind", async () => {
    const { code, err } = await asked("bash pods");
    expect(code).toBe(2);
    expect(err).toContain("channel, release, tree, cluster, example");
  });
});
