// The newest patch of each Istio release whose templates were compared. 1.30.4, of August 2026, was not.
import type { IstioRelease } from "@outrigger/mesh";

/** `development` has no images of its own. */
export const NEWEST_PATCH: Readonly<Record<IstioRelease, string>> = {
  "1.28": "1.28.10",
  "1.29": "1.29.6",
  "1.30": "1.30.3",
  "1.31": "1.31.0",
  development: "1.31.0",
};
