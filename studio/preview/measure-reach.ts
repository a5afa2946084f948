// Which templates pods get: how far an edit of `defaultTemplates` reaches.

import { type Injector, templatesFor } from "@outrigger/injector";
import { type CountedPod, orNone } from "./measure-impact.ts";
import type { Reach } from "./question.ts";

export function measureReach(pods: readonly CountedPod[], injector: Injector): Reach {
  const templates: Record<string, number> = {};
  for (const { request, pods: count } of pods) {
    // A pod that names a template that does not exist gets none.
    for (const name of orNone(() => templatesFor(injector, request))) templates[name] = (templates[name] ?? 0) + count;
  }
  return { pods: pods.reduce((sum, { pods: count }) => sum + count, 0), templates };
}
