// User ids that must agree: the init container redirects or validates for the user that the proxy runs as.
// Source: Istio's adjustInitContainerUser and its OpenShift rule.

import { metadataKeys } from "@outrigger/base";
import type { Container, Pod } from "@outrigger/pod";
import { containerNames } from "../data-plane.ts";
import type { InjectionStep, RenderedInjection } from "../injection.ts";
import { type ContainerList, editContainer, editContainers, findContainer, findContainerInPod } from "../pod-edit.ts";

/** The step for the proxy's user. It changes injected containers only, so it goes away with them. */
export const proxyUserAlignment: InjectionStep = { apply: alignProxyUser };

/** Adds what the pod of the request has, so there is nothing to undo. */
export const platformUserLeft: InjectionStep = { apply: leavePlatformUser };

/**
 * Makes the init or validation container fit a proxy whose user the author chose. With TPROXY the proxy always runs as
 * root. Containers of the author's that no template names stay as they are, although the reference changes them too.
 */
function alignProxyUser(pod: Pod, { injector, pod: author, overlay, proxyConfig }: RenderedInjection): Pod {
  const chosen = findContainerInPod(author, containerNames.proxy)?.securityContext;
  if (chosen?.runAsUser === undefined && chosen?.runAsGroup === undefined) return pod;
  const changed = injector.config.compatibility === undefined ? overlay : pod;
  const name = [containerNames.init, containerNames.validation].find((candidate) =>
    findContainer(changed.spec?.initContainers, candidate),
  );
  if (name === undefined) return pod;
  const modes = [proxyConfig.interceptionMode, pod.metadata?.annotations?.[metadataKeys.interceptionMode]];
  const isTproxy = modes.includes("TPROXY");
  const aligned =
    isTproxy && chosen.runAsUser !== undefined && findContainerInPod(changed, containerNames.proxy) !== undefined
      ? editContainer(pod, containerNames.proxy, (proxy) => withSecurity(proxy, { runAsUser: 0 }))
      : pod;
  return editContainer(aligned, name, (container) => {
    const validates = !isTproxy && name === containerNames.validation;
    return withRedirectedUser(validates ? withSecurity(container, idsOf(chosen)) : container, chosen.runAsUser);
  });
}

/**
 * OpenShift gives every container of a pod the same user. For the proxy, that user would redirect the proxy's own
 * traffic back to it, so it is dropped unless it differs from the application's.
 */
export function withoutPlatformUser(pod: Pod): Pod {
  const proxy = findContainerInPod(pod, containerNames.proxy);
  if (proxy?.securityContext === undefined) return pod;
  const ofProxy = lastUser(pod, (name) => name === containerNames.proxy);
  if (ofProxy !== lastUser(pod, (name) => !OURS.includes(name))) return pod;
  return editContainer(pod, containerNames.proxy, (container) => {
    const { runAsUser: _, runAsGroup: __, ...securityContext } = container.securityContext ?? {};
    return { ...container, securityContext };
  });
}

const OURS: readonly string[] = [containerNames.proxy, containerNames.init, containerNames.validation];

/**
 * Leaves the platform's user on the container at the proxy's place. It does so for `compatibility: reference` only,
 * which drops that user before it compares the pod with the injected one, so no operation removes it.
 */
function leavePlatformUser(pod: Pod, { injector, request }: RenderedInjection): Pod {
  const { compatibility, platform } = injector.config;
  if (compatibility === undefined || platform !== "openshift") return pod;
  if (withoutPlatformUser(request.pod) === request.pod) return pod;
  const isIn = (list: ContainerList) => findContainer(request.pod.spec?.[list], containerNames.proxy) !== undefined;
  const list = isIn("containers") ? "containers" : "initContainers";
  const place = request.pod.spec?.[list]?.findIndex(({ name }) => name === containerNames.proxy);
  const left = idsOf(request.pod.spec?.[list]?.[place ?? 0]?.securityContext ?? {});
  return editContainers(pod, list, (containers) =>
    containers.map((container, at) =>
      at === place && container.securityContext
        ? { ...container, securityContext: { ...left, ...container.securityContext } }
        : container,
    ),
  );
}

type SecurityContext = NonNullable<Container["securityContext"]>;

function idsOf({ runAsUser, runAsGroup }: SecurityContext): SecurityContext {
  return { ...(runAsUser !== undefined && { runAsUser }), ...(runAsGroup !== undefined && { runAsGroup }) };
}

function withSecurity(container: Container, changes: SecurityContext): Container {
  return { ...container, securityContext: { ...container.securityContext, ...changes } };
}

/** The argument after `-u` is the user whose traffic is not redirected; iptables does not accept 0 there. */
function withRedirectedUser(container: Container, user: number | undefined): Container {
  const index = container.args?.indexOf("-u") ?? -1;
  if (!user || index < 0 || container.args === undefined || index + 1 >= container.args.length) return container;
  return { ...container, args: container.args.with(index + 1, String(user)) };
}

function lastUser({ spec }: Pod, isWanted: (name: string) => boolean): number {
  const containers = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
  const chosen = containers.findLast((each) => isWanted(each.name) && each.securityContext?.runAsUser !== undefined);
  return chosen?.securityContext?.runAsUser ?? 0;
}
