import { expect, it } from "vitest";
import { stateDirectory } from "./state-directory.ts";

it.each([
  [{ XDG_STATE_HOME: "/state", HOME: "/home/a" }, "/state/outrigger"],
  [{ HOME: "/home/a" }, "/home/a/.local/state/outrigger"],
  [{ XDG_STATE_HOME: "", HOME: "/home/a" }, "/home/a/.local/state/outrigger"],
  // The specification: "All paths set in these environment variables must be absolute."
  [{ XDG_STATE_HOME: "state", HOME: "/home/a" }, "/home/a/.local/state/outrigger"],
  [{ XDG_STATE_HOME: "state" }, undefined],
  [{}, undefined],
])("stateDirectory() of %j is %s", (env, directory) => {
  expect(stateDirectory(env)).toBe(directory);
});
