import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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

  it("skips what Go would compile of others, where only what is compiled is asked for", () => {
    const folder = mkdtempSync(join(tmpdir(), "outrigger-go-"));
    const lines = (count: number) => "echo '/tool/linux_amd64/compile -o x' >&2\n".repeat(count);
    const goThatCompiles = (count: number, status = 0) => {
      const script = `#!/bin/sh\n[ "$1 $2" = "test -n" ] || exit 0\n[ "$GOPROXY" = off ] || exit 1\n${lines(count)}exit ${status}\n`;
      writeFileSync(join(folder, "go"), script);
      chmodSync(join(folder, "go"), 0o755);
    };
    try {
      vi.stubEnv("PATH", folder);
      goThatCompiles(400);
      expect(prepareGo(folder)).toBeUndefined();
      vi.stubEnv("OUTRIGGER_GO", "compiled");
      expect(prepareGo(folder)).toMatch(/^Go has not compiled the packages that it uses/);
      goThatCompiles(2);
      expect(prepareGo(folder)).toBeUndefined();
      goThatCompiles(0, 1);
      expect(prepareGo(folder)).toMatch(/^Go has not compiled/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
