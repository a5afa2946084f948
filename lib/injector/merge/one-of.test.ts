import { describe, expect, it } from "vitest";
import { withoutReplaced } from "./one-of.ts";

const GET = { httpGet: { path: "/", port: 1 } };
const EXEC = { exec: { command: ["true"] } };

describe("withoutReplaced()", () => {
  it.each(["livenessProbe", "readinessProbe", "startupProbe"])(
    "leaves out the handler of %s that the author replaces",
    (key) => {
      const injected = { name: "a", [key]: { ...GET, periodSeconds: 3 } };
      expect(withoutReplaced(injected, { name: "a", [key]: EXEC })).toEqual({ name: "a", [key]: { periodSeconds: 3 } });
      expect(withoutReplaced(injected, { name: "a", [key]: GET })).toBe(injected);
    },
  );

  it.each(["postStart", "preStop"])(
    "leaves out the handler of %s that the author replaces, and keeps the other hook",
    (key) => {
      const injected = { name: "a", lifecycle: { postStart: GET, preStop: GET } };
      expect(withoutReplaced(injected, { name: "a", lifecycle: { [key]: EXEC } })).toEqual({
        name: "a",
        lifecycle: { postStart: GET, preStop: GET, [key]: {} },
      });
    },
  );

  it("leaves out the source of a variable whose value the author writes, and the other way round", () => {
    const reference = { fieldRef: { fieldPath: "metadata.name" } };
    const injected = {
      name: "a",
      env: [
        { name: "A", value: "x" },
        { name: "B", valueFrom: reference },
        { name: "C", value: "c" },
      ],
    };
    const author = {
      name: "a",
      env: [
        { name: "A", valueFrom: reference },
        { name: "B", value: "b" },
        { name: "C", value: "d" },
      ],
    };
    expect(withoutReplaced(injected, author).env).toEqual([{ name: "A" }, { name: "B" }, { name: "C", value: "c" }]);
  });

  it("gives the same container where the author writes none of it", () => {
    const injected = { name: "a", livenessProbe: GET, lifecycle: { preStop: GET }, env: [{ name: "A", value: "x" }] };
    expect(withoutReplaced(injected, { name: "a" })).toBe(injected);
  });
});
