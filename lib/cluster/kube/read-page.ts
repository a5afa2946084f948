// A page of a list, one object after the other: 500 pods at once take ten times their text, and outlive young garbage. A text is split
// where an object may end, and what parses is the object: no JSON object is the beginning of another. Any other text than an API
// server's own is read as a whole. Pure.
import { isObject, type JsonObject, objectOf, objectsOf, parseJson } from "@outrigger/base";

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

// A pod of a list, of which the larger parts stay text: most pods are replicas, and one of them says all about their containers. Pure.
/** A pod of which metadata and status are read. */
export interface ListedPod {
  /** `managedFields` may be missing. */
  readonly metadata: JsonObject;
  readonly status: JsonObject;
  /** `spec` as JSON, as the API server wrote it. */
  readonly specText: string;
  readonly whole: () => JsonObject;
}

/**
 * A pod as an API server writes it: `metadata`, which ends with `managedFields`, then `spec`, then `status`. Any other text is read as a
 * whole.
 *
 * @param fail throws what is wrong with the list, where a part that stayed text is no JSON
 * @returns undefined for what is no JSON object
 */
function readPod(text: string, fail: () => never): ListedPod | undefined {
  const spec = text.indexOf(SPEC);
  const status = text.lastIndexOf(STATUS);
  if (!text.startsWith(METADATA) || spec < 0 || status < spec || isMore(text, spec, status)) return readWhole(text);
  const managed = text.lastIndexOf(MANAGED, spec);
  // What parses is complete: no JSON object is the beginning, or the end, of another.
  const metadata = readObject(`${text.slice(0, managed < 0 ? spec : managed)}}}`)?.["metadata"];
  const { status: read, ...others } = readObject(`{${text.slice(status + "},".length)}`) ?? {};
  if (!isObject(metadata) || !isObject(read) || Object.keys(others).length > 0) return readWhole(text);
  const specText = text.slice(spec + SPEC.length - 1, status + 1);
  return { metadata, status: read, specText, whole: () => readObject(text) ?? fail() };
}

const METADATA = '{"metadata":{';
// No text in JSON contains these: its quotes are escaped.
const MANAGED = ',"managedFields":[';
const SPEC = '},"spec":{';
const STATUS = '},"status":{';

/** Whether it may be more than one pod: of a list whose items do not all begin with the same field. */
function isMore(text: string, spec: number, status: number): boolean {
  return text.indexOf(STATUS, spec) !== status || text.includes(METADATA.slice(1), spec);
}

function readWhole(text: string): ListedPod | undefined {
  const pod = readObject(text);
  return pod && listed(pod);
}

/** A pod that was read as a whole, as a list has it. */
export function listed(pod: JsonObject): ListedPod {
  const { managedFields: _, ...metadata } = objectOf(pod["metadata"]);
  return { metadata, status: objectOf(pod["status"]), specText: JSON.stringify(pod["spec"] ?? {}), whole: () => pod };
}

/** Undefined for what is no JSON object. */
export function readObject(text: string): JsonObject | undefined {
  const value = parseJson(text);
  return isObject(value) ? value : undefined;
}
