// The memory of requests that got no answer: the same command, run again on this machine, sends the same request, which
// the publisher carries out once.
import { createHash } from "node:crypto";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isObject } from "@outrigger/base";
import { type PublisherRequest, parsePublisherRequest } from "@outrigger/publisher";
import { makeFolder } from "../project/make-folder.ts";
import type { Io } from "../terminal/io.ts";
import { stateDirectory } from "./state-directory.ts";

/** Milliseconds after which a command is a new one: the publisher remembers a request for as long. */
const REMEMBERED = 10 * 60 * 1000;

/** @param command what makes two commands the same: the deployment and everything that was asked of it */
export function pendingRequest(command: unknown, { env }: Io) {
  const directory = stateDirectory(env);
  if (directory === undefined) return undefined;
  const name = createHash("sha256").update(JSON.stringify(command)).digest("hex").slice(0, 32);
  const folder = join(directory, "requests");
  const file = join(folder, `${name}.json`);
  return {
    /** The request that got no answer, if this is the same command again. */
    find: async () => {
      try {
        const value: unknown = JSON.parse(await readFile(file, "utf8"));
        if (!isObject(value) || typeof value["at"] !== "number" || Date.now() - value["at"] > REMEMBERED)
          return undefined;
        return parsePublisherRequest(value["request"]);
      } catch {
        return undefined;
      }
    },
    // Where nothing can be kept, a command that is run again is a new one, which the publisher may refuse.
    keep: async (request: PublisherRequest) => {
      await makeFolder(folder, 0o700).catch(() => {});
      await writeFile(file, JSON.stringify({ at: Date.now(), request }), { mode: 0o600 }).catch(() => {});
    },
    forget: () => rm(file, { force: true }).catch(() => {}),
  };
}
