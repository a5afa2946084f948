// Commands in a row before a store whose readings are behind its writes: a parameter that was created a moment ago is missing from
// every reading. That is never a deletion, an edit of another person, or "nothing to do".

import { layoutOf } from "@outrigger/aws";
import { readSettledSource } from "@outrigger/publisher";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fakeAws, SHIPPED } from "../../test/cli/fake-aws.ts";
import { fakeCli } from "../../test/cli/fake-cli.ts";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { main } from "../main.ts";

const LAGS = [300, 1200, 2000];
const ONE = "values/10-own";
const FILE = `${ONE}.yaml`;

describe.each(LAGS)("when new parameters are missing for %i ms,", (lag) => {
  let clock: { time: number };
  let isLagging: boolean;
  let aws: ReturnType<typeof fakeAws>;
  let cli: ReturnType<typeof fakeCli>;
  beforeEach(() => {
    clock = { time: Date.now() };
    isLagging = false;
    aws = fakeAws({ now: () => clock.time, lag: () => (isLagging ? lag : 0), hidesNew: true });
    cli = fakeCli(aws.connect, SHIPPED);
  });
  afterEach(() => cli.remove("."));

  /** A command line, on a clock that advances when the command waits. */
  async function run(line: string) {
    const sleep = async (milliseconds: number) => {
      clock.time += milliseconds;
    };
    const io = { ...fakeIo({ cwd: cli.cwd, connect: aws.connect, templates: `${cli.cwd}/shipped` }), sleep };
    return { code: await main(line.split(" "), io), out: io.out(), err: io.err() };
  }

  /** A directory that was pushed, and then another file of it, while readings are behind. */
  async function pushed() {
    cli.write("tree/values/00-first.yaml", "a: 1\n");
    await run("push tree");
    clock.time += 10_000;
    isLagging = true;
    cli.write(`tree/${FILE}`, "global:\n  hub: registry.example/own\n");
    expect(await run("push tree")).toMatchObject({ code: 0 });
  }

  it("pull after push deletes nothing", async () => {
    await pushed();
    expect(await run("pull tree")).toMatchObject({ code: 0, out: expect.stringContaining("Nothing to pull") });
    expect(cli.read(`tree/${FILE}`)).toContain("registry.example/own");
  });

  it("push after push writes what was edited since, and finds no one else's edit", async () => {
    await pushed();
    clock.time += lag / 2;
    expect(await run("push tree")).toMatchObject({ code: 0, out: expect.not.stringContaining("others") });
    cli.write(`tree/${FILE}`, "global:\n  hub: registry.example/next\n");
    expect(await run("push tree")).toMatchObject({ code: 0, out: expect.stringContaining("Pushed 1 change") });
    expect(aws.stored(ONE)).toContain("registry.example/next");
  });

  it("pull after a push of an edit does not bring back the text before it", async () => {
    await pushed();
    clock.time += 10_000;
    cli.write(`tree/${FILE}`, "global:\n  hub: registry.example/next\n");
    expect(await run("push tree")).toMatchObject({ code: 0 });
    expect(await run("pull tree")).toMatchObject({ code: 0, out: expect.stringContaining("Nothing to pull") });
    expect(cli.read(`tree/${FILE}`)).toContain("registry.example/next");
  });

  it("the first push of all is seen by the pull after it", async () => {
    isLagging = true;
    cli.write(`tree/${FILE}`, "a: 1\n");
    expect(await run("push tree")).toMatchObject({ code: 0 });
    expect(await run("pull tree")).toMatchObject({ code: 0 });
    expect(cli.read(`tree/${FILE}`)).toBe("a: 1\n");
  });

  it("publish reads what was pushed as a whole", async () => {
    await pushed();
    const { tree } = await readSettledSource(aws.store, layoutOf("/outrigger/dev"), {
      now: () => new Date(clock.time),
      sleep: async (milliseconds) => {
        clock.time += milliseconds;
      },
    });
    expect(Object.keys(tree)).toContain(ONE);
  });

  it("what another person deleted is deleted, a little later", async () => {
    await pushed();
    clock.time += 10_000;
    await aws.remove(ONE);
    clock.time += 10_000;
    expect(await run("pull tree")).toMatchObject({ code: 0, out: expect.stringContaining(`deleted  ${FILE}`) });
  });
});

describe("a store that gives by name what it does not list", () => {
  it("is not believed", async () => {
    const { store, put, layout } = fakeAws();
    await put(layout.sourceParameter(ONE), "a: 1\n");
    const blind = { ...store, getParametersByPath: async () => ({ parameters: [], next: undefined }) };
    const reading = readSettledSource(blind, layout, {
      expected: { paths: [ONE], manifestVersion: 0 },
      sleep: async () => {},
    });
    await expect(reading).rejects.toThrow("does not list all");
  });
});
