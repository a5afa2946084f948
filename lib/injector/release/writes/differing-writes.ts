// What two releases write, as far as it may differ: an edit of one template or value leaves most writes as they are.
import { type JsonValue, jsonEqual } from "@outrigger/base";
import { templateInputs } from "@outrigger/template";
import { constantRoots } from "../../render/template-data.ts";
import type { Release } from "../load-release.ts";
import { injectorOf } from "../samples/outcome-of.ts";
import { type ReleaseWrites, releaseWrites, usualOf } from "./release-writes.ts";

/**
 * Reads the writes of the templates that may write something else in one of two releases: those that reach an edited text, or read a
 * value that is another one.
 *
 * @param isImageRead whether a text of the tree may write the proxy's images elsewhere than the shipped templates do
 * @throws OutriggerError `release-unsupported` for a release in a form that this version does not know
 */
export function differingWrites(
  before: Release,
  after: Release,
  isImageRead: boolean,
): readonly [was: ReleaseWrites, is: ReleaseWrites] {
  const [was, is] = [inputsOf(before, isImageRead), inputsOf(after, isImageRead)];
  const names = [...new Set([before, after].flatMap(({ templates }) => Object.keys(templates.templates)))];
  const differing = names.filter((name) => was.read(name) !== is.read(name));
  // With the same ProxyConfig in both, pods that share the mesh's get another pod only where pods with one of their own do.
  const isUsualSame = jsonEqual(was.usual as JsonValue, is.usual as JsonValue);
  const writesOf = (release: Release) => {
    const own = differing.filter((name) => Object.hasOwn(release.templates.templates, name));
    return releaseWrites(release, own, isUsualSame ? ["own"] : undefined, isImageRead);
  };
  return [writesOf(before), writesOf(after)];
}

function inputsOf(release: Release, isImageRead: boolean) {
  const usual = usualOf(release, isImageRead);
  const constants = { ...constantRoots(injectorOf(release)), ...usual };
  return { usual, read: (name: string) => templateInputs({ compiled: release.templates, constants, name }) };
}
