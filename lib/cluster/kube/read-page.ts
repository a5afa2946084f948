// A page of a list, one object after the other: 500 pods at once take ten times their text, and outlive young garbage. A text is split
// where an object may end, and what parses is the object: no JSON object is the beginning of another. Any other text than an API
// server's own is read as a whole. Pure.
import { isObject, type JsonObject, objectsOf } from "@outrigger/base";
import { parsed, readPod } from "./read-pod.ts";

export interface Page {
  /** The list: its `items` say only whether there are any. */
  readonly list: JsonObject;
  /** Can be read once. */
  readonly objects: Iterable<JsonObject>;
}

/** @param readAll reads the whole text, or throws what is wrong with it */
export function readPage(text: string, readAll: () => JsonObject): Page {
  const start = text.indexOf(ITEMS) + ITEMS.length;
  const list = start < ITEMS.length ? undefined : parsed(`${text.slice(0, start)}]}`);
  // Lists of custom resources have their metadata, which says whether there is more, at the end.
  if (isObject(list?.["metadata"])) {
    const read = list["kind"] === "PodList" ? (object: string) => readPod(object, readAll) : parsed;
    return { list, objects: objectsFrom(start, text, readAll, read) };
  }
  const all = readAll();
  return { list: all, objects: objectsOf(all["items"]) };
}

/** No text in JSON contains this: its quotes are escaped. */
const ITEMS = '"items":[';

function* objectsFrom(
  start: number,
  text: string,
  readAll: () => JsonObject,
  read: (text: string) => JsonObject | undefined,
): Iterable<JsonObject> {
  const [opening] = OPENING.exec(text.slice(start, start + LONGEST)) ?? [];
  let [at, count] = [start, 0];
  while (opening !== undefined) {
    const next = text.indexOf(`},${opening}`, at);
    const end = next < 0 ? text.lastIndexOf("]") : next + 1;
    const object = read(text.slice(at, end));
    if (object === undefined) break;
    yield object;
    count += 1;
    if (next < 0 && text.slice(end).trim() === "]}") return;
    if (next < 0) break;
    at = end + 1;
  }
  yield* objectsOf(readAll()["items"]).slice(count);
}

/** All objects of a list begin with the same field. */
const OPENING = /^\{"\w+":/;
const LONGEST = 64;
