// The workspace of the command line tool, through its API on loopback.

import { isObject } from "@outrigger/base";
import type { SourceTree } from "@outrigger/injector";
import type { Edit, ExampleTree, Saved, Workspace } from "../wire.ts";
import { listen } from "./connection.ts";
import type { WorkspaceSource } from "./workspace.ts";

/** Thrown where the studio answers with an error: its message is for the reader. */
class ApiError extends Error {
  override name = "ApiError";
}

/** Asks the local API. */
export async function askApi(path: string, init?: RequestInit): Promise<unknown> {
  return readAnswer(await fetch(path, { credentials: "same-origin", ...init }));
}

async function readAnswer(response: Response): Promise<unknown> {
  const value: unknown = await response.json();
  if (response.ok || response.status === 409) return value;
  throw new ApiError(isObject(value) ? String(value["message"]) : response.statusText);
}

/** @param first the answer to the first question for the workspace, which was asked before this script was there */
export function apiWorkspace(ask = askApi, first?: Promise<Response>): WorkspaceSource {
  let asked = first;
  return {
    load: async () => {
      const early = asked;
      asked = undefined;
      return parseWorkspace(early === undefined ? await ask("/api/workspace") : await readAnswer(await early));
    },
    save: async (edit: Edit) =>
      parseSaved(
        await ask("/api/entry", {
          method: "PUT",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(edit),
        }),
      ),
    examples: async () => (await ask("/api/examples")) as readonly ExampleTree[],
    watch: listen,
  };
}

function parseWorkspace(value: unknown): Workspace {
  if (!isObject(value)) throw new ApiError("The studio's answer is not a workspace");
  const { name, kind, canSave, shipped, saved, cluster } = value;
  return {
    name: String(name),
    kind: kind === "deployment" ? "deployment" : "directory",
    canSave: canSave === true,
    shipped: shipped as SourceTree,
    saved: saved as SourceTree,
    cluster: typeof cluster === "string" ? cluster : null,
  };
}

function parseSaved(value: unknown): Saved {
  if (isObject(value) && value["saved"] === true) return { saved: true };
  const current = isObject(value) ? value["current"] : undefined;
  return { saved: false, current: typeof current === "string" ? current : null };
}
