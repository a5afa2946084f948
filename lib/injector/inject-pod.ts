// The pipeline: a pod in, its patch out. Every entry point calls this function and no other part of the pipeline.

import { type JsonObject, metadataKeys, OutriggerError } from "@outrigger/base";
import { effectiveProxyConfig } from "@outrigger/mesh";
import {
  applyPatch,
  checkPod,
  containersOf,
  createPatch,
  formatPatch,
  isStoredForm,
  keepStoredForm,
  type PatchOperation,
  type Pod,
} from "@outrigger/pod";
import { describeTemplate } from "@outrigger/template";
import { assertAccepted, assertExact } from "./check/assert-accepted.ts";
import { assertOneList } from "./check/assert-one-list.ts";
import { authorMistakes } from "./check/author-mistakes.ts";
import { blameAuthor } from "./check/blame-author.ts";
import { isExplained, overlayError } from "./check/overlay-error.ts";
import { checkProbeAnnotations } from "./check/probe-annotations.ts";
import { containerNames } from "./data-plane.ts";
import { decide } from "./decide/decide.ts";
import { selectTemplates } from "./decide/select-templates.ts";
import { validateAnnotations } from "./decide/validate-annotations.ts";
import { withContainer } from "./decode-pod.ts";
import type { Injection, Injector, InjectRequest, InjectResult, Overlay, RenderedInjection } from "./injection.ts";
import { emptyPod, renderOverlays, wantsNativeSidecar } from "./merge/merge-overlays.ts";
import { firstByName } from "./pod-edit.ts";
import { namespaceOf } from "./render/template-data.ts";
import { injectionSteps, undoInjection } from "./steps/injection-steps.ts";
import { withoutPlatformUser } from "./steps/proxy-user.ts";
import { withoutEarlierVolumes } from "./steps/volumes.ts";
import { neverInjected, recordOptions } from "./undo/earlier-injection.ts";
import { keepStoredSettings } from "./undo/stored-settings.ts";

/**
 * Injects a pod as Istio's injector does. Pure: the same injector and request give the same result, and neither is changed.
 *
 * 1. decide: whether the pod is injected, from its namespace, labels, annotations and the policy
 * 2. undo: the pod as its author wrote it, without what an earlier injection added
 * 3. render: the selected templates, each to an overlay
 * 4. steps: merge the overlays, apply the author's overrides, then adjust probes, metrics, users, order and volumes
 * 5. diff: the patch from the pod of the request to the injected one
 * 6. check: the patch is applied, and an API server would accept the pod
 *
 * @throws OutriggerError `annotation-invalid`, `template-unknown` or `pod-invalid` for what the pod's author can fix,
 * `config-invalid`, `template-render` or `overlay-invalid` for what the operator can fix, `patch-check-failed` for a bug
 */
export function injectPod(injector: Injector, request: InjectRequest): InjectResult {
  try {
    const namespace = namespaceOf(request);
    const decision = decide(injector.config, request.pod, namespace);
    if (!decision.inject) {
      const { inject: _, ...skipped } = decision;
      return { injected: false, ...skipped };
    }
    if (injector.isOfMesh) validateAnnotations(request.pod.metadata?.annotations ?? {}, injector.config);
    return { ...inject(injector, request, namespace), reason: decision.reason };
  } catch (error) {
    blameAuthor(request.pod, error, (pod) => renderInjection(injector, { ...request, pod }, namespaceOf(request)));
    throw isExplained(error) ? error : (faultOfTemplates(injector, request) ?? error);
  }
}

/** What is wrong with the templates of a pod, where its injection failed for a reason that nobody foresaw. */
function faultOfTemplates(injector: Injector, request: InjectRequest): OutriggerError | undefined {
  const injection = begin(injector, request, namespaceOf(request));
  return overlayError(injection, templatesOf(injection));
}

type Injected = Extract<InjectResult, { readonly injected: true }>;

function inject(injector: Injector, request: InjectRequest, namespace: string): Omit<Injected, "reason"> {
  const { pod, templates, rendered } = transform(injector, request, namespace);
  const patch = createPatch(request.pod, pod);
  const patched = checkPatch(request.pod, patch, rendered, templates);
  const isReference = injector.config.compatibility !== undefined;
  if (!isReference && request.isTrial !== true) {
    assertAccepted(patched, request.pod, () => {
      const containers = containersOf(rendered.overlay.spec).filter(({ image }) => image !== undefined);
      return {
        inject: (other) => transform(injector, { ...request, pod: other }, namespace).pod,
        templates: describeTemplates(templates),
        values: injector.values,
        isRead: injector.templates.isRead,
        injectedNames: new Set(containers.map(({ name }) => String(name))),
      };
    });
  }
  const misplaced = warningsOf(pod, rendered.overlays);
  const warnings = isReference ? misplaced : [...misplaced, ...authorMistakes(rendered.pod, pod)];
  const author = withoutEarlierVolumes(rendered);
  return { injected: true, author, pod, patch, patchText: formatPatch(patch), templates, warnings };
}

interface Transformed extends StartedInjection {
  readonly pod: Pod;
}

function transform(injector: Injector, request: InjectRequest, namespace: string): Transformed {
  const { rendered, templates } = renderInjection(injector, request, namespace);
  const processed = injectionSteps(injector).reduce((current, step) => step.apply(current, rendered), rendered.pod);
  return { pod: withStoredForm(processed, rendered), templates, rendered };
}

/** An injection up to its steps. */
export interface StartedInjection {
  readonly rendered: RenderedInjection;
  readonly templates: readonly string[];
}

/** Undoes an earlier injection and renders the selected templates. The steps begin with the pod in it. */
export function renderInjection(injector: Injector, request: InjectRequest, namespace: string): StartedInjection {
  const injection = begin(injector, request, namespace);
  const isSafe = injector.config.compatibility === undefined;
  if (isSafe) assertOneList(injection.pod);
  const templates = templatesOf(injection);
  // Containers of a template go before those of the templates merged earlier: without a mesh, they start in the order of the names.
  const overlays = renderOverlays(injection, injector.config.mesh === "none" ? templates.toReversed() : templates);
  const overlay = overlays.at(-1)?.combined ?? emptyPod;
  return { rendered: { ...injection, overlays, overlay }, templates };
}

function templatesOf({ injector, pod, request }: Injection): readonly string[] {
  return selectTemplates(injector.config, pod, namespaceOf(request), injector.templates.names);
}

/** A pod that was injected before may have been stored since: what the API server wrote differently is no change. */
export function withStoredForm(pod: Pod, { request, earlier }: Injection): Pod {
  if (earlier === neverInjected || !isStoredForm(request.pod)) return pod;
  return keepStoredSettings(keepStoredForm(pod, request.pod), request.pod);
}

function begin(injector: Injector, request: InjectRequest, namespace: string): Injection {
  const nativeSidecars = request.cluster?.nativeSidecars ?? injector.config.nativeSidecars;
  const isNative = wantsNativeSidecar(request.pod, nativeSidecars, injector.config.compatibility);
  const { pod: restored, earlier } = undoInjection(request.pod, recordOptions(injector, isNative));
  const pod = injector.config.platform === "openshift" ? withoutPlatformUser(restored) : restored;
  const { metadata } = pod;
  return {
    injector,
    request,
    pod,
    earlier,
    proxyConfig: effectiveProxyConfig(injector.meshConfig, injector.proxyConfigs, {
      namespace,
      labels: metadata?.labels ?? {},
      annotations: (injector.isOfMesh && metadata?.annotations) || {},
    }),
    environment: proxyEnvironment(injector, request, pod),
    revision: request.cluster?.revision ?? injector.config.revision,
    nativeSidecars: nativeSidecars && !(injector.config.compatibility === undefined && hasOnlyProxy(pod)),
  };
}

/** A pod must keep a container, so an only container cannot become a native sidecar. */
function hasOnlyProxy({ spec }: Pod): boolean {
  return spec?.containers?.length === 1 && spec.containers[0]?.name === containerNames.proxy;
}

/** The pod's label overrides the URL path, which overrides the cluster's setting, which overrides the values. */
function proxyEnvironment(
  { settings }: Injector,
  { parameters, cluster }: InjectRequest,
  pod: Pod,
): Injection["environment"] {
  const clusterId = parameters["ISTIO_META_CLUSTER_ID"] || settings.clusterName;
  const network =
    pod.metadata?.labels?.[metadataKeys.network] ??
    (parameters["ISTIO_META_NETWORK"] || cluster?.network || settings.network);
  return {
    ...parameters,
    ...(clusterId !== "" && { ISTIO_META_CLUSTER_ID: clusterId }),
    ...(network !== "" && { ISTIO_META_NETWORK: network }),
  };
}

/**
 * Applies the operations that are sent to the pod of the request, and checks the result. An API server rejects the pod
 * if a patch does not apply, whatever the failurePolicy is. The text that is sent is these operations': formatPatch()
 * prints nothing else, and what passes here is JSON through and through.
 *
 * @throws OutriggerError `overlay-invalid` for what a template wrote, `patch-check-failed` for a bug
 */
function checkPatch(
  pod: Pod,
  patch: readonly PatchOperation[],
  rendered: RenderedInjection,
  templates: readonly string[],
): Pod {
  const patched = applyPatch(pod as JsonObject, patch) as Pod;
  if (checkPod(patched, pod).length === 0) return patched;
  // A newer API server sends fields that this schema does not have: they are judged only if a template writes them.
  const [written] = checkPod(rendered.overlay);
  const violation = written ?? checkPod(patched, pod, "ignored")[0];
  if (violation === undefined) return patched;
  checkProbeAnnotations(pod.metadata?.annotations ?? {}, violation.path);
  if (violation.isInexact) assertExact(pod, "the pod");
  const holder = written === undefined ? patched : rendered.overlay;
  const remedy = `${violation.message}; correct ${describeTemplates(templates)}`;
  throw new OutriggerError(
    written === undefined ? "patch-check-failed" : "overlay-invalid",
    `Cannot inject: ${withContainer(violation.path, holder)} ${remedy}`,
    {
      path: violation.path,
      logged: { message: `Cannot inject: ${violation.loggedPath} ${remedy}`, path: violation.loggedPath },
    },
  );
}

function describeTemplates(names: readonly string[]): string {
  return names.map(describeTemplate).join(" or ");
}

/** A template may name a container in another list than an earlier template. The API server reports only "Duplicate value". */
function warningsOf(pod: Pod, overlays: readonly Overlay[]): readonly string[] {
  const misplaced: string[] = [];
  for (const { misplaced: name } of overlays)
    if (name !== undefined)
      misplaced.push(`template ${name} changes istio-proxy in containers: name it in initContainers`);
  const names = firstByName(pod.spec?.containers);
  // Types say that each has one; a sender may have left it out.
  const twice = pod.spec?.initContainers?.find(({ name }) => typeof name === "string" && names.has(name));
  if (twice === undefined) return misplaced;
  return [
    ...misplaced,
    `container ${twice.name.slice(0, 63)} is in containers and initContainers: move it in the template`,
  ];
}
