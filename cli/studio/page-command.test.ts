import { setImmediate as turn } from "node:timers/promises";
import { expect, it } from "vitest";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { askYes } from "../terminal/ask-yes.ts";
import { pageCommand } from "./page-command.ts";

it("keeps what a command prints, hands on the answer to its question, and says how it ended", async () => {
  const command = pageCommand(async (io) => {
    io.stderr.write("To restart: 2 workloads\n");
    await askYes(io, "Restart 2 workloads?", "Nothing was restarted");
    io.stdout.write("2 done\n");
    return 0;
  }, fakeIo());
  expect(command.state()).toBeNull();
  expect(() => command.act("yes")).toThrow("nothing is asked");
  expect(command.act("begin")).toEqual({
    text: "To restart: 2 workloads\n",
    isStopping: false,
    question: "Restart 2 workloads?",
  });
  expect(() => command.act("begin")).toThrow("under way already");
  expect(command.act("yes")).not.toHaveProperty("question");
  await turn();
  expect(command.state()).toEqual({ text: "To restart: 2 workloads\n2 done\n", isStopping: false, code: 0 });
  // It can be begun again, from nothing.
  expect(command.act("begin")?.text).toBe("To restart: 2 workloads\n");
});

it("a no and a fault end it, and nothing is left to be answered", async () => {
  const command = pageCommand((io) => askYes(io, "Restart?", "Nothing was restarted").then(() => 0), fakeIo());
  command.act("begin");
  command.act("no");
  await turn();
  expect(command.state()).toMatchObject({ code: 3, text: expect.stringContaining("Nothing was restarted") });
  expect(() => command.act("no")).toThrow("nothing is asked");
});

it("is stopped as by Ctrl-C, and keeps the last of a long output", async () => {
  const command = pageCommand(async (io) => {
    io.stderr.write("x".repeat(200_000));
    await io.stopped();
    io.stderr.write("stopped");
    return 1;
  }, fakeIo());
  command.act("begin");
  expect(command.state()?.text).toHaveLength(100_000);
  expect(command.act("stop")).toMatchObject({ isStopping: true });
  await turn();
  expect(command.state()).toMatchObject({ code: 1, text: expect.stringMatching(/xstopped$/) });
});
