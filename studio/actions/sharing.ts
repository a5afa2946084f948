// Links that hold the whole state.

import { isObject } from "@outrigger/base";
import type { SourceTree } from "@outrigger/injector";
import { draftsOf } from "../model/drafts.ts";
import { report } from "../model/notice.ts";
import {
  currentText,
  drafts,
  editorLine,
  linked,
  manifest,
  openPath,
  own,
  paths,
  pod,
  restingLine,
  workspace,
} from "../model/state.ts";
import { firstSample } from "../preview/first-preview.ts";
import type { PodChoice } from "../preview/question.ts";

export async function share(): Promise<void> {
  // What a cluster runs is not given away with a link.
  const shared = pod.value.kind === "workload" ? firstSample(paths.value) : pod.value;
  const fragment = await encodeState({ own: own.value, pod: shared, path: openPath.value });
  // The address follows the caret once it rests, and would take the link's place.
  restingLine.value = editorLine.value;
  history.replaceState(null, "", `#${fragment}`);
  const isCopied = await navigator.clipboard?.writeText(location.href).then(
    () => true,
    () => false,
  );
  report(isCopied === true ? "shared" : "shared.address");
}

/**
 * A shared state is compared with what is here: its edits become one's own when a person takes them. It removes no entries.
 *
 * @param fragment of the link, with `#`
 */
export async function openShared(fragment: string): Promise<void> {
  const state = await decodeState(fragment.slice(1));
  if (state === undefined) return;
  const { saved, kind } = workspace.value;
  const edits = Object.entries(draftsOf(state.own, saved));
  openPath.value = state.path;
  pod.value = state.pod;
  if (state.pod.kind === "manifest") manifest.value = state.pod.text;
  linked.value = Object.fromEntries(edits.filter(([path, { text }]) => currentText(path) !== text));
  // Nothing of one's own can be lost there.
  if (kind === "playground" && Object.keys(drafts.value).length === 0) takeShared();
}

/** The edits of the link that was opened become one's own. */
export function takeShared(): void {
  drafts.value = { ...drafts.value, ...linked.value };
  linked.value = {};
}

// The state of the page in a link's fragment, compressed: it is never sent to a server.
interface SharedState {
  /** The user's own tree with its edits. */
  readonly own: SourceTree;
  readonly pod: PodChoice;
  readonly path: string;
}

/** The largest state that a link is read into, in characters: a link from a stranger must not fill the memory. */
export const MAX_STATE = 2_000_000;

const PREFIX = "s1.";

/** The fragment without `#`. */
export async function encodeState(state: SharedState): Promise<string> {
  const bytes = await through(new TextEncoder().encode(JSON.stringify(state)), new CompressionStream("deflate-raw"));
  return PREFIX + toBase64Url(bytes);
}

/** Undefined for a fragment that is not one of ours, or damaged. */
export async function decodeState(fragment: string): Promise<SharedState | undefined> {
  if (!fragment.startsWith(PREFIX)) return undefined;
  try {
    const bytes = fromBase64Url(fragment.slice(PREFIX.length));
    return parseState(
      JSON.parse(new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate-raw")))),
    );
  } catch {
    return undefined;
  }
}

function parseState(value: unknown): SharedState | undefined {
  if (!isObject(value) || !isObject(value["own"]) || typeof value["path"] !== "string") return undefined;
  const texts = Object.entries(value["own"]);
  const pod = parsePod(value["pod"]);
  if (pod === undefined || texts.some(([, text]) => typeof text !== "string")) return undefined;
  return { own: Object.fromEntries(texts) as SourceTree, pod, path: value["path"] };
}

function parsePod(value: unknown): PodChoice | undefined {
  if (!isObject(value)) return undefined;
  const { kind, name, text, index } = value;
  if (kind === "sample" && typeof name === "string") return { kind, name };
  if (kind === "manifest" && typeof text === "string" && typeof index === "number") return { kind, text, index };
  return undefined;
}

async function through(
  bytes: Uint8Array<ArrayBuffer>,
  transform: CompressionStream | DecompressionStream,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of new Blob([bytes]).stream().pipeThrough(transform) as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > MAX_STATE) throw new Error("The link holds more than the page takes");
    chunks.push(chunk);
  }
  return new Uint8Array(await new Blob(chunks as BlobPart[]).arrayBuffer());
}

function toBase64Url(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0));
}
