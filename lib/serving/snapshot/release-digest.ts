// The name of a release: what audit annotations, logs and people call it by.
import { createHash } from "node:crypto";
import type { JsonObject } from "@outrigger/base";
import type { Release } from "@outrigger/injector";

/** The first 12 hexadecimal digits of the SHA-256 of the release as JSON. Equal trees give equal names. */
export function releaseDigest(release: Release | JsonObject): string {
  return createHash("sha256").update(JSON.stringify(release)).digest("hex").slice(0, 12);
}
