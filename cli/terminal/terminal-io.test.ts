import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { terminalIo } from "./terminal-io.ts";

describe("terminalIo()", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());
  const opened = (more: Partial<Parameters<typeof terminalIo>[0]> = {}) => {
    const outer = fakeIo({ isTerminal: true });
    return { outer, terminal: terminalIo({ ...outer, ...more }) };
  };

  it("shows on a terminal that a silent command is at work, until it writes", () => {
    const { outer, terminal } = opened();
    terminal.begin("publish", "json");
    vi.advanceTimersByTime(2500);
    expect(outer.err()).toContain("publish: 2 s");
    terminal.io.stdout.write("done\n");
    const shown = outer.err();
    vi.advanceTimersByTime(5000);
    expect([outer.out(), outer.err()]).toEqual(["done\n", shown]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each<[string, (terminal: ReturnType<typeof terminalIo>) => void]>([
    ["another program takes the terminal", ({ io }) => io.yieldTerminal?.()],
    ["it serves until it is stopped", ({ io }) => void io.stopped()],
    ["it ends", ({ end }) => end()],
    ["it says something", ({ io }) => void io.stderr.write("Warning\n")],
  ])("shows that no more once %s", (_what, happen) => {
    const { outer, terminal } = opened();
    terminal.begin("start", "json");
    happen(terminal);
    vi.advanceTimersByTime(5000);
    expect(outer.err()).not.toContain("start: ");
  });

  it("shows nothing of that to a pipeline", () => {
    const { outer, terminal } = opened({ isTerminal: false });
    terminal.begin("publish", "json");
    vi.advanceTimersByTime(5000);
    expect([outer.err(), vi.getTimerCount()]).toEqual(["", 0]);
  });

  it("is stopped when the process is", async () => {
    const { outer, terminal } = opened();
    const stopped = terminal.io.stopped();
    outer.stop();
    expect(await stopped).toBeUndefined();
  });

  it("knows the format of results once the command begins: JSON until then", () => {
    const { terminal } = opened();
    expect(terminal.io.machineFormat?.()).toBe("json");
    terminal.begin("channel", "yaml");
    expect(terminal.io.machineFormat?.()).toBe("yaml");
    terminal.end();
  });

  it("colours the streams that are terminals, and no other", () => {
    const text = "Error: no\n--- a\n+++ b\n+c\n-d\n";
    const written = (colours: { readonly stdout: boolean; readonly stderr: boolean } | undefined) => {
      const { outer, terminal } = opened(colours === undefined ? {} : { colours });
      terminal.io.stdout.write(text);
      terminal.io.stderr.write(text);
      return [outer.out() === text, outer.err() === text];
    };
    expect(written(undefined)).toEqual([true, true]);
    expect(written({ stdout: false, stderr: false })).toEqual([true, true]);
    expect(written({ stdout: true, stderr: false })).toEqual([false, true]);
    expect(written({ stdout: false, stderr: true })).toEqual([true, false]);
  });
});
