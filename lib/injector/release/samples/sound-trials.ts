// What is known of trials of one template with one sample in which nothing was wrong: an edit of another text, or of a value that the
// template does not read, need not try it again.
import { boundedCache, memoizeJson, metadataKeys, sharedMemory } from "@outrigger/base";
import type { MeshConfig } from "@outrigger/mesh";
import { templateInputs } from "@outrigger/template";
import type { Injector } from "../../injection.ts";
import { imageInputs } from "../../render/proxy-image.ts";
import { constantRoots, usualRoots } from "../../render/template-data.ts";
import type { Release } from "../load-release.ts";
import type { Sample } from "../read/read-tree.ts";
import type { Report } from "./try-injection.ts";

/** What a trial that found nothing wrong tells of the tags that it reached. */
type SoundTrial = Pick<Report, "tags">;

/** Bytes of a tag. */
const TAG = 400;

/**
 * Returns what is known of a template that is tried alone, by sample. The key is all that such an injection depends on; a fault is looked
 * for again, because how it is said depends on more.
 */
export function soundTrials(injector: Injector, { templates, injectableNames }: Release, name: string) {
  const { config, meshConfig, proxyConfigs, namespaceAnnotations, settings, values } = injector;
  const images = imageInputs(values);
  const { proxyConfig } = usualRoots(injector);
  const proxyImage = [images, proxyConfig.image];
  const constants = { ...constantRoots(injector), proxyConfig, proxyImage, proxyInitImage: images };
  const { defaultTemplates: _, ...choice } = config;
  const known = trialsWith([
    templateInputs({ compiled: templates, constants, name }),
    { choice, mesh: readBySteps(meshConfig), namespaceAnnotations, settings, injectableNames },
  ]);
  const keyOf = ({ path, pod }: Sample) => {
    const isUsual = proxyConfigs.length === 0 && pod.metadata?.annotations?.[metadataKeys.proxyConfig] === undefined;
    return JSON.stringify([path, pod, isUsual ? null : [meshConfig, proxyConfigs]]);
  };
  return {
    get: (sample: Sample) => known.get(keyOf(sample)),
    keep: (sample: Sample, { tags }: SoundTrial) => known.set(keyOf(sample), { tags }, TAG * tags.size),
  };
}

/** The fields of the mesh, and of its `defaultConfig`, that the steps of an injection read by themselves. */
export const STEPS_READ = {
  mesh: ["enablePrometheusMerge"],
  proxies: ["statusPort", "interceptionMode", "holdApplicationUntilProxyStarts"],
};

function readBySteps(mesh: MeshConfig): readonly unknown[] {
  return [STEPS_READ.mesh.map((field) => mesh[field]), STEPS_READ.proxies.map((field) => mesh.defaultConfig[field])];
}

const trialsWith = memoizeJson((_: readonly unknown[]) => boundedCache<SoundTrial>(sharedMemory.texts), {
  longest: 4_000_000,
  // What it holds takes from the account by itself.
  bytesOf: () => 0,
});
