// Reads the AWS CLI's files: a missing one is treated as one without settings.
import { readFileSync } from "node:fs";

export function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
