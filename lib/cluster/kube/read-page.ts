// A page of a list, one object after the other: 500 pods at once take ten times their text, and outlive young garbage. A text is split
// where an object may end, and what parses is the object: no JSON object is the beginning of another. Any other text than an API
// server's own is read as a whole. Pure.
import { isObject, type JsonObject, objectsOf } from "@outrigger/base";
import { type ListedPod, listed, readObject, readPod } from "./read-pod.ts";

export interface Page<Item> {
  /** The list: its `items` say only whether there are any. */
  readonly list: JsonObject;
  /** Can be read once. */
  readonly objects: Iterable<Item>;
}

/** The two ways to read an item: from its text, or from a page that was read as a whole. */
export interface ItemReader<Item> {
  readonly ofText: (text: string, fail: () => never) => Item | undefined;
  readonly ofObject: (object: JsonObject) => Item;
}

export const wholeObjects: ItemReader<JsonObject> = { ofText: readObject, ofObject: (object) => object };
export const listedPods: ItemReader<ListedPod> = { ofText: readPod, ofObject: listed };

/** @param readAll reads the whole text, or throws what is wrong with it */
export function readPage<Item>(text: string, readAll: () => JsonObject, reader: ItemReader<Item>): Page<Item> {
  const start = text.indexOf(ITEMS) + ITEMS.length;
  const list = start < ITEMS.length ? undefined : readObject(`${text.slice(0, start)}]}`);
  // Lists of custom resources have their metadata, which says whether there is more, at the end.
  if (isObject(list?.["metadata"])) return { list, objects: objectsFrom(start, text, readAll, reader) };
  const all = readAll();
  return { list: all, objects: objectsOf(all["items"]).map(reader.ofObject) };
}

/** No text in JSON contains this: its quotes are escaped. */
const ITEMS = '"items":[';

function* objectsFrom<Item>(
  start: number,
  text: string,
  readAll: () => JsonObject,
  { ofText, ofObject }: ItemReader<Item>,
): Iterable<Item> {
  const fail = () => {
    readAll();
    throw new TypeError("an item of the list is no JSON object, and the list is");
  };
  const [opening] = OPENING.exec(text.slice(start, start + LONGEST)) ?? [];
  let [at, count] = [start, 0];
  while (opening !== undefined) {
    const next = text.indexOf(`},${opening}`, at);
    const end = next < 0 ? text.lastIndexOf("]") : next + 1;
    const object = ofText(text.slice(at, end), fail);
    if (object === undefined) break;
    yield object;
    count += 1;
    if (next < 0 && text.slice(end).trim() === "]}") return;
    if (next < 0) break;
    at = end + 1;
  }
  yield* objectsOf(readAll()["items"]).slice(count).map(ofObject);
}

/** All objects of a list begin with the same field. */
const OPENING = /^\{"\w+":/;
const LONGEST = 64;
