// Which templates of two releases may write something else.
import { templateInputs } from "@outrigger/template";
import { constantRoots, usualRoots } from "../../render/template-data.ts";
import { loadRelease, type Release } from "../load-release.ts";

/** Returns the templates that may write something else: those that reach an edited text, or read a value that is another one. */
export function templatesThatDiffer(before: Release, after: Release): readonly string[] {
  const names = [...new Set([before, after].flatMap(({ templates }) => Object.keys(templates.templates)))];
  const [was, is] = [inputsOf(before), inputsOf(after)];
  return names.filter((name) => was(name) !== is(name));
}

function inputsOf(release: Release): (name: string) => string {
  const injector = loadRelease(release);
  const constants = { ...constantRoots(injector), ...usualRoots(injector) };
  return (name) => templateInputs({ compiled: release.templates, constants, name });
}
