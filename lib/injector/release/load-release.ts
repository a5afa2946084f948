// A release: everything that injection needs, compiled and validated, as plain JSON. Parameter Store keeps it, the artifact
// contains it and every entry point loads it. It holds no function and does not name its source.
// A release → the injector that serves it: pays once, when loading, for everything that no pod changes.

import { injectionKeys, OutriggerError, valueAt } from "@outrigger/base";
import { type CompiledShape, type CompiledTemplates, loadTemplates } from "@outrigger/template";
import { containerNames } from "../data-plane.ts";
import type { InjectionConfig, Injector, InjectorSettings } from "../injection.ts";
import { injectionHelpers } from "../render/injection-helpers.ts";
import { referenceHelpers } from "../render/reference-helpers.ts";
import { constantRoots, usualRoots } from "../render/template-data.ts";

/** Version of the form of a release. `loadRelease` rejects one that is not known, and the previous release keeps serving. */
export const RELEASE_FORMAT = 4;

/** The forms before: a release that needs no more has one of them, for functions that know no other. In the first, each default template was for every pod. */
const PLAIN_FORMAT = 2;
const MATCH_FORMAT = 3;

/** The version of the form that a release with this config needs. */
export function formatOf({ defaultTemplates, injectionLabel, mesh }: InjectionConfig): number {
  if (injectionLabel !== undefined || mesh !== undefined) return RELEASE_FORMAT;
  return defaultTemplates.every((entry) => typeof entry === "string") ? PLAIN_FORMAT : MATCH_FORMAT;
}

/** Whether this version can load a release of a form. */
export function isKnownFormat(format: number): boolean {
  return [PLAIN_FORMAT, MATCH_FORMAT, RELEASE_FORMAT].includes(format);
}

type Parts = Pick<Injector, "config" | "values" | "meshConfig" | "proxyConfigs" | "namespaceAnnotations">;

/** A source tree, compiled: plain JSON, the same for every store. `compileRelease` makes it, `loadRelease` serves it. */
export interface Release extends Parts {
  readonly format: number;
  readonly templates: CompiledTemplates;
  /** Shapes of the sample pods, so that a cold start parses no YAML. */
  readonly shapes: readonly CompiledShape[];
  /** Literal names in the templates: containers and volumes that an injection may have added. */
  readonly injectableNames: readonly string[];
  readonly warnings: readonly string[];
}

/**
 * Makes the injector that serves a release, for `injectPod`. Loading takes long and injecting does not: load once.
 *
 * @throws OutriggerError `release-unsupported` for a release in a form that this version does not know
 */
export function loadRelease(release: Release): Injector {
  if (!isKnownFormat(release.format)) {
    const message = `Cannot load a release of format ${String(release.format)}: this version reads format ${RELEASE_FORMAT}; publish again with it`;
    throw new OutriggerError("release-unsupported", message);
  }
  const injectable = new Set(release.injectableNames);
  const { config, values, meshConfig, proxyConfigs, namespaceAnnotations } = release;
  const isInjectable = (name: string) => injectable.has(name);
  const settings = settingsOf(release);
  const keys = injectionKeys(config.injectionLabel);
  const isOfMesh = config.injectionLabel === undefined || isInjectable(containerNames.proxy);
  const loaded = {
    config,
    values,
    meshConfig,
    proxyConfigs,
    namespaceAnnotations,
    isInjectable,
    settings,
    keys,
    isOfMesh,
  };
  const templates = loadTemplates(release.templates, {
    helpers: config.compatibility === "reference" ? referenceHelpers : injectionHelpers,
    constants: constantRoots(loaded),
    defaults: usualRoots(loaded),
    shapes: release.shapes,
  });
  return { ...loaded, templates };
}

function settingsOf({ values, meshConfig }: Release): InjectorSettings {
  return {
    clusterName: String(valueAt(values, ["global", "multiCluster", "clusterName"]) ?? ""),
    network: String(valueAt(values, ["global", "network"]) ?? ""),
    holdApplication: valueAt(values, ["global", "proxy", "holdApplicationUntilProxyStarts"]) === true,
    rewriteProbes: valueAt(values, ["sidecarInjectorWebhook", "rewriteAppHTTPProbe"]) === true,
    inboundTrafficPolicyMode: meshConfig.inboundTrafficPolicy?.mode === "LOCALHOST" ? "localhost" : "passthrough",
  };
}
