// What an injection notes of a pod in its status beside the names of what it put there: which fields the pod did not
// have before, and which volumes it had. Written when injecting, followed when that injection is undone.

import type { Pod } from "../kube/pod-types.ts";
import { withMetadata, withoutKeys, withSpec } from "./pod-edit.ts";

/**
 * | note                      | what it says                                                              |
 * |---------------------------|---------------------------------------------------------------------------|
 * | `labels/<key>`            | the label was added                                                       |
 * | `annotations/<key>`       | the annotation was added                                                  |
 * | `imagePullSecrets/<name>` | the secret was added                                                      |
 * | `securityContext`         | the pod's security context was added                                      |
 * | `kept/volumes/<name>`     | the author has a volume of that name too                                  |
 *
 * `author` is the pod as it was written, `pod` what came of it.
 */
export function notesOf(pod: Pod, author: Pod): readonly string[] {
  const secrets = author.spec?.imagePullSecrets?.map(({ name }) => name) ?? [];
  const notes = [
    ...addedKeys("labels", pod.metadata?.labels, author.metadata?.labels),
    ...addedKeys("annotations", pod.metadata?.annotations, author.metadata?.annotations),
  ];
  for (const { name } of pod.spec?.imagePullSecrets ?? []) if (!secrets.includes(name)) notes.push(`imagePullSecrets/${name}`);
  if (pod.spec?.securityContext !== undefined && author.spec?.securityContext === undefined) notes.push("securityContext");
  return notes;
}

/** The pod without the fields that the notes say were added. Other notes are passed over. */
export function withoutNoted(pod: Pod, notes: readonly string[]): Pod {
  if (notes.length === 0) return pod;
  const labels = namesUnder("labels", notes);
  const annotations = namesUnder("annotations", notes);
  const secrets = namesUnder("imagePullSecrets", notes);
  const { metadata, spec } = pod;
  const restored = withMetadata(pod, {
    ...(metadata?.labels && { labels: withoutKeys(metadata.labels, labels) }),
    ...(metadata?.annotations && { annotations: withoutKeys(metadata.annotations, annotations) }),
  });
  return withSpec(restored, {
    ...(spec?.imagePullSecrets && secrets.length > 0 && {
      imagePullSecrets: orNothing(
        spec.imagePullSecrets.filter(({ name }) => name === undefined || !secrets.includes(name)),
      ),
    }),
    ...(notes.includes("securityContext") && { securityContext: undefined }),
  });
}

/** The note of a volume that the author has too. */
export function keptVolume(name: string): string {
  return `kept/volumes/${name}`;
}

function orNothing<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length === 0 ? undefined : list;
}

type Strings = Readonly<Record<string, string>>;

function addedKeys(field: string, map: Strings = {}, before: Strings = {}): string[] {
  return Object.keys(map)
    .filter((key) => !Object.hasOwn(before, key))
    .map((key) => `${field}/${key}`);
}

function namesUnder(field: string, notes: readonly string[]): readonly string[] {
  const prefix = `${field}/`;
  return notes.filter((note) => note.startsWith(prefix)).map((note) => note.slice(prefix.length));
}
