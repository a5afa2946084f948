// Every object of a list, read in pages. A list whose version has expired is begun again.
import { isOwnError, type JsonValue, objectOf } from "@outrigger/base";
import { found, TRIES } from "./kube-answer.ts";
import type { Page } from "./read-page.ts";

const PAGE = "500";

/** @param read gets a page; undefined where there is no such list */
export async function* listObjects<Item extends { readonly [Metadata in "metadata"]?: JsonValue | undefined }>(
  read: (path: string) => Promise<Page<Item> | undefined>,
  path: string,
  query: Readonly<Record<string, string>>,
): AsyncIterable<Item> {
  let next: string | undefined = "";
  // By uid, for a list that has to begin again.
  const seen = new Set<unknown>();
  let beginnings = 1;
  while (next !== undefined) {
    const token: string = next;
    const parameters = new URLSearchParams({ limit: PAGE, ...query, ...(token === "" ? {} : { continue: token }) });
    const answer = await read(`${path}?${parameters}`).catch((error: unknown) => {
      if (token !== "" && isOwnError(error, "cluster-list-expired") && beginnings++ < TRIES) return undefined;
      throw error;
    });
    if (answer === undefined && token !== "") {
      next = "";
      continue;
    }
    const { list, objects } = found(answer, path);
    for (const object of objects) {
      const { uid } = objectOf(object.metadata);
      if (uid === undefined || !seen.has(uid)) yield object;
      if (uid !== undefined) seen.add(uid);
    }
    const { continue: more } = objectOf(list["metadata"]);
    next = typeof more === "string" && more !== "" ? more : undefined;
  }
}
