// What the page works on, wherever it comes from: the local API of the command line tool, or the playground's own texts, which never
// leave the browser.

import type { SourceTree } from "@outrigger/injector";
import type { PreviewAnswer } from "../preview/question.ts";
import type { Edit, ExampleTree, Saved, Workspace } from "../wire.ts";
import { askApi, listen, sending } from "./connection.ts";
import { PLAYGROUND_WORKSPACE } from "./state.ts";

/** What the build puts into the playground's page. */
interface PlaygroundTrees {
  readonly shipped: SourceTree;
  readonly examples: readonly ExampleTree[];
  readonly preview: PreviewAnswer;
}

/** The playground's workspace as JSON; null where the page belongs to the command line tool. */
declare const PLAYGROUND: string;

const trees = JSON.parse(PLAYGROUND) as PlaygroundTrees | null;

export const source = trees === null ? ofApi() : ofPlayground(trees);

function ofApi() {
  // The page asks for the first before this script is there: index.html.
  let address = "/api/workspace?preview";
  return {
    load: async (): Promise<Workspace> => {
      const asked = address;
      address = "/api/workspace";
      return askApi(asked) as Promise<Workspace>;
    },
    /** All edits, or none. */
    save: (edits: readonly Edit[]) => askApi("/api/entries", sending("PUT", { edits })) as Promise<Saved>,
    examples: () => askApi("/api/examples") as Promise<readonly ExampleTree[]>,
    /** Calls back when the workspace has been changed by another user, or may have been. */
    watch: listen,
  };
}

function ofPlayground({ shipped, examples, preview }: PlaygroundTrees): ReturnType<typeof ofApi> {
  return {
    load: async () => ({ ...PLAYGROUND_WORKSPACE, shipped, preview }),
    save: async () => ({ saved: false, current: {} }),
    examples: async () => examples,
    watch: () => {},
  };
}
