// Snapshots for tests of what reads them, written as a commit writes them.

import type { ParameterStore, Tier } from "@outrigger/aws";
import { layoutOf, packParts, recordText } from "@outrigger/aws";
import type { ClusterRecord } from "@outrigger/serving";
import { type Head, SNAPSHOT_FORMAT, type Snapshot } from "@outrigger/serving";
import { packIntoBucket } from "./pack-quickly.ts";
import { sha256Of } from "./tokens.ts";

export const PREFIX = "/outrigger/test";
export const LAYOUT = layoutOf(PREFIX);

export interface WriteOptions {
  readonly tier?: Tier;
  /** Whether the mirror is written. It is not after a crash between the head and the mirror. */
  readonly mirror?: boolean;
  /** The whole of it is an object of this bucket. */
  readonly bucket?: string;
}

/** A snapshot with one channel, `stable`, unless it says otherwise. */
export function snapshotOf(parts: Partial<Snapshot> & Pick<Snapshot, "releases">): Snapshot {
  const [digest = ""] = Object.keys(parts.releases);
  return { format: SNAPSHOT_FORMAT, seq: 1, channels: { stable: digest }, clusters: {}, pins: [], change: 0, ...parts };
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

export async function writeSnapshot(
  store: ParameterStore,
  snapshot: Snapshot,
  options: WriteOptions = {},
): Promise<Head> {
  const { tier = "Standard", mirror = true, bucket } = options;
  const { digest, parts, object } =
    bucket === undefined ? packParts(snapshot, tier, "the snapshot") : packIntoBucket(snapshot, tier, "", bucket);
  if (object !== undefined)
    await store.objects?.putObject({ bucket: object.bucket, key: LAYOUT.object(digest), text: object.text });
  const head = { digest, parts: parts.length, seq: snapshot.seq };
  const put = (name: string, value: string) => store.putParameter({ name, value, overwrite: true, tier });
  for (const [index, part] of parts.entries()) await put(LAYOUT.snapshotPart(digest, index), part);
  await put(LAYOUT.head, recordText(head));
  if (mirror) for (const [index, part] of parts.entries()) await put(LAYOUT.mirrorPart(index), part);
  return head;
}
