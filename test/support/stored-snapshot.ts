// Snapshots for tests of what reads them, written as a commit writes them.

import type { ParameterStore, Tier } from "@outrigger/aws";
import { layoutOf, packParts, recordText } from "@outrigger/aws";
import type { ClusterRecord } from "@outrigger/serving";
import { type Head, SNAPSHOT_FORMAT, type Snapshot, snapshotText } from "@outrigger/serving";
import { packIntoBucket } from "./pack-quickly.ts";
import { sha256Of } from "./tokens.ts";

export const PREFIX = "/outrigger/test";
export const LAYOUT = layoutOf(PREFIX);

export interface WriteOptions {
  readonly tier?: Tier;
  /** Whether the mirror is written. It is not after a crash between the head and the mirror. */
  readonly mirror?: boolean;
  /** Whether the bucket's head is written. It is not after a crash before that. */
  readonly bucketHead?: boolean;
  /** As if it were too large for the mirror. */
  readonly isLarge?: boolean;
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
  const { tier = "Standard", mirror = true, bucketHead = true, isLarge = false } = options;
  const { digest, parts, text } = (isLarge ? packIntoBucket : packParts)(
    snapshotText(snapshot),
    tier,
    "the snapshot",
    "releases",
  );
  await store.objects.putObject({ key: LAYOUT.snapshot(digest), text });
  const head = { digest, parts: parts.length, seq: snapshot.seq };
  const put = (name: string, value: string) => store.putParameter({ name, value, overwrite: true, tier });
  await put(LAYOUT.head, recordText(head));
  if (mirror) for (const [index, part] of parts.entries()) await put(LAYOUT.mirrorPart(index), part);
  if (bucketHead) await store.objects.putObject({ key: LAYOUT.bucketHead, text: recordText(head) });
  return head;
}
