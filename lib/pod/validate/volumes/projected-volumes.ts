// Volumes whose files are of the cluster: config maps, secrets, the downward API, tokens, and several of them in one.

import { listOf } from "@outrigger/base";
import type {
  ConfigMapProjection,
  DownwardAPIVolumeFile,
  DownwardAPIVolumeSource,
  KeyToPath,
  ProjectedVolumeSource,
  VolumeProjection,
} from "../../generated/pod-types.ts";
import { LOCAL_PATH } from "../../names.ts";
import { type Check, checkField, invalid, quote, report } from "../check.ts";
import { checkOnly, type FieldRules, fields, items, object, range, required } from "../fields.ts";
import { asObject, asText, isPresent } from "../go-values.ts";
import { checkVolumeFieldRef, checkVolumeResourceRef } from "./downward-api.ts";

const MODE = range(0, 0o777, "must be between 0 and 0777 (octal), which is 511");
const TEN_MINUTES = 600;
const MAX_EXPIRATION = 2 ** 32;

/** core/validation: validateKeyToPath. */
const KEYS = items(fields<KeyToPath>({ key: required(), path: required(LOCAL_PATH), mode: MODE }));

/** core/validation: validateConfigMapVolumeSource. */
export const CONFIG_MAP = { name: required(), defaultMode: MODE, items: KEYS };

/** core/validation: validateSecretVolumeSource. */
export const SECRET = { secretName: required(), defaultMode: MODE, items: KEYS };

/** core/validation: validateDownwardAPIVolumeSource and validateDownwardAPIVolumeFile. */
export const DOWNWARD_API: FieldRules<DownwardAPIVolumeSource, unknown> = {
  defaultMode: MODE,
  items: items(
    { path: required(LOCAL_PATH), fieldRef: object(checkVolumeFieldRef), mode: MODE },
    ({ fieldRef, resourceFieldRef }, check) => {
      if (!isPresent(resourceFieldRef)) {
        if (!isPresent(fieldRef)) report(check, "required", "must have a fieldRef or a resourceFieldRef");
      } else if (isPresent(fieldRef)) {
        invalid(check, "must not be set when fieldRef is", "resourceFieldRef");
      } else checkField(check, "resourceFieldRef", resourceFieldRef, checkVolumeResourceRef, undefined);
    },
  ),
};

const checkConfigProjection = fields<ConfigMapProjection>({ name: required(), items: KEYS });

/**
 * clusterTrustBundle and podCertificate are behind feature gates, without which they are dropped: they are judged where
 * the gates are on, by the API server. That the pod has a service account is not asked: where it names none, the
 * ServiceAccount admission plugin sets one before a pod is validated.
 */
const SOURCES = {
  secret: object(checkConfigProjection),
  configMap: object(checkConfigProjection),
  downwardAPI: object(DOWNWARD_API),
  serviceAccountToken: object({
    expirationSeconds: range(TEN_MINUTES, MAX_EXPIRATION),
    path: required(LOCAL_PATH),
  }),
} satisfies FieldRules<VolumeProjection, unknown>;
const SOURCE_NAMES = Object.keys(SOURCES) as (keyof typeof SOURCES)[];

/** core/validation: validateProjectedVolumeSource and validateProjectionSources. */
export const PROJECTED: FieldRules<ProjectedVolumeSource, unknown> = {
  defaultMode: MODE,
  sources: [
    items(SOURCES, (source, check) => {
      checkOnly(check, source, SOURCE_NAMES, (first) => `must not be set, as ${first} is: use an item for each`);
    }),
    (check, sources) => checkPaths(listOf(sources), check),
  ],
};

/** The files of all sources share one folder. Tokens are left out, as in the reference. */
function checkPaths(sources: readonly VolumeProjection[], check: Check): void {
  const paths = new Set<string>();
  for (const [at, each] of sources.entries()) {
    const source = asObject(each) as VolumeProjection;
    for (const key of ["secret", "configMap", "downwardAPI"] as const) {
      const items = listOf<KeyToPath | DownwardAPIVolumeFile>(asObject(source[key]).items);
      for (const [index, item] of items.entries()) {
        const path = asText(asObject(item).path);
        if (path !== "" && paths.has(path)) {
          const message = `must be unique: another source has the path ${quote(path)}`;
          invalid(check, message, "sources", at, key, "items", index, "path");
        }
        paths.add(path);
      }
    }
  }
}
