import { describe, expect, it } from "vitest";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { ownIos } from "./own-io.ts";

/** A process that counts how often it was asked to say when it is to stop. */
function process() {
  const io = fakeIo();
  let asked = 0;
  const stopped = () => {
    asked++;
    return io.stopped();
  };
  return { io, withOwn: ownIos({ ...io, stopped }), asked: () => asked };
}

describe("ownIos()", () => {
  it("begins each line of a cluster with its name, and no empty one", async () => {
    const { io, withOwn } = process();
    const result = await withOwn("shop", async (own) => {
      own.stderr.write("Testing\n\nWriting\n");
      own.stdout.write("{}\n");
      return 7;
    });
    expect(result).toBe(7);
    expect(io.err()).toBe("shop: Testing\n\nshop: Writing\n");
    expect(io.out()).toBe("{}\n");
  });

  it("asks the process once, and stops all that run then or begin later", async () => {
    const { io, withOwn, asked } = process();
    const stopped = (name: string) =>
      withOwn(name, async (own) => {
        await own.stopped();
        return name;
      });
    const running = [stopped("shop"), stopped("pay")];
    io.stop();
    expect(await Promise.all([...running, stopped("late")])).toEqual(["shop", "pay", "late"]);
    expect(asked()).toBe(1);
  });

  it("asks nothing where a cluster does not, and tells none that has ended", async () => {
    const { io, withOwn, asked } = process();
    await withOwn("quiet", async () => {});
    expect(asked()).toBe(0);
    const told: string[] = [];
    const failing = withOwn("shop", async (own) => {
      void own.stopped().then(() => told.push("shop"));
      throw new Error("it is asleep");
    });
    await expect(failing).rejects.toThrow("it is asleep");
    const ends = withOwn("pay", async (own) => own.stopped().then(() => told.push("pay")));
    io.stop();
    await ends;
    expect(told).toEqual(["pay"]);
  });
});
