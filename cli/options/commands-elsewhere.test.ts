import { describe, expect, it } from "vitest";
import { commandsOf } from "../../test/cli/commands-of.ts";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { createProgram } from "../main.ts";
import { meantBy } from "./commands-elsewhere.ts";

describe("meantBy()", () => {
  const said = (line: string) => meantBy(line.split(" "));

  it.each([
    ["rbac", "`outrigger rbac` is now `outrigger print rbac`"],
    ["render -f pod.yaml", "`outrigger render` is now `outrigger inject --overlay`"],
    ["list", "Unknown command 'list': here it is outrigger releases, outrigger channel or outrigger clusters"],
  ])("names the command for %s", (line, text) => expect(said(line)).toBe(text));

  it.each([
    ["pin stable --to 1f2e3d4c5b6a", "`outrigger pin --to` is now `outrigger pin CHANNEL RELEASE`"],
    ["pin --to=1f2e3d4c5b6a", "`outrigger pin --to` is now `outrigger pin CHANNEL RELEASE`"],
    ["rollback --to 1f2e", "`outrigger rollback --to` is now `outrigger rollback CHANNEL RELEASE`"],
    ["print rbac pods --for x", "`outrigger print rbac --for` is now `outrigger print rbac FEATURE`"],
  ])("says of %s where the option is now", (line, text) => expect(said(line)).toBe(text));

  it.each(["channel", "channels", "check", "clusters", "pods", "releases", "rollout"])(
    "says how to watch %s, with the rest of the line",
    (command) => {
      for (const watch of ["-w", "--watch"])
        expect(said(`${command} ${watch} --context prod`)).toBe(
          `Unknown option '-w': here it is watch outrigger ${command} --context prod`,
        );
    },
  );

  it.each([
    "",
    "pods",
    "pods -o wide",
    "inject -w",
    "inject --watch",
    // Options that another command had.
    "promote --to x",
    "pinned --to x",
    "pin --together x",
    "print webhook --for x",
    // Names of every object.
    "constructor",
    "toString",
  ])("has nothing to say of: %s", (line) => expect(said(line)).toBeUndefined());

  it("says nothing of a command as the tool has it now", async () => {
    for (const { path, command } of commandsOf(await createProgram(fakeIo())))
      for (const { long } of command.options)
        if (long !== "--watch")
          expect([path, long, meantBy([...path, long ?? "", "x"])]).toEqual([path, long, undefined]);
  });
});
