// What an injection may give to a pod, and what its containers are not kept from.
import { type FieldPath, type JsonObject, type JsonValue, objectOf } from "@outrigger/base";
import type { FieldEffect } from "./fields.ts";

/** Something that a pod or container is given. */
export interface Power {
  /** `capability`, `hostPath`, …; `field` for what no table allows. */
  readonly kind: string;
  /** `NET_ADMIN`; empty for a kind that has none. */
  readonly value: string;
  /** Where it is, from the pod on. */
  readonly at: FieldPath;
  /** The container that it is given to. */
  readonly container?: string | undefined;
  /** The volume that gives it. */
  readonly volume?: string | undefined;
  /** The class of publishing that it is of, where its kind does not say so. */
  readonly effect?: FieldEffect | undefined;
}

/** What a container is not kept from: most containers say nothing. */
export function leftOpen(container: JsonObject, pod: JsonObject): readonly Power[] {
  const { capabilities, allowPrivilegeEscalation, readOnlyRootFilesystem } = objectOf(container["securityContext"]);
  const dropped = objectOf(capabilities)["drop"];
  const user = inherited(container, pod, "runAsUser");
  const isNeverRoot = inherited(container, pod, "runAsNonRoot") === true || (typeof user === "number" && user > 0);
  const open = (isKept: boolean, kind: string, value: string): readonly Power[] =>
    isKept ? [] : [{ kind, value, at: ["securityContext"] }];
  return [
    ...open(Array.isArray(dropped) && dropped.includes("ALL"), "escalation", "capabilities that are not dropped"),
    ...open(allowPrivilegeEscalation === false, "escalation", "allowPrivilegeEscalation"),
    ...open(readOnlyRootFilesystem === true, "writable", "a root filesystem that can be written"),
    ...open(isNeverRoot, "root", "a user that may be root"),
  ];
}

/** Kinds whose values are sentences. */
export const IN_WORDS: readonly string[] = ["root", "escalation", "writable", "cpu", "memory", "ephemeral-storage"];

/** `capability NET_ADMIN`, `allowPrivilegeEscalation` */
export function powerText({ kind, value }: Power): string {
  if (IN_WORDS.includes(kind)) return value;
  return value === "" ? kind : `${kind} ${value}`;
}

function inherited({ securityContext }: JsonObject, pod: JsonObject, field: string): JsonValue | undefined {
  return objectOf(securityContext)[field] ?? objectOf(pod["securityContext"])[field];
}
