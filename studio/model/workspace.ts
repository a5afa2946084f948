// What the page works on, wherever it comes from: the local API of the command line tool, or the playground's own texts, which never
// leave the browser.

import type { SourceTree } from "@outrigger/injector";
import type { PreviewAnswer } from "../preview/question.ts";
import type { ExampleTree, Save, Saved, Workspace } from "../wire.ts";
import { askApi, listen, sending } from "./connection.ts";
import { PLAYGROUND_WORKSPACE } from "./state.ts";

/** Where a workspace is kept. */
interface WorkspaceSource {
  load(): Promise<Workspace>;
  /** All edits, or none. */
  save(request: Save): Promise<Saved>;
  /** Trees to start from. */
  examples(): Promise<readonly ExampleTree[]>;
  /** Calls back when the workspace has been changed by another user, or may have been. */
  watch(onChange: () => void): void;
}

/** What the build puts into the playground's page. */
interface PlaygroundTrees {
  readonly shipped: SourceTree;
  readonly examples: readonly ExampleTree[];
  /** What is shown first. */
  readonly preview: PreviewAnswer;
}

/** As JSON; null where the page belongs to the command line tool. */
declare const PLAYGROUND: string;

const trees = JSON.parse(PLAYGROUND) as PlaygroundTrees | null;

export const source = trees === null ? ofApi() : ofPlayground(trees);

function ofApi(): WorkspaceSource {
  // The page asks for the first before this script is there: index.html.
  let address = "/api/workspace?preview";
  return {
    load: async () => {
      const asked = address;
      address = "/api/workspace";
      return (await askApi(asked)) as Workspace;
    },
    save: async (request) => (await askApi("/api/entries", sending("PUT", request))) as Saved,
    examples: async () => (await askApi("/api/examples")) as readonly ExampleTree[],
    watch: listen,
  };
}

function ofPlayground({ shipped, examples, preview }: PlaygroundTrees): WorkspaceSource {
  return {
    load: async () => ({ ...PLAYGROUND_WORKSPACE, shipped, preview }),
    save: async () => ({ saved: false, current: {} }),
    examples: async () => examples,
    watch: () => {},
  };
}
