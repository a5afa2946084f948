// What the publisher is given: everything of it that is not a rule.

import type { Layout } from "../parameter-store/parameter-layout.ts";
import type { ParameterStore, Tier } from "../parameter-store/parameter-store.ts";
import type { packParts } from "../parameter-store/parts.ts";
import type { Release } from "../release/release.ts";
import type { SourceTree } from "../release/source-tree.ts";

export interface PublisherDependencies {
  readonly store: ParameterStore;
  readonly layout: Layout;
  /** Of the parameters that are written. */
  readonly tier: Tier;
  /** The lowest layer of every tree: the shipped templates and defaults. */
  readonly shipped: SourceTree;
  readonly now: () => Date;
  /** Who wrote a version of a parameter, where that can be found out. */
  readonly editorOf?: (name: string, version: number) => Promise<string | undefined>;
  /** compileRelease. */
  readonly compile?: (layers: readonly SourceTree[]) => Release;
  /** loadRelease, for its errors only. */
  readonly load?: (release: Release) => unknown;
  /** packParts. */
  readonly pack?: typeof packParts;
}
