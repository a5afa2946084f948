// What was measured of each Istio release: the patch whose templates were compared, and whether its injector differs from that of the
// development line. 1.30.4, of August 2026, was not compared.
import { ISTIO_RELEASES, type IstioRelease } from "@outrigger/mesh";

interface MeasuredRelease {
  /** The newest patch whose templates were compared, which is the tag of the release's images. */
  readonly patch: string;
  /** Whether the release's injector makes something else of a case in this folder than the development line's. */
  readonly cases: "differ" | "as in development";
}

export const MEASURED_RELEASES: Readonly<Record<Exclude<IstioRelease, "development">, MeasuredRelease>> = {
  "1.28": { patch: "1.28.10", cases: "differ" },
  "1.29": { patch: "1.29.6", cases: "differ" },
  "1.30": { patch: "1.30.3", cases: "differ" },
  "1.31": { patch: "1.31.0", cases: "differ" },
};

/** The tag of the images of a release. The development line has no images of its own, and gets those of the newest release. */
export function imageTagOf(release: IstioRelease): string {
  const numbered = ISTIO_RELEASES.filter((each) => each !== "development");
  const measured = release === "development" ? numbered.at(-1) : release;
  if (measured === undefined) throw new Error("There is no Istio release");
  return MEASURED_RELEASES[measured].patch;
}
