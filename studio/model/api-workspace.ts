// The workspace of the command line tool, through its API on loopback.

import { isObject, objectOf } from "@outrigger/base";
import type { ExampleTree, Saved, Workspace } from "../wire.ts";
import { listen } from "./connection.ts";
import { ApiError } from "./failure.ts";
import type { WorkspaceSource } from "./workspace.ts";

/** Asks the local API. */
export async function askApi(path: string, init?: RequestInit): Promise<unknown> {
  const response = await fetch(path, { credentials: "same-origin", ...init });
  const value: unknown = await response.json();
  if (response.ok || response.status === 409) return value;
  const { code = "", message = response.statusText, detail } = objectOf(value);
  throw new ApiError(String(code), String(message), detail === undefined ? undefined : String(detail));
}

export function apiWorkspace(ask = askApi): WorkspaceSource {
  let isFirst = true;
  return {
    load: async () => {
      // The page asks for the first before this script is there: index.html.
      const address = isFirst ? "/api/workspace?preview" : "/api/workspace";
      isFirst = false;
      return parseWorkspace(await ask(address));
    },
    save: async (request) => (await ask("/api/entries", sending("PUT", request))) as Saved,
    examples: async () => (await ask("/api/examples")) as readonly ExampleTree[],
    watch: listen,
  };
}

function parseWorkspace(value: unknown): Workspace {
  if (!isObject(value)) throw new ApiError("", "The studio's answer is not a workspace");
  return value as unknown as Workspace;
}

/** A request with a body of JSON. */
export function sending(method: "PUT" | "POST", value: unknown): RequestInit {
  return { method, headers: { "content-type": "application/json" }, body: JSON.stringify(value) };
}
