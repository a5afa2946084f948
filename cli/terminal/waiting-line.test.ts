import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { waitingLine } from "./waiting-line.ts";

describe("waitingLine()", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("shows nothing for a second, then counts, and is gone before anything is written", () => {
    const io = fakeIo();
    const line = waitingLine(io);
    line.begin("status");
    vi.advanceTimersByTime(999);
    expect(io.err()).toBe("");
    vi.advanceTimersByTime(1001);
    expect(io.err()).toBe("\r\u001b[Kstatus: 1 s\r\u001b[Kstatus: 2 s");
    line.stdout.write("result\n");
    vi.advanceTimersByTime(5000);
    expect([io.out(), io.err()]).toEqual(["result\n", "\r\u001b[Kstatus: 1 s\r\u001b[Kstatus: 2 s\r\u001b[K"]);
  });

  it("leaves the terminal to a question, and to a command that serves", () => {
    const io = fakeIo();
    const asking = waitingLine({ ...io, isAsking: () => true });
    asking.begin("status");
    const serving = waitingLine(io);
    serving.begin("start");
    serving.end();
    vi.advanceTimersByTime(5000);
    expect(io.err()).toBe("");
  });
});
