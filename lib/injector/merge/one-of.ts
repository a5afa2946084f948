// Fields of which Kubernetes allows one only: the author's takes the place of the template's.

import type { Container } from "@outrigger/pod";

const probes = ["livenessProbe", "readinessProbe", "startupProbe"] as const;
const hooks = ["postStart", "preStop"] as const;
const handlers: readonly string[] = ["exec", "grpc", "httpGet", "sleep", "tcpSocket"];

/**
 * The injected container without the fields that the author's container replaces: of these only one may be set, and strategic
 * merge would keep both.
 */
export function withoutReplaced(injected: Container, author: Container): Container {
  let container = injected;
  for (const key of probes) {
    const kept = withoutRivals(container[key], author[key]);
    if (kept !== container[key]) container = { ...container, [key]: kept };
  }
  for (const key of hooks) {
    const kept = withoutRivals(container.lifecycle?.[key], author.lifecycle?.[key]);
    if (kept !== container.lifecycle?.[key])
      container = { ...container, lifecycle: { ...container.lifecycle, [key]: kept } };
  }
  const env = withoutReplacedEnv(container.env, author.env);
  return env === container.env ? container : { ...container, env };
}

function withoutRivals(injected: object | null | undefined, author: object | null | undefined): object | undefined {
  if (!injected || !author) return injected ?? undefined;
  const chosen = handlers.filter((key) => Object.hasOwn(author, key));
  const rivals = handlers.filter((key) => Object.hasOwn(injected, key) && !chosen.includes(key));
  if (chosen.length === 0 || rivals.length === 0) return injected;
  return Object.fromEntries(Object.entries(injected).filter(([key]) => !rivals.includes(key)));
}

function withoutReplacedEnv(injected: Container["env"], author: Container["env"]): Container["env"] {
  if (!injected || !author || author.length === 0) return injected;
  const byName = new Map(author.map((entry) => [entry.name, entry]));
  const kept = injected.map((entry) => {
    const own = byName.get(entry.name);
    if (own?.valueFrom && entry.value !== undefined && own.value === undefined) return { name: entry.name };
    if (own?.value !== undefined && entry.valueFrom && !own.valueFrom) return { name: entry.name };
    return entry;
  });
  return kept.every((entry, at) => entry === injected[at]) ? injected : kept;
}
