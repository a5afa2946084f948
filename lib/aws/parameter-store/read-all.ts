// Turning pages: everything below a path, in name order, whatever the pages were like.
import type { CallOptions } from "./call-options.ts";
import type { Parameter, ParameterReader } from "./parameter-store.ts";

/** Reads every page below a path. A parameter that two pages hold, because it was written meanwhile, counts once. */
export async function readAll(
  store: ParameterReader,
  path: string,
  options?: CallOptions,
): Promise<readonly Parameter[]> {
  const byName = new Map<string, Parameter>();
  let next: string | undefined;
  do {
    const page = await store.getParametersByPath(path, next, options);
    for (const parameter of page.parameters) byName.set(parameter.name, parameter);
    next = page.next;
  } while (next !== undefined);
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}
