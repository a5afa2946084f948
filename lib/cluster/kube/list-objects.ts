// Every object of a list, read in pages. A list whose version has expired is begun again.
import { type JsonValue, OutriggerError, objectOf } from "@outrigger/base";
import type { HttpAnswer } from "./http-exchange.ts";
import { bodyOf, found, notKubernetes, TRIES } from "./kube-answer.ts";
import { type ItemReader, readPage } from "./read-page.ts";

const PAGE = "500";

/** @param read gets a page; undefined where there is no such list */
export async function* listObjects<Item extends { readonly [Metadata in "metadata"]?: JsonValue | undefined }>(
  name: string,
  read: (path: string) => Promise<HttpAnswer | undefined>,
  path: string,
  query: Readonly<Record<string, string>>,
  reader: ItemReader<Item>,
): AsyncIterable<Item> {
  let next: string | undefined = "";
  // By uid, for a list that has to begin again.
  const seen = new Set<unknown>();
  let beginnings = 1;
  while (next !== undefined) {
    const token: string = next;
    const parameters = new URLSearchParams({ limit: PAGE, ...query, ...(token === "" ? {} : { continue: token }) });
    const answer = await read(`${path}?${parameters}`).catch((error: unknown) => {
      const isExpired = error instanceof OutriggerError && error.code === "cluster-list-expired";
      if (token !== "" && isExpired && beginnings++ < TRIES) return undefined;
      throw error;
    });
    if (answer === undefined && token !== "") {
      next = "";
      continue;
    }
    const page = found(answer, path);
    const { list, objects } = readPage(page.body, () => bodyOf(page, name, { method: "GET", path }), reader);
    // Go writes an empty list as null in places.
    if (!Array.isArray(list["items"]) && list["items"] !== null) throw notKubernetes(name, "a list");
    for (const object of objects) {
      const { uid } = objectOf(object.metadata);
      if (uid === undefined || !seen.has(uid)) yield object;
      if (uid !== undefined) seen.add(uid);
    }
    const { continue: more } = objectOf(list["metadata"]);
    next = typeof more === "string" && more !== "" ? more : undefined;
  }
}
