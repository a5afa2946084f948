// A publisher before a fake Parameter Store, with trees of a few words in place of templates: what it is about is the
// order of calls, not what is compiled.

import type { ParameterStore } from "@outrigger/aws";
import { layoutOf } from "@outrigger/aws";
import { OutriggerError } from "@outrigger/base";
import type { FakeServiceOptions } from "@outrigger/fake-aws";
import { type FakeObjectOptions, fakeObjectStore, fakeParameterStore } from "@outrigger/fake-aws";
import type { SourceTree } from "@outrigger/injector";
import { RELEASE_FORMAT, type Release } from "@outrigger/injector";
import type { PublisherDependencies, PublisherRequest, PublisherResult } from "@outrigger/publisher";
import { runPublisher } from "@outrigger/publisher";
import type { Snapshot } from "@outrigger/serving";
import { readSnapshot, releaseDigest } from "@outrigger/serving";

export const layout = layoutOf("/outrigger/dev");

type Without<Request> = Request extends unknown ? Omit<Request, "cause"> : never;

/** Compiles a tree of words to a release that holds them; "bad" is what cannot be compiled. */
export function compileWords(layers: readonly SourceTree[]): Release {
  const tree = Object.assign({}, ...layers) as SourceTree;
  for (const [path, text] of Object.entries(tree)) {
    if (!text.includes("bad")) continue;
    throw new OutriggerError("template-invalid", `Cannot compile ${path}: it is bad (line 3, column 4)`, {
      path,
      line: 3,
      column: 4,
    });
  }
  return { format: RELEASE_FORMAT, values: tree, warnings: [], templates: EMPTY } as unknown as Release;
}

const EMPTY = { templates: {}, partials: {} };

/** The digest of what a tree compiles to. */
export function digestOfTree(tree: SourceTree): string {
  return releaseDigest(compileWords([tree]));
}

/** Returns what a publisher of words needs, on a clock that advances by a millisecond whenever it is looked at. */
export function dependenciesOn(store: ParameterStore, clock: { time: number }): PublisherDependencies {
  return {
    store,
    layout,
    tier: "Standard",
    bucket: "releases",
    shipped: {},
    compile: compileWords,
    load: () => undefined,
    compare: () => [],
    now: () => new Date(++clock.time),
    sleep: async (milliseconds) => {
      clock.time += milliseconds;
    },
  };
}

export type SetupOptions = FakeServiceOptions &
  Partial<PublisherDependencies> & { readonly inBucket?: Omit<FakeObjectOptions, "now"> };

/** A publisher, its store, and what a test does with them. */
export function publisherSetup(options: SetupOptions = {}) {
  const clock = { time: Date.parse("2026-01-02T03:04:05Z") };
  const bucket = fakeObjectStore({ ...options.inBucket, now: () => clock.time });
  const store = fakeParameterStore({ ...(options as FakeServiceOptions), now: () => clock.time, objects: bucket });
  const own = dependenciesOn(store, clock);
  const dependencies = { ...own, ...(options as Partial<PublisherDependencies>), now: own.now };
  const edit = (path: string, text: string) =>
    store.putParameter({ name: layout.sourceParameter(path), value: text, overwrite: true, tier: "Standard" });
  const run = (
    request: Without<PublisherRequest>,
    more: Partial<PublisherDependencies> = {},
  ): Promise<PublisherResult> =>
    runPublisher({ cause: { by: "ann", why: "" }, ...request } as PublisherRequest, { ...dependencies, ...more });
  return {
    clock,
    store,
    dependencies,
    /** The bucket: its contents, and the number of calls. */
    bucket,
    put: (name: string, value: string) => store.putParameter({ name, value, overwrite: true, tier: dependencies.tier }),
    edit,
    run,
    /** Publishes the mesh `a` to stable, then `b` to canary. */
    publishTwo: async () => {
      await edit("mesh", "a");
      await run({ action: "publish" });
      await edit("mesh", "b");
      await run({ action: "publish", channel: "canary" });
    },
    served: () => servedBy(store),
  };
}

/** Returns the snapshot that a reader gets that has seen nothing. */
async function servedBy(store: Parameters<typeof readSnapshot>[0]): Promise<Snapshot> {
  const reading = await readSnapshot(store, layout, undefined);
  if (reading.kind !== "snapshot") throw new Error("Nothing is served");
  return reading.snapshot;
}
