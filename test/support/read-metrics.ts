// Reads a log line as CloudWatch does: which metrics it carries, by the specification of the embedded metric format and
// its limits. Written from the specification, apart from the product's code.

export interface ReadMetric {
  readonly name: string;
  readonly unit: string | undefined;
  readonly value: number;
  readonly dimensions: Readonly<Record<string, string>>;
}

/** The largest log event. */
const MAX_EVENT_BYTES = 256 * 1024;

/** The metrics of a line; none for a line that has none. Throws for what CloudWatch would drop without a word. */
export function readMetrics(line: string): readonly ReadMetric[] {
  if (!line.endsWith("\n") || line.indexOf("\n") !== line.length - 1) throw new Error("not one line");
  if (Buffer.byteLength(line) > MAX_EVENT_BYTES) throw new Error("longer than a log event");
  const members = JSON.parse(line);
  if (members._aws === undefined) return [];
  const { Timestamp, CloudWatchMetrics } = members._aws;
  if (!Number.isSafeInteger(Timestamp)) throw new Error("no timestamp");
  return CloudWatchMetrics.flatMap((directive: Directive) => readDirective(directive, members));
}

interface Directive {
  readonly Namespace: string;
  readonly Dimensions: readonly (readonly string[])[];
  readonly Metrics: readonly { readonly Name: string; readonly Unit?: string }[];
}

function readDirective({ Namespace, Dimensions, Metrics }: Directive, members: Record<string, unknown>): ReadMetric[] {
  if (Namespace !== "Outrigger") throw new Error(`namespace ${Namespace}`);
  if (Metrics.length < 1 || Metrics.length > 100) throw new Error(`${Metrics.length} metrics`);
  return Dimensions.flatMap((names) => {
    if (names.length < 1 || names.length > 30) throw new Error(`${names.length} dimensions`);
    const dimensions = Object.fromEntries(names.map((name) => [name, dimensionOf(members[name], name)]));
    return Metrics.map(({ Name, Unit }) => ({
      name: Name,
      unit: Unit,
      value: metricOf(members[Name], Name),
      dimensions,
    }));
  });
}

function dimensionOf(value: unknown, name: string): string {
  if (typeof value === "string" && /^[\x20-\x7e]{1,1024}$/.test(value) && value.trim() !== "") return value;
  throw new Error(`dimension ${name} is ${JSON.stringify(value)}`);
}

function metricOf(value: unknown, name: string): number {
  if (typeof value === "number" && Number.isFinite(value)) return value;
  throw new Error(`metric ${name} is ${JSON.stringify(value)}`);
}
