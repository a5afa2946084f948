// The ratios of `npm run bench` as lines of Markdown: they are in docs/contributing/measuring-tools.md only, and this writes them there.
import { tableLines } from "../support/page-rows.ts";

interface Figures {
  readonly name: string;
  /** The mean, in means of the floor. `medianRatio` is the median, in medians of the floor. */
  readonly ratio: number;
  readonly medianRatio?: number | undefined;
  readonly goal?: number | undefined;
}

/** The end of the names of scenarios with pods of new workloads. */
const NEW = ", new";

/** A row for each pod: as replicas, and as new workloads. */
export function benchLines(report: {
  readonly node: string;
  readonly load: number;
  readonly rows: readonly Figures[];
}): readonly string[] {
  const { node, load, rows } = report;
  const pods = [...new Set(rows.map(({ name }) => name.replace(NEW, "")))];
  const cells = pods.map((pod) => {
    const alone = rows.find(({ name }) => name === pod);
    const renewed = rows.find(({ name }) => name === pod + NEW);
    // Pods of which every one has another shape are of new workloads.
    const [replica, fresh] = renewed === undefined ? [undefined, alone] : [alone, renewed];
    return [pod, shown(replica), shown(fresh), fresh?.goal?.toFixed(1) ?? ""];
  });
  const brackets = rows.some(({ medianRatio }) => medianRatio !== undefined)
    ? ", and in brackets medians in medians"
    : "";
  return [
    `Node ${node}, load ${load.toFixed(1)} when it began. Means in means of the floor${brackets}:`,
    "",
    ...tableLines(["pod", "a replica", "a new workload", "goal"], cells),
  ];
}

function shown(figures: Figures | undefined): string {
  if (figures === undefined) return "";
  const { ratio, medianRatio } = figures;
  return medianRatio === undefined ? ratio.toFixed(1) : `${ratio.toFixed(1)} (${medianRatio.toFixed(1)})`;
}
