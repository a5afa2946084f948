// Images for tests of what reads them, written as a commit writes them.
import type { ClusterRecord } from "../../lib/store/cluster-record.ts";
import { type Head, IMAGE_FORMAT, type Image } from "../../lib/store/image.ts";
import { layoutOf } from "../../lib/store/layout.ts";
import type { ParameterStore, Tier } from "../../lib/store/parameter-store.ts";
import { packParts } from "../../lib/store/parts.ts";
import { recordText } from "../../lib/store/record-text.ts";
import { sha256Of } from "./tokens.ts";

export const PREFIX = "/outrigger/test";
export const LAYOUT = layoutOf(PREFIX);

export interface WriteOptions {
  readonly tier?: Tier;
  /** False: as after a crash between the head and the mirror. */
  readonly mirror?: boolean;
}

/** An image with one channel, `stable`, unless it says otherwise. */
export function imageOf(parts: Partial<Image> & Pick<Image, "releases">): Image {
  const [digest = ""] = Object.keys(parts.releases);
  return { format: IMAGE_FORMAT, seq: 1, channels: { stable: digest }, clusters: {}, ...parts };
}

/** A cluster whose default revision is on `stable`, unless it says otherwise. */
export function clusterOf(tokens: readonly string[], record: Partial<ClusterRecord> = {}): ClusterRecord {
  return {
    revisions: { default: "stable" },
    arn: "",
    tokens: tokens.map((token) => ({ sha256: sha256Of(token), created: "2026-01-02T03:04:05Z" })),
    ...record,
  };
}

export async function writeImage(store: ParameterStore, image: Image, options: WriteOptions = {}): Promise<Head> {
  const { tier = "Standard", mirror = true } = options;
  const { digest, parts } = packParts(image, tier, "the image");
  const head = { digest, parts: parts.length, seq: image.seq };
  const put = (name: string, value: string) => store.putParameter({ name, value, overwrite: true, tier });
  for (const [index, part] of parts.entries()) await put(LAYOUT.imagePart(digest, index), part);
  await put(LAYOUT.head, recordText(head));
  if (mirror) for (const [index, part] of parts.entries()) await put(LAYOUT.mirrorPart(index), part);
  return head;
}
