// Who wrote the lines of a previewed pod. Takes longer than the preview, and so is asked when typing pauses.

import { traceInjection } from "@outrigger/injector";
import type { Previewed } from "./preview.ts";
import type { LineOrigin, TraceAnswer, TracedOrigin } from "./question.ts";

/** @param previewed undefined if the last preview injected no pod */
export function trace(previewed: Previewed | undefined): TraceAnswer {
  const lines = (previewed && traceInjection(previewed.traced, previewed.request)?.lines) ?? [];
  const text = lines.map((line) => `${line.text}\n`).join("");
  return { kind: "trace", text, origins: lines.map(({ origin }) => lineOrigin(origin)) };
}

function lineOrigin(origin: TracedOrigin): LineOrigin {
  if (origin.kind === "pod") return null;
  if (origin.kind === "step") return { step: origin.step };
  const { path, line, column } = origin;
  return { path, line, column };
}
