// The order in which containers start.
//
// | proxy is              | init containers                                             | containers             |
// |-----------------------|-------------------------------------------------------------|------------------------|
// | a native sidecar      | init, validation, proxy, enable-core-dump, the author's     | the author's           |
// | a container           | validation, the author's, init, enable-core-dump            | the author's, proxy    |
// | a container, first    | validation, the author's, init, enable-core-dump            | proxy, the author's    |
//
// A native proxy starts before the author's init containers, so that they are in the mesh. Otherwise the redirection
// starts after them, so that it does not cut them off. The proxy is last so that `kubectl exec` picks the application.

import type { Container, Pod } from "@outrigger/pod";
import type { InjectionStep, RenderedInjection } from "../injection.ts";
import { containerNames } from "../keys.ts";
import { editContainers, findContainer } from "../pod-edit.ts";

const { proxy, init, validation, coreDump } = containerNames;

/** Keeps the author's containers in their own order, so there is nothing to undo once the injected ones are removed. */
export const containerOrder: InjectionStep = { apply: orderContainers };

function orderContainers(pod: Pod, { injector, proxyConfig }: RenderedInjection): Pod {
  const arranged = injector.config.compatibility === undefined ? arrangedAll : arrangedLast;
  const isWaitedFor = proxyConfig.holdApplicationUntilProxyStarts === true || injector.settings.holdApplication;
  const ordered = editContainers(pod, "containers", (list) =>
    isWaitedFor ? arranged(list, [proxy], []) : arranged(list, [], [proxy]),
  );
  const isNative = findContainer(pod.spec?.initContainers, proxy) !== undefined;
  return editContainers(ordered, "initContainers", (list) =>
    isNative ? arranged(list, [init, validation, proxy, coreDump], []) : arranged(list, [validation], [init, coreDump]),
  );
}

/** As the reference does: of several containers of one of the names, the last one stays. */
function arrangedLast(containers: readonly Container[], first: readonly string[], last: readonly string[]) {
  const names = [...first, ...last];
  const isLast = ({ name }: Container, at: number) =>
    !names.includes(name) || containers.findLastIndex((container) => container.name === name) === at;
  const kept = containers.filter(isLast);
  return arrangedAll(kept.length === containers.length ? containers : kept, first, last);
}

function arrangedAll(
  containers: readonly Container[],
  first: readonly string[],
  last: readonly string[],
): readonly Container[] {
  const named = (names: readonly string[]) =>
    names.flatMap((name) => containers.filter((container) => container.name === name));
  const others = containers.filter(({ name }) => !first.includes(name) && !last.includes(name));
  const ordered = [...named(first), ...others, ...named(last)];
  return ordered.every((container, index) => container === containers[index]) ? containers : ordered;
}
