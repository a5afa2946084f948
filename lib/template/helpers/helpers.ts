// All general helpers in one table. lib/injector/render/template-data.ts adds its own.

import type { HelperTable } from "./argument.ts";
import { istioHelpers } from "./istio.ts";
import { listHelpers } from "./lists.ts";
import { logicHelpers } from "./logic.ts";
import { stringHelpers } from "./strings.ts";

/** Istio's and Sprig's names wherever they mean the same; arguments in the order of a direct call. */
export const helpers: HelperTable = Object.freeze({
  ...logicHelpers,
  ...stringHelpers,
  ...listHelpers,
  ...istioHelpers,
});
