import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { prepareGo, reasonToSkip } from "./go-checks.ts";

const ended = { command: "test", status: 1, signal: null, stderr: "", error: undefined } as const;

describe("reasonToSkip()", () => {
  it.each([
    ["nothing, when the command ended well", { status: 0 }, undefined],
    ["a missing Go", { command: "version", status: null, error: new Error("ENOENT") }, "Go is not installed"],
    ["modules that cannot be fetched", { command: "mod" }, "the Go modules cannot be downloaded"],
    ["a compiler that was stopped", { status: null, signal: "SIGTERM" }, "Go has not compiled the checks"],
    ["too little memory", { stderr: "compile: signal: killed" }, "the machine has too little memory or disk space"],
    ["no errors in our code, which go test reports", { stderr: "./a_test.go:3:1: undefined: x" }, undefined],
  ] as const)("names %s", (_, change, expected) => {
    const reason = reasonToSkip({ ...ended, ...change });
    if (expected === undefined) expect(reason).toBeUndefined();
    else expect(reason).toContain(expected);
  });
});

describe("prepareGo()", () => {
  beforeEach(() => void vi.stubEnv("PATH", "/nonexistent"));
  afterEach(() => void vi.unstubAllEnvs());

  it("skips where there is no Go, and where there is no time", () => {
    expect(prepareGo(".")).toBe("Go is not installed");
    vi.stubEnv("OUTRIGGER_GO_SECONDS", "-5");
    expect(prepareGo(".")).toBe("there is no time left for Go");
    expect(() => prepareGo("gone")).toThrow("There is no folder gone");
  });
});
