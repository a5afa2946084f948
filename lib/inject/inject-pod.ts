// The pipeline: one pod in, its patch out. Every door calls this and nothing beside it.

import { OutriggerError } from "../errors.ts";
import { applyPatch } from "../kube/apply-patch.ts";
import { checkPod } from "../kube/check-pod.ts";
import { createPatch } from "../kube/json-patch.ts";
import type { PatchOperation } from "../kube/patch-operation.ts";
import type { Pod } from "../kube/pod-types.ts";
import { effectiveProxyConfig } from "../mesh/effective-proxy-config.ts";
import { decide } from "./decide.ts";
import type { Injection, Injector, InjectRequest, InjectResult } from "./injector.ts";
import { labelKeys } from "./keys.ts";
import { mergeOverlays, wantsNativeSidecar } from "./merge-overlays.ts";
import { applyOverrides } from "./overrides.ts";
import { findContainer } from "./pod-edit.ts";
import { postProcessSteps } from "./post-process/steps.ts";
import { checkProbeAnnotations } from "./probe-annotations.ts";
import { alignProxyUser, withoutPlatformUser } from "./proxy-user.ts";
import { selectTemplates } from "./select-templates.ts";
import { namespaceOf } from "./template-data.ts";
import { restore } from "./undo/undo-injection.ts";
import { validateAnnotations } from "./validate-annotations.ts";

/**
 * Decides, selects, renders, merges, applies overrides, post-processes, and makes a patch that has been applied and
 * checked. Pure: the same injector and request give the same result, and neither is changed.
 *
 * Throws `annotation-invalid` or `template-unknown` for what the pod's author can mend, `config-invalid`,
 * `template-render` or `overlay-invalid` for the operator, `patch-check-failed` for a fault of ours.
 */
export function injectPod(injector: Injector, request: InjectRequest): InjectResult {
  const namespace = namespaceOf(request);
  const decision = decide(injector.config, request.pod, namespace);
  if (!decision.inject) return { injected: false, reason: decision.reason, message: decision.message };
  validateAnnotations(request.pod.metadata?.annotations ?? {});
  const injection = begin(injector, request, namespace);
  const templates = selectTemplates(injector.config, injection.pod, injector.templates.names);
  const { merged, overlay } = mergeOverlays(injection, templates);
  const overridden = applyOverrides(merged, injection, overlay);
  const aligned = alignProxyUser(overridden, injection.pod, injection.proxyConfig);
  const pod = postProcessSteps.reduce((current, step) => step(current, injection, overlay), aligned);
  const patch = createPatch(request.pod, pod);
  const patchText = JSON.stringify(patch);
  checkPatch(request.pod, patchText);
  const warnings = warningsOf(pod);
  return { injected: true, reason: decision.reason, pod, patch, patchText, templates, warnings };
}

function begin(injector: Injector, request: InjectRequest, namespace: string): Injection {
  const nativeSidecars = request.cluster?.nativeSidecars ?? injector.config.nativeSidecars;
  const {
    pod: restored,
    adopted,
    earlier,
  } = restore(request.pod, {
    statusPort: injector.meshConfig.defaultConfig.statusPort,
    nativeSidecars: wantsNativeSidecar(request.pod, nativeSidecars),
    isInjectable: injector.isInjectable,
  });
  const pod = injector.config.platform === "openshift" ? withoutPlatformUser(restored) : restored;
  const { metadata } = pod;
  return {
    injector,
    request,
    pod,
    adopted,
    earlier,
    proxyConfig: effectiveProxyConfig(injector.meshConfig, injector.proxyConfigs, {
      namespace,
      labels: metadata?.labels ?? {},
      annotations: metadata?.annotations ?? {},
    }),
    environment: proxyEnvironment(injector, request, pod),
    revision: request.cluster?.revision ?? injector.config.revision,
    nativeSidecars,
  };
}

/** Where a setting is made in several places, the pod's label wins over the URL path, that over cluster and values. */
function proxyEnvironment(
  { settings }: Injector,
  { parameters, cluster }: InjectRequest,
  pod: Pod,
): Injection["environment"] {
  const clusterId = parameters["ISTIO_META_CLUSTER_ID"] || settings.clusterName;
  const network =
    pod.metadata?.labels?.[labelKeys.network] ??
    (parameters["ISTIO_META_NETWORK"] || cluster?.network || settings.network);
  return {
    ...parameters,
    ...(clusterId !== "" && { ISTIO_META_CLUSTER_ID: clusterId }),
    ...(network !== "" && { ISTIO_META_NETWORK: network }),
  };
}

/**
 * Applies the very text that is sent to the very pod that came, and checks what comes out. An API server rejects the
 * pod for a patch that does not apply, whatever the failurePolicy is: it must not come to that.
 */
function checkPatch(pod: Pod, patchText: string): void {
  const patched = applyPatch(pod, JSON.parse(patchText) as readonly PatchOperation[]);
  const [violation] = checkPod(patched, pod);
  if (violation === undefined) return;
  checkProbeAnnotations(pod.metadata?.annotations ?? {}, violation.path);
  throw new OutriggerError(
    "patch-check-failed",
    `Cannot inject: ${violation.path} ${violation.message}; correct the template that renders it`,
    { path: violation.path },
  );
}

/** A template may name a container in the other list than an earlier one: said, as the API server only says "duplicate". */
function warningsOf(pod: Pod): readonly string[] {
  const twice = pod.spec?.initContainers?.find(({ name }) => findContainer(pod.spec?.containers, name) !== undefined);
  if (twice === undefined) return [];
  return [`container ${twice.name.slice(0, 63)} is in containers and initContainers: move it in the template`];
}
