import { describe, expect, it } from "vitest";
import { decorate, readUntil } from "./calls.ts";

describe("decorate()", () => {
  it("puts one function around every method, and reads the rest as it is", () => {
    const client = {
      name: "shop",
      get: (path: string) => path.toUpperCase(),
      self() {
        return this.name;
      },
    };
    const calls: string[] = [];
    const counted = decorate(client, (method, args, call) => {
      calls.push(method);
      return call(...args);
    });
    expect([counted.name, counted.get("a"), counted.self()]).toEqual(["shop", "A", "shop"]);
    expect(calls).toEqual(["get", "self"]);
  });
});

describe("readUntil()", () => {
  it("reads again until the value is good, or the tries are over", async () => {
    const reading = (tries: number) => {
      const slept: number[] = [];
      let value = 0;
      const sleep = async (milliseconds: number) => slept.push(milliseconds);
      return readUntil(
        async () => ++value,
        (read) => read >= 3,
        { sleep, pause: 5, tries },
      ).then((last) => ({ last, slept }));
    };
    expect(await reading(10)).toEqual({ last: 3, slept: [5, 5] });
    expect(await reading(2)).toEqual({ last: 2, slept: [5] });
  });
});
